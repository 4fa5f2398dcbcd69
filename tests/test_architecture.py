"""What the import contracts of `make lint` do not see: exported names, unique class names, and prompts in files."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import researcher_integration
import summarizer_tool

REPOSITORY = Path(__file__).parents[1]
PACKAGES = ('summarizer_tool', 'researcher_integration')
LAZY = {f'{package}/__init__.py' for package in PACKAGES}
"""They import a public name when it is first asked for."""

SENTENCES = re.compile(r'[a-z)`][.!?]\s+[A-Z`][a-z]')
"""The end of a sentence and the beginning of another."""


@cache
def trees() -> dict[str, ast.Module]:
    """Of both packages by path."""
    return {
        path.relative_to(REPOSITORY).as_posix(): ast.parse(path.read_text(encoding='utf-8'))
        for package in PACKAGES
        for path in sorted((REPOSITORY / package).rglob('*.py'))
    }


@cache
def strings() -> list[tuple[str, int, str]]:
    """Path, line and text of each string that is more than a docstring; what an f-string fills in is left out."""
    return [(path, *found) for path, tree in trees().items() for found in strings_of(tree)]


def strings_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    kinds = (ast.Expr, ast.JoinedStr, ast.Constant)
    nodes = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    loose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    loose |= {id(value) for node in nodes if isinstance(node, ast.JoinedStr) for value in node.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, ''.join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in loose:
            yield node.lineno, node.value


def test_the_integration_uses_only_what_the_package_exports() -> None:
    wrong: list[str] = []
    for path, tree in trees().items():
        if not path.startswith('researcher_integration/'):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or '').split('.')[0] == 'summarizer_tool':
                names = {alias.name for alias in node.names}
                if node.module != 'summarizer_tool' or not names <= set(summarizer_tool.__all__):
                    wrong.append(f'{path}:{node.lineno}')
            elif isinstance(node, ast.Import):
                wrong += [f'{path}:{node.lineno}' for alias in node.names if alias.name.startswith('summarizer_tool.')]
    assert wrong == []


@pytest.mark.parametrize('package', [summarizer_tool, researcher_integration], ids=PACKAGES)
def test_packages_export_names_and_no_modules(package: object) -> None:
    exported: list[str] = package.__all__  # pyright: ignore[reportAttributeAccessIssue]
    assert [name for name in exported if inspect.ismodule(getattr(package, name))] == []
    assert len(exported) == len(set(exported))


def test_a_class_name_occurs_once() -> None:
    places: dict[str, list[str]] = {}
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(path)
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_own_modules_are_not_imported_by_string() -> None:
    """A contract sees imports, not names in strings: the two lists of public names are the only ones."""
    modules = {path.removesuffix('.py').replace('/', '.').removesuffix('.__init__') for path in trees()}
    named = [
        f'{path}:{line} {text}'
        for path, line, text in strings()
        if path not in LAZY
        if '.' in text and text.strip('.').partition(':')[0] in modules
    ]
    assert named == []


def test_text_for_a_model_stands_in_prompts() -> None:
    """In Python a string is a name, a pattern or one sentence: instructions and descriptions are files."""
    assert [
        f'{path}:{line} {text[:80]!r}' for path, line, text in strings() if 'You are ' in text or SENTENCES.search(text)
    ] == []
