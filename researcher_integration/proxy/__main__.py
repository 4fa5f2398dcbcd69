"""`summarizer proxy` by its module: `python -m researcher_integration.proxy`."""

import typer

from researcher_integration.proxy.cli import proxy

if __name__ == '__main__':
    typer.run(proxy)
