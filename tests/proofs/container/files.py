"""Dockerfile, docker-compose.yml and .dockerignore, read as far as they go here."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
SERVICE = 'mcp-summarizer'


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction of a Dockerfile."""

    name: str
    arguments: str

    @property
    def words(self) -> list[str]:
        """The arguments without flags, from the JSON form or the plain one."""
        text = self.without_flags
        return json.loads(text) if text.startswith('[') else text.split()

    @property
    def without_flags(self) -> str:
        """The arguments after any `--flag=value`."""
        return re.sub(r'^(--[a-z-]+=\S+\s+)+', '', self.arguments)

    @property
    def flags(self) -> dict[str, str]:
        """The `--flag=value` before the arguments."""
        before = self.arguments[: len(self.arguments) - len(self.without_flags)]
        return dict(re.findall(r'--([a-z-]+)=(\S+)', before))


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage: what it starts from, and its instructions."""

    base: str
    name: str
    steps: list[Step] = field(default_factory=list[Step])

    def all(self, name: str) -> list[Step]:
        """The instructions of this name, in order."""
        return [step for step in self.steps if step.name == name]

    def last(self, name: str) -> Step:
        """The instruction of this name that counts."""
        return self.all(name)[-1]

    @property
    def environment(self) -> dict[str, str]:
        """What its ENV instructions set; `$PATH` is left as it is."""
        return {
            name: value for step in self.all('ENV') for name, _, value in (word.partition('=') for word in step.words)
        }

    @property
    def health_command(self) -> list[str]:
        """The program of its HEALTHCHECK, and the arguments."""
        name, _, command = self.last('HEALTHCHECK').without_flags.partition(' ')
        assert name == 'CMD', name
        return json.loads(command)


def stages(dockerfile: str) -> list[Stage]:
    """Read a Dockerfile with continued lines and comments; without heredocs, ARG and ONBUILD."""
    found: list[Stage] = []
    text = re.sub(r'^\s*#.*\n', '', dockerfile, flags=re.MULTILINE)
    for line in re.sub(r'\\\n\s*', '', text).splitlines():
        name, _, arguments = line.strip().partition(' ')
        if name == 'FROM':
            base, _, alias = arguments.partition(' AS ')
            found.append(Stage(base, alias))
        elif name:
            found[-1].steps.append(Step(name, arguments.strip()))
    return found


def compose_values(text: str) -> dict[str, str]:
    """Every scalar of a block-style YAML file by its path: `services.web.ports.0`; flow sequences stay text."""
    values: dict[str, str] = {}
    path: list[tuple[int, str]] = []  # the keys that are open, with their columns
    for line in text.splitlines():
        body = line.lstrip(' ')
        if not body or body.startswith('#'):
            continue
        column = len(line) - len(body)
        for key, value, at in _pairs(body, column):
            while path and path[-1][0] >= at:
                path.pop()
            if key == '-':
                parent = '.'.join(name for _, name in path)
                key = str(
                    len({name.split('.')[parent.count('.') + 1] for name in values if name.startswith(f'{parent}.')})
                )
            path.append((at, key))
            if value:
                values['.'.join(name for _, name in path)] = value
    return values


def _pairs(body: str, column: int) -> Iterator[tuple[str, str, int]]:
    """Key, value (empty where deeper lines follow) and column of what stands on one line."""
    if body.startswith('- '):
        is_mapping = re.match(r'[\w-]+:( |$)', body[2:])
        yield '-', '' if is_mapping else body[2:].strip(), column
        if is_mapping:
            yield from _pairs(body[2:], column + 2)
        return
    key, _, value = body.partition(':')
    yield key, value.strip(), column


def service_environment(values: dict[str, str]) -> dict[str, str]:
    """What the compose file sets for the service, with `${NAME:-default}` at its default."""
    prefix = f'services.{SERVICE}.environment.'
    return {
        name.removeprefix(prefix): re.sub(r'\$\{\w+:-([^}]*)\}', r'\1', value)
        for name, value in values.items()
        if name.startswith(prefix)
    }


def in_context(path: str, ignore: Sequence[str]) -> bool:
    """Whether the builder gets a file, by the lines of `.dockerignore`; the last that fits decides.

    Args:
        path: Relative to the repository.
        ignore: Its lines; patterns of one folder level, and `**/name`.
    """
    taken = True
    for line in ignore:
        pattern = line.removeprefix('!')
        if not pattern or pattern.startswith('#'):
            continue
        parts = path.split('/')
        if pattern.startswith('**/'):
            fits = any(fnmatch(part, pattern[3:]) for part in parts)
        else:
            fits = any(fnmatch('/'.join(parts[:depth]), pattern) for depth in range(1, len(parts) + 1))
        if fits:
            taken = line.startswith('!')
    return taken


def read(name: str) -> str:
    """A file of the repository."""
    return (REPOSITORY / name).read_text('utf-8')
