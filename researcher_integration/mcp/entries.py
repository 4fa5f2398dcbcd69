"""An entry of `mcpServers`, the form in which MCP clients name servers, and what may be wrong with one."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Self

import httpx2
from pydantic import AfterValidator, Field, SecretStr, model_validator

from researcher_integration.config.files import Strict, key_path, shown
from summarizer_tool import ConfigurationError

DEFAULT_TIMEOUT = 30.0
"""Seconds: a search has its answer by then, and a command that is started for the first time is up."""

MAX_TIMEOUT = 600.0
"""Seconds. Other programs write milliseconds there, and 30000 seconds would be a run that hangs."""

DEFAULT_RETRIES = 2

_VARIABLE = re.compile(r'\$\{([^}:]+)(:-([^}]*))?\}')
"""As pydantic-ai's loader knows them."""


def _seconds(timeout: float) -> float:
    if timeout > MAX_TIMEOUT:
        raise ValueError(f'is over {MAX_TIMEOUT:.0f}; it is in seconds')
    return timeout


def _starts_tool_names(name: str) -> str:
    if not re.fullmatch(r'[A-Za-z0-9_-]{1,32}', name):
        raise ValueError('a name has at most 32 letters, digits, _ and -, as it stands before those of tools')
    return name


ServerName = Annotated[str, AfterValidator(_starts_tool_names)]
"""Stands before the names of the tools, which providers allow no other characters."""


class Server(Strict):
    """One entry of `mcpServers`: a server at a URL, or a command that is one on its standard input and output.

    Values may be secrets, so that none is shown.
    """

    url: SecretStr | None = None
    headers: dict[str, SecretStr] | None = None
    command: SecretStr | None = None
    args: tuple[SecretStr, ...] | None = None
    env: dict[str, SecretStr] | None = None
    cwd: SecretStr | None = None
    timeout: Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False), AfterValidator(_seconds)] = DEFAULT_TIMEOUT
    """Seconds, to connect and then for each answer."""
    retries: Annotated[int, Field(strict=True, ge=0, le=10)] = DEFAULT_RETRIES
    """How often in a row a model may try a tool again that the server could not answer for, in the protocol's terms;
    a tool that says itself what is wrong has answered."""

    @model_validator(mode='after')
    def _is_of_one_kind(self) -> Self:
        if (self.url is None) == (self.command is None):
            raise ValueError('needs a url or a command' if self.url is None else 'has a url and a command; give one')
        others = ('args', 'env', 'cwd') if self.url is not None else ('headers',)
        for name in others:
            if getattr(self, name) is not None:
                raise ValueError(f'{name} goes with a {"command" if self.url is not None else "url"}')
        return self

    def filled(self, path: Path, name: str) -> dict[tuple[object, ...], str]:
        """Each text, as the environment has filled it, by where it stands in the entry of this name.

        Raises `ConfigurationError`, with the file and the key, if something is wrong with one of them.
        """
        texts: dict[tuple[object, ...], str] = {}
        for place, text in self._texts():
            if problem := problem_of(text, place, name):
                raise ConfigurationError(f'{path}: {key_path("mcpServers", name, *place)}: {problem}')
            texts[place] = filled(text)
        return texts

    def _texts(self) -> Iterator[tuple[tuple[object, ...], str]]:
        for name, single in (('url', self.url), ('command', self.command), ('cwd', self.cwd)):
            if single is not None:
                yield (name,), single.get_secret_value()
        for index, argument in enumerate(self.args or ()):
            yield ('args', index), argument.get_secret_value()
        for name, named in (('headers', self.headers), ('env', self.env)):
            for key, value in (named or {}).items():
                yield (name, key), value.get_secret_value()


class Servers(Strict):
    """The whole file."""

    servers: Annotated[dict[ServerName, Server], Field(alias='mcpServers')]


def problem_of(text: str, place: tuple[object, ...], name: str) -> str | None:
    """What is wrong with a text in the entry of a server, once the environment has filled it."""
    variables = list(_VARIABLE.finditer(text))
    if '${' in _VARIABLE.sub('', text) or any(not match[1].isidentifier() for match in variables):
        return 'has ${ without the name of a variable and }'
    needed = [match[1] for match in variables if match[2] is None]
    if unset := [variable for variable in needed if not os.environ.get(variable, '').strip()]:
        return f'the environment variable {shown(unset[0])} is not set; set it or remove the server {name!r}'
    whole = filled(text)
    if place == ('url',) and not _is_http(whole):
        return 'must be a URL that begins with http:// or https://'
    if place[0] == 'headers' and not (whole.isascii() and whole.isprintable()):
        return 'has a line break or other characters that no header may have'
    return 'is empty' if not whole and place[0] == 'command' else None


def filled(text: str) -> str:
    """A text with the values of its variables, where `problem_of` finds none."""
    return _VARIABLE.sub(lambda match: os.environ.get(match[1], match[3] or ''), text)


def _is_http(text: str) -> bool:
    try:
        url = httpx2.URL(text)
    except httpx2.InvalidURL:
        return False
    return url.scheme in ('http', 'https') and bool(url.host)
