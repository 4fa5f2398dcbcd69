"""`make bench`: every benchmark, each as a ratio against a baseline in the same run."""

from tests.proofs.bench import chunking, crawl, engine, loop

for module in (chunking, engine, crawl, loop):
    module.main()
