"""Configuration files in which something is wrong, and what is said about them."""

from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from researcher_integration.config.files import FOLDER
from summarizer_tool import ConfigurationError

Change = Callable[[Any], object]


def problem(load: Callable[[Path], object], path: Path) -> str:
    """What is said about a file, without its folder."""
    with pytest.raises(ConfigurationError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f'{path}: ')
    assert '\n' not in message
    assert caught.value.__cause__ is None
    return message.removeprefix(f'{path.parent}/')


class Plain(yaml.SafeDumper):
    """Writes what stands twice twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


@cache
def _shipped(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding='utf-8'))


def changed(name: str, folder: Path, change: Change) -> Path:
    """A copy of a shipped file in which something is different."""
    content = deepcopy(_shipped(name))
    change(content)
    path = folder / name
    path.write_text(yaml.dump(content, Dumper=Plain, sort_keys=False), encoding='utf-8')
    return path


def put(value: object, *keys: str | int) -> Change:
    """A change that puts a value somewhere, under a key that may be new."""

    def change(content: Any) -> None:
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = value

    return change


def drop(*keys: str | int) -> Change:
    def change(content: Any) -> None:
        for key in keys[:-1]:
            content = content[key]
        del content[keys[-1]]

    return change
