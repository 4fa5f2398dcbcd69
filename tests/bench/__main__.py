"""`make bench`: every benchmark, each as a ratio against a baseline in the same run."""

from tests.bench import chunking, crawl, engine

for module in (chunking, engine, crawl):
    module.main()
