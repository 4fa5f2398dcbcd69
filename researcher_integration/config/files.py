"""Read the configuration files: YAML and JSON into models, and say in one line what is wrong."""

import json
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from summarizer_tool import ConfigurationError, one_line, shown, wrong_values

FOLDER = Path(__file__).parent

MAX_PROBLEMS = 3  # that one error names; the rest are counted


class Strict(BaseModel):
    """Base of what is read from a file: frozen, and without unknown keys, which are mostly misspelt known ones."""

    model_config = ConfigDict(frozen=True, extra='forbid', hide_input_in_errors=True)


Model = TypeVar('Model', bound=Strict)


def read_yaml(path: Path, model: type[Model]) -> Model:
    """Read a YAML file, without keys that stand twice; what is wrong with it is a `ConfigurationError`."""
    return _read(path, lambda: _from_yaml(_text(path)), model)


def read_yaml_text(text: str, model: type[Model], where: str) -> Model:
    """Read YAML that is given as text, as `read_yaml` does a file; errors call it `where`."""
    return _read(where, lambda: _from_yaml(text), model)


def read_mapping(value: object, model: type[Model], where: str) -> Model:
    """Check what a program gives, as `read_yaml` does what stands in a file; errors call it `where`."""
    return _read(where, lambda: value, model)


def read_json(path: Path, model: type[Model]) -> Model:
    """Read a JSON file, without keys that stand twice. No error repeats a value: it may be a secret."""
    return _read(path, lambda: _from_json(_text(path)), model)


def _read(where: Path | str, parse: Callable[[], object], model: type[Model]) -> Model:
    try:
        return model.model_validate(parse())
    except ConfigurationError as error:
        raise ConfigurationError(f'{where}: {error}') from None
    except RecursionError:
        raise ConfigurationError(f'{where}: is nested too deeply') from None
    except ValidationError as error:
        problems = wrong_values(error, hides=lambda _: True, keys='keys')
    if len(problems) > MAX_PROBLEMS:
        problems[MAX_PROBLEMS:] = [f'and {len(problems) - MAX_PROBLEMS} more']
    raise ConfigurationError(f'{where}: {"; ".join(problems)}')


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding='utf-8-sig')
    except OSError as error:
        raise ConfigurationError(f'cannot be read: {error.strerror}') from None
    except UnicodeDecodeError:
        raise ConfigurationError('is not UTF-8') from None


class _Loader(yaml.SafeLoader):
    """Safe YAML in which no key stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise ConfigurationError(f'line {key.start_mark.line + 1}: the key {shown(key.value)} stands twice')
                seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


def _from_yaml(text: str) -> object:
    try:
        found: object = yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader
    except yaml.MarkedYAMLError as error:
        line = f'line {error.problem_mark.line + 1}: ' if error.problem_mark else ''
        what = ' '.join(part for part in (error.context, error.problem) if part)
        raise ConfigurationError(f'{line}is not YAML: {one_line(what)}') from None
    except (yaml.YAMLError, ValueError) as error:  # a character that may not stand there, a date that is none
        raise ConfigurationError(f'is not YAML: {one_line(str(error))}') from None
    if found is None:
        raise ConfigurationError('is empty')
    return found


def _from_json(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except ValueError as error:  # it tells where, and quotes nothing
        raise ConfigurationError(f'is not JSON: {error}') from None


def _unique(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise ConfigurationError(f'the key {shown(key)} stands twice')
        found[key] = value
    return found
