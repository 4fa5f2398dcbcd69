"""Where the data and the tools are that this project does not hold: `SUMMARIZER_SHARED`, or `../shared` beside it."""

import importlib.util
import json
import os
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

SHARED = Path(os.environ.get('SUMMARIZER_SHARED') or Path(__file__).resolve().parents[4] / 'shared')
EXAMPLES = Path(__file__).resolve().parents[3] / 'examples' / 'crawl'


@cache
def tool(name: str) -> ModuleType | None:
    """A script of the tools there, as a module; none where it is not there, or lacks what it imports."""
    path = SHARED / 'tools' / f'{name}.py'
    spec = importlib.util.spec_from_file_location(f'shared_{name}', path)
    if not path.is_file() or spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except ImportError:
        return None
    return module


@cache
def gold() -> list[dict[str, Any]]:
    """The articles of the crawl, each with its page, title, entities and relations; empty where there is none."""
    path = SHARED / 'data' / 'crawl' / 'gold.json'
    return json.loads(path.read_text(encoding='utf-8')) if path.is_file() else []


@cache
def page(name: str) -> str:
    """The text of a page of the crawl."""
    return (SHARED / 'data' / 'crawl' / name).read_text(encoding='utf-8')
