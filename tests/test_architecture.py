"""Imports go one way, and prompts live in files."""

import ast
from pathlib import Path

import summarizer_tool

PACKAGE = Path(__file__).parents[1] / 'summarizer_tool'


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
            if node.module == 'summarizer_tool':
                found |= {alias.name for alias in node.names}
            elif node.module.startswith('summarizer_tool.'):
                found.add(node.module.split('.')[1])
        assert not (isinstance(node, ast.ImportFrom) and (node.module or '').startswith('researcher_integration'))
    return found & {module.stem for module in PACKAGE.glob('*.py')}


def test_imports_have_no_cycle() -> None:
    graph = {path.stem: imported(path) for path in PACKAGE.glob('*.py') if path.stem not in ('__init__', '__main__')}
    done: set[str] = set()
    while graph:
        free = {module for module, needs in graph.items() if needs <= done}
        assert free, f'imports go round in a circle among {sorted(graph)}'
        done |= free
        graph = {module: needs for module, needs in graph.items() if module not in done}


def test_the_lowest_modules_know_none_of_the_engine() -> None:
    for module in ('settings', 'tokens', 'schemas', 'errors', 'names'):
        assert imported(PACKAGE / f'{module}.py') <= {'errors', 'settings'}, module
    for path in PACKAGE.glob('*.py'):
        above = path.stem in ('__init__', '__main__', 'cli', 'service', 'toolset') or path.stem.startswith('server')
        if not above and path.stem != 'summarizer':
            assert not imported(path) & {'summarizer', 'service'}, path.stem
        if path.stem not in ('__init__', '__main__', 'cli') and not path.stem.startswith('server'):
            assert not {module for module in imported(path) if module.startswith(('server', 'toolset'))}, path.stem


def test_the_integration_uses_only_what_the_package_exports() -> None:
    for path in (PACKAGE.parent / 'researcher_integration').glob('**/*.py'):
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
            if isinstance(node, ast.ImportFrom) and (node.module or '').startswith('summarizer_tool'):
                assert node.module == 'summarizer_tool', path
                assert {alias.name for alias in node.names} <= set(summarizer_tool.__all__), path
            if isinstance(node, ast.Import):
                assert not any(alias.name.startswith('summarizer_tool.') for alias in node.names), path


def test_no_long_text_for_a_model_stands_in_python() -> None:
    for path in (*PACKAGE.glob('*.py'), *(PACKAGE.parent / 'researcher_integration').glob('**/*.py')):
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
