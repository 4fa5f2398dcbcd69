"""What the pages of the documentation show: their fenced blocks, and what these print when they are run.

`python -m tests.support.documentation PAGE…` runs the blocks of each page in order, in a folder of the page's own that
has the sample texts, and writes what each printed as JSON. One process does it for all pages: imports cost most.
"""

import contextlib
import gc
import io
import json
import os
import re
import runpy
import shlex
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support import forking

ROOT = Path(__file__).parents[2]

PAGES = (ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md')))

CUT = '…'
"""On a line of its own, lines that are not shown; within a line, what differs from run to run."""

_FENCE = re.compile(
    r'^(?P<indent> *)```(?:\{ \.)?(?P<language>\w+)[^\n]*\n(?P<code>.*?)^(?P=indent)```$', re.DOTALL | re.MULTILINE
)
_ELSEWHERE = re.compile(r'https?://|\bserve\b|\bbatch\b|\bworker\b|\bproxy\b|--search\b|--model (?!extractive)')
"""What goes to the network, asks a model, starts processes, or does not end."""

_INCLUDED = re.compile(r'--8<-- "([^"]+)"')
"""A block that mkdocs fills with a file."""

_EXIT_CODE = re.compile(r'echo \$\?')


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page."""

    page: str
    """Its path in the repository."""
    language: str
    code: str
    start: int
    """Where the code begins in the page, in characters."""
    end: int
    indent: str = ''
    is_output: bool = False
    """Whether it is what the block before it prints."""

    @property
    def name(self) -> str:
        """Where it stands, for a person."""
        text = (ROOT / self.page).read_text(encoding='utf-8')
        return f'{self.page}:{text.count(chr(10), 0, self.start)}'


@dataclass(frozen=True, slots=True)
class Command:
    """A line of a console block, and what is shown under it."""

    line: str
    """As it stands, with what it goes on with after a backslash."""
    shown: str

    @property
    def words(self) -> list[str]:
        """As a shell reads it, without a comment."""
        return shlex.split(self.line.replace('\\\n', ' '), comments=True)

    @property
    def runs(self) -> bool:
        """Whether it is run here: the package's own programs, where they need no network and come to an end."""
        return self.words[0] in ('summarizer', 'lore-research') and not _ELSEWHERE.search(self.line)


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding='utf-8')
    found: list[Block] = []
    for match in _FENCE.finditer(text):
        follows = (
            bool(found) and found[-1].language == 'python' and not text[found[-1].end : match.start()].strip(' \n`')
        )
        found.append(
            Block(
                str(page.relative_to(ROOT)),
                match['language'],
                textwrap.dedent(match['code']),
                match.start('code'),
                match.end('code'),
                match['indent'],
                is_output=follows and match['language'] == 'text',
            )
        )
    return found


def commands(code: str) -> list[Command]:
    """The commands of a console block, with what is shown under each."""
    found: list[Command] = []
    for part in re.split(r'^\$ ', code, flags=re.MULTILINE)[1:]:
        line, rest = re.match(r'((?:[^\n]*\\\n)*[^\n]*)\n?(.*)', part, re.DOTALL).groups()
        found.append(Command(line, rest))
    return found


def matches(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed."""
    pattern = ''.join(
        r'(?:.*\n)*?' if line == CUT else re.escape(line).replace(CUT, '.*') + r'\n' for line in _lines(shown)
    )
    return re.fullmatch(pattern, ''.join(f'{line}\n' for line in _lines(printed))) is not None


def rebuilt(block: Block, printed: Sequence[Sequence[str]], number: int) -> str:
    """A block as it is to be: the same, unless something else was printed than it shows.

    Args:
        block: Of a page.
        printed: What the blocks of the page printed, as `run_page` gives it.
        number: Of the block in the page, from 0.
    """
    if block.is_output:
        return renewed(block.code, printed[number - 1][0])
    if block.language != 'console':
        return block.code
    pairs = zip(commands(block.code), printed[number], strict=True)
    return ''.join(f'$ {command.line}\n{renewed(command.shown, text)}' for command, text in pairs)


def renewed(shown: str, printed: str) -> str:
    """What a page is to show: what was printed, cut where it was cut before."""
    if matches(shown, printed):
        return shown
    before, lines = _lines(shown), _lines(printed)
    if CUT in before:
        head, tail = before.index(CUT), before[::-1].index(CUT)
        lines = [*lines[:head], CUT, *lines[len(lines) - tail :]]
    partly = [line for line in before if CUT in line and line != CUT]
    return ''.join(f'{next((old for old in partly if matches(old, line)), line)}\n' for line in lines)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip('\n').splitlines()]


def run_page(page: Path) -> list[list[str]]:
    """Run the blocks of a page in order.

    Returns:
        For each block what it printed: of a Python block one text, of a console block one for each command.
    """
    printed: list[list[str]] = []
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path('examples').symlink_to(ROOT / 'examples')
        for number, block in enumerate(blocks(page)):
            if block.language == 'python':
                script = Path(f'example_{number}.py')
                if included := _INCLUDED.fullmatch(block.code.strip()):
                    script = ROOT / included[1]
                else:
                    script.write_text(block.code, encoding='utf-8')
                printed.append([_printed(script)])
            elif block.language == 'console':
                printed.append(_typed(block.code))
            else:
                printed.append([])
    os.environ.clear()
    os.environ.update(before)
    return printed


def _printed(script: Path) -> str:
    """What a script writes to stdout; logs are another matter."""
    with _terminal() as terminal, contextlib.redirect_stderr(_Terminal()):
        runpy.run_path(str(script), run_name='__main__')
        gc.collect()  # what a script leaves to the end of its process says so now
    return terminal.text


def _typed(code: str) -> list[str]:
    printed: list[str] = []
    code_before = 0
    for command in commands(code):
        words = command.words
        if words[0] == 'export':
            name, _, value = words[1].partition('=')
            os.environ[name] = value
            printed.append('')
        elif _EXIT_CODE.fullmatch(command.line.strip()):
            printed.append(f'{code_before}\n')
        elif command.runs:
            code_before, text = _called(words)
            printed.append(text)
        else:
            printed.append(command.shown)
    return printed


def _called(words: list[str]) -> tuple[int, str]:
    """Call a program of this package with its arguments, in this process."""
    from researcher_integration.lore.cli import main as lore_research
    from summarizer_tool.cli.main import main as summarizer

    program, *arguments = words
    standard_input = ''
    if '<' in arguments:
        at = arguments.index('<')
        standard_input = Path(arguments[at + 1]).read_text(encoding='utf-8')
        del arguments[at : at + 2]
    arguments = [
        name
        for argument in arguments
        for name in (sorted(map(str, Path().glob(argument))) if '*' in argument else [argument])
    ]
    sys.argv = [program, *arguments]
    status = 0
    sys.stdin = io.TextIOWrapper(io.BytesIO(standard_input.encode()), encoding='utf-8')
    with _terminal() as terminal:
        try:
            (summarizer if program == 'summarizer' else lore_research)()
        except SystemExit as ending:
            status = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    return status, terminal.text


class _Terminal(io.TextIOWrapper):
    def __init__(self) -> None:
        self.bytes = io.BytesIO()
        super().__init__(self.bytes, encoding='utf-8', write_through=True)

    def fileno(self) -> int:
        """Of the real stderr, for the processes that an example starts."""
        return 2

    @property
    def text(self) -> str:
        self.flush()
        return self.bytes.getvalue().decode()


@contextlib.contextmanager
def _terminal() -> Iterator[_Terminal]:
    """Where stdout and stderr arrive in the order in which they are written."""
    terminal = _Terminal()
    with contextlib.redirect_stdout(terminal), contextlib.redirect_stderr(terminal):
        yield terminal


def main() -> None:
    """Run pages, and write what each of their blocks printed, or the error that ended one."""
    import pydantic_ai.models

    import researcher_integration

    for name in researcher_integration.__all__:  # frames are registered before any example writes one
        getattr(researcher_integration, name)

    pydantic_ai.models.ALLOW_MODEL_REQUESTS = False
    with tempfile.TemporaryDirectory() as folder:
        sys.executable = str(forking.program(Path(folder), 'python'))  # for those that start a server
        results = {name: run_page(ROOT / name) for name in sys.argv[1:]}
    sys.stdout.write(json.dumps(results))


if __name__ == '__main__':
    main()
