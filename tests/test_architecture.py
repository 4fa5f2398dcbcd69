"""Imports go one way, and prompts live in files."""

import ast
from pathlib import Path

import summarizer_tool

PACKAGE = Path(__file__).parents[1] / 'summarizer_tool'


MODULES = {
    '.'.join(path.relative_to(PACKAGE).with_suffix('').parts).removesuffix('.__init__'): path
    for path in PACKAGE.glob('**/*.py')
}
"""Paths by module, without the name of the package; of a folder's own module its name."""


def imported(path: Path) -> set[str]:
    """The modules of the package that a module imports, at its top or inside functions; not for types alone."""
    tree = ast.parse(path.read_text(encoding='utf-8'))
    only_types = {
        id(node)
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and isinstance(test.test, ast.Name) and test.test.id == 'TYPE_CHECKING'
        for node in ast.walk(test)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and id(node) not in only_types:
            package, _, module = node.module.partition('.')
            if package == 'summarizer_tool':
                named = {f'{module}.{alias.name}'.removeprefix('.') for alias in node.names}
                # What is no module is a name in the one before it.
                found |= named if named <= MODULES.keys() else {module, *named}
        assert not (isinstance(node, ast.ImportFrom) and (node.module or '').startswith('researcher_integration'))
    return found & MODULES.keys() - {'__init__'}


def test_imports_have_no_cycle() -> None:
    graph = {name: imported(path) for name, path in MODULES.items() if name not in ('__init__', '__main__')}
    done: set[str] = set()
    while graph:
        free = {module for module, needs in graph.items() if needs <= done}
        assert free, f'imports go round in a circle among {sorted(graph)}'
        done |= free
        graph = {module: needs for module, needs in graph.items() if module not in done}


def test_the_lowest_modules_know_none_of_the_engine() -> None:
    for module in ('settings', 'tokens', 'schemas', 'errors', 'names'):
        assert imported(PACKAGE / f'{module}.py') <= {'errors', 'settings'}, module
    for name, path in MODULES.items():
        above = name in ('__init__', '__main__', 'cli', 'service', 'retrieval', 'toolset') or name.startswith(
            ('server', 'cli_')
        )
        if not above and name != 'summarizer':
            assert not imported(path) & {'summarizer', 'service', 'retrieval'}, name
        if name not in ('__init__', '__main__', 'cli') and not name.startswith(('server', 'cli_')):
            assert not {module for module in imported(path) if module.startswith(('server', 'toolset'))}, name


def test_the_integration_uses_only_what_the_package_exports() -> None:
    for path in (PACKAGE.parent / 'researcher_integration').glob('**/*.py'):
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
            if isinstance(node, ast.ImportFrom) and (node.module or '').startswith('summarizer_tool'):
                assert node.module == 'summarizer_tool', path
                assert {alias.name for alias in node.names} <= set(summarizer_tool.__all__), path
            if isinstance(node, ast.Import):
                assert not any(alias.name.startswith('summarizer_tool.') for alias in node.names), path


def test_no_long_text_for_a_model_stands_in_python() -> None:
    for path in (*MODULES.values(), *(PACKAGE.parent / 'researcher_integration').glob('**/*.py')):
        tree = ast.parse(path.read_text(encoding='utf-8'))
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                assert 'You are ' not in node.value, f'{path.name}:{node.lineno}'
