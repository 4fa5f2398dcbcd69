"""What does not come with `pip install summarizer-tool`, and the error that names the extra which brings it."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from importlib import import_module

from summarizer_tool.errors import ConfigurationError

EXTRAS = {
    'anthropic': 'anthropic',
    'dbos': 'batch',
    'fastmcp': 'tool-results',
    'groq': 'groq',
    'logfire': 'telemetry',
    'lxml': 'web',
    'lxml_html_clean': 'web',
    'mammoth': 'documents',
    'mcp': 'server',
    'mcp_types': 'server',
    'mistralai': 'mistral',
    'numpy': 'embeddings',
    'openai': 'openai',
    'platformdirs': 'server',
    'psycopg': 'batch',
    'pypdfium2': 'documents',
    'pythonjsonlogger': 'telemetry',
    'rich': 'cli',
    'sqlalchemy': 'batch',
    'sse_starlette': 'server',
    'starlette': 'server',
    'trafilatura': 'web',
    'typer': 'cli',
    'uvicorn': 'server',
    'wordllama': 'wordllama',
}
"""The extra of each importable package that belongs to one."""


class MissingExtraError(ConfigurationError, ImportError):
    """A package that only some users need is not installed; names the extra that brings it."""


@contextmanager
def naming_extra(whole: str = '') -> Generator[None]:
    """Turn a missing package of an extra into a `MissingExtraError`, which names the extra; else it is raised as it is.

    `whole` is the extra that has all that the block needs, instead of that of the package.
    """
    try:
        yield
    except ImportError as error:
        package = missing_package(error)
        if package not in EXTRAS or (isinstance(error, MissingExtraError) and not whole):
            raise
        install = f'pip install "summarizer-tool[{whole or EXTRAS[package]}]"'
        raise MissingExtraError(f'{package} is not installed: {install}', name=package) from error


def missing_package(error: BaseException | None) -> str:
    """The package that was not found, or nothing; pydantic-ai tells of some in errors of its own."""
    while error:
        if isinstance(error, ModuleNotFoundError) and error.name:
            return error.name.partition('.')[0]
        error = error.__cause__
    return ''


def requirement(error: ImportError, otherwise: str) -> str:
    """What to install where importing a package of a model has failed; `otherwise`: an extra of pydantic-ai-slim."""
    extra = EXTRAS.get(missing_package(error))
    return f'summarizer-tool[{extra}]' if extra else f'pydantic-ai-slim[{otherwise}]'


def lazy_names(package: str, file: str) -> Callable[[str], object]:
    """The `__getattr__` of a package that imports a name when it is first asked for, `__all__` included.

    Which names there are, its `__init__.py` says, as type checkers read it: `from a.module import build as
    build_model`, a line each; it is read when the first of them is asked for. `__getattr__` raises `MissingExtraError`
    if a package of an extra is missing.
    """

    @cache
    def places() -> dict[str, tuple[str, str]]:
        with open(file, encoding='utf-8') as text:  # noqa: PTH123 - pathlib takes longer to import than all of this
            lines = [line.split() for line in text]
        return {words[5]: (words[1], words[3]) for words in lines if words[:1] == ['from'] and words[4:5] == ['as']}

    def is_there(name: str) -> bool:
        try:
            return get(name) is not None
        except MissingExtraError:  # which an import of all names is not to fail for
            return False

    def get(name: str) -> object:
        if name == '__version__':
            from importlib.metadata import version

            return version('summarizer-tool')
        if name == '__all__':
            return [*filter(is_there, places()), '__version__']
        if name not in places():
            raise AttributeError(f'module {package!r} has no attribute {name!r}')
        module, own = places()[name]
        with naming_extra():
            value = getattr(import_module(module), own)
        setattr(sys.modules[package], name, value)
        return value

    return get
