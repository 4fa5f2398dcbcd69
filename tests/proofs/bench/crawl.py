"""The main job, keyless, as a stranger runs it: time and peak memory of the whole process, and how full the budget is."""

import os
import subprocess
import sys
import time
from pathlib import Path

SHARED = Path(__file__).parents[4] / 'shared' / 'data' / 'crawl'
EXAMPLES = Path(__file__).parents[3] / 'examples' / 'crawl'
HINT = 'people, places, organizations, dates, works and how they relate'


def main() -> None:
    """Run the command once, start-up included, beside a bare import of pydantic-ai."""
    shared = SHARED.is_dir()
    files = sorted(map(str, (SHARED if shared else EXAMPLES).glob('*.md')))
    budget = 24_600 if shared else 4000
    env = {**os.environ, 'LLM_MODEL': 'extractive'}
    started = time.perf_counter()
    subprocess.run([sys.executable, '-c', 'import pydantic_ai'], check=True)
    base = time.perf_counter() - started
    command = [sys.executable, '-m', 'summarizer_tool', 'run', *files, '--max-output-tokens', str(budget), '--json']
    started = time.perf_counter()
    process = subprocess.Popen([*command, '--schema-hint', HINT], stdout=subprocess.PIPE, env=env)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    assert status == 0, status

    from summarizer_tool.schemas import Summary

    stats = Summary.model_validate_json(output).stats
    print(
        f'crawl of {len(files)} pages, {stats.tokens_in:,} tokens, keyless: {wall:.2f} s and {usage.ru_maxrss / 1024:.0f} MB, '
        f'start-up included ({wall / base:.1f} x importing pydantic-ai, {base:.2f} s); {stats.tokens_out:,} tokens = '
        f'{stats.tokens_out / budget:.3f} of the budget; goals 5 s, 400 MB, 0.9 to 1'
    )


if __name__ == '__main__':
    main()
