"""Which servers stand behind the proxy: a command, a URL, or the `mcpServers` of a client's file."""

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import httpx2
from pydantic import BeforeValidator, ConfigDict, Field, field_validator

from researcher_integration.config.files import Strict, read_json, read_mapping
from researcher_integration.mcp.search_servers import Server, ServerName
from researcher_integration.proxy import guard
from summarizer_tool import ConfigurationError, Settings

OF_THE_PROXY = frozenset(str(field.validation_alias) for field in Settings.model_fields.values())
"""Variables that are the proxy's own: keys of its models and tokens of its clients are no business of a server."""


def _enabled(entries: object) -> object:
    if not isinstance(entries, dict):
        return entries
    given = cast('dict[str, Any]', entries)
    disabled = {name for name, each in given.items() if isinstance(each, dict) and cast('Any', each).get('disabled')}
    return {name: given[name] for name in given if name not in disabled}


class ProxiedEntry(Server):
    """An entry of a client's file. Clients have keys of their own in there, which are left aside."""

    model_config = ConfigDict(extra='ignore')

    type: str | None = None

    @field_validator('type')
    @classmethod
    def _is_spoken(cls, value: str | None) -> str | None:
        if value is not None and value.lower().replace('_', '-') not in ('stdio', 'http', 'streamable-http'):
            raise ValueError(f'{value[:40]!r} is not spoken here; a server is reached by stdio or streamable HTTP')
        return value


class ProxiedEntries(Strict):
    """A client's file; of all that may be in it the servers are read that are not disabled."""

    model_config = ConfigDict(extra='ignore')

    servers: Annotated[dict[ServerName, ProxiedEntry], BeforeValidator(_enabled), Field(alias='mcpServers')]


@dataclass(frozen=True, slots=True)
class ProxiedServer:
    """One server behind the proxy."""

    name: str
    entry: ProxiedEntry

    def guarded(self) -> Sequence[str]:
        """The command, under a guard that ends it with the proxy; raises `FileNotFoundError` if there is no program."""
        program, env, cwd = self.entry.command or '', self.entry.env or {}, self.entry.cwd
        path = env.get('PATH', os.environ.get('PATH'))
        found = shutil.which(program, path=path) or (cwd and shutil.which(str(Path(cwd, program))))
        if not found:
            where = 'on the PATH' if Path(program).name == program else f'in {Path(cwd or "", program).parent}'
            raise FileNotFoundError(f'there is no program {Path(program).name!r} {where}')
        command = [found, *(self.entry.args or ())]
        if os.name != 'posix':  # the SDK puts it into a job there, which ends with the proxy
            return command
        return [sys.executable, '-I', '-S', str(Path(guard.__file__)), str(os.getpid()), *command]


def from_file(path: Path) -> list[ProxiedServer]:
    """The servers of a file with `mcpServers` that are not disabled; raises `ConfigurationError` if none can be had."""
    entries = read_json(path, ProxiedEntries).servers
    if not entries:
        raise ConfigurationError(f'{path}: mcpServers names no server that is not disabled')
    return [ProxiedServer(name, entry) for name, entry in entries.items()]


def from_command(
    command: Sequence[str], name: str | None = None, variables: Mapping[str, str] = os.environ
) -> ProxiedServer:
    """A server that is started with the variables of the proxy; its name is by default that of the program."""
    env = {variable: value for variable, value in variables.items() if variable.upper() not in OF_THE_PROXY}
    # As they are: what looks like a variable in them is none of ours.
    entry = ProxiedEntry.model_construct(command=command[0], args=tuple(command[1:]), env=env)
    return ProxiedServer(name or Path(command[0]).stem, entry)


def from_url(url: str, headers: Sequence[str], name: str | None = None) -> ProxiedServer:
    """A server at a URL, with `${VARIABLE}`s as in a file, and headers `Name: value`; by default called by its host."""
    given: dict[str, str] = {}
    for header in headers:
        title, colon, value = (part.strip() for part in header.partition(':'))
        if not colon or not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", title, re.ASCII):
            raise ConfigurationError('--header: must be a name and a value with a colon between them')
        given[title] = value
    entry = read_mapping({'url': url, 'headers': given}, ProxiedEntry, '--url and --header')
    return ProxiedServer(name or httpx2.URL(entry.url or '').host, entry)
