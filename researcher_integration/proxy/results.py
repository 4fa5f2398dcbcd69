"""What a server returns, as a client gets it: without secrets, framed as data, and no larger than the rules allow."""

import json
import logging
import re
from base64 import b64decode
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import mcp_types as types
from mcp import MCPError
from pydantic import BaseModel, TypeAdapter
from pydantic_ai.messages import ModelMessage, ModelRequest

from researcher_integration.computing import computed_for
from researcher_integration.masking.masking import MaskingError
from researcher_integration.tool_results.called import CalledTool, StoredResult, keep
from researcher_integration.tool_results.observation import BinaryRoom, Observation
from researcher_integration.tool_results.rules import Summarization, ToolResultRules
from researcher_integration.tool_results.summarizing import ResultSummarizer, ResultSummary
from researcher_integration.untrusted.framing import framed
from summarizer_tool import Settings, SourceStore, count_tokens, in_thread, model_id, render_prompt, truncate_tokens

READERS = {name: name for name in ('search_source', 'read_source')}
"""What clients call the tools that show a stored result."""

MAX_META_CHARACTERS = 4_000
"""Of what servers tell programs beside a result. No model should see it, but not every client knows that."""

MAX_ERROR_TOKENS = 1_000

SHARE_OF_CALL = 0.5
"""Of `MCP_TOOL_TIMEOUT`, for one model's try at a summary: clients give a call up about then."""

MAX_AT_ONCE = 10_000  # characters that are searched for secrets on the event loop
FOR_PEOPLE = 'ui://'  # how the addresses of resources begin that are shown, and not read by a model

SAID = frozenset({'text', 'title', 'description', 'name', 'uri'})

FOR_PROGRAMS = frozenset({'_meta', 'metadata'})

STRUCTURES = frozenset({'input', 'structuredContent'})
"""Keys under which a message has arguments and results of tools, in which a key may say that its value is secret."""

Message = TypeVar('Message', bound=BaseModel)

_META = 'summarizer/'

_logger = logging.getLogger('researcher_integration')


@dataclass
class Results:
    """Makes of what servers return what clients get."""

    settings: Settings
    rules: ToolResultRules
    store: SourceStore

    async def called(self, server: str, tool: str, arguments: Mapping[str, Any]) -> CalledTool:
        """A call of a server's tool, with its rules."""
        return await CalledTool(tool, server, self.rules.for_server(server)).given(arguments)

    async def of_tool(
        self, called: CalledTool, result: types.CallToolResult, collection: str, question: str
    ) -> types.CallToolResult:
        """The result of a tool, which is kept in a collection; an error stays one. The client may have a question."""
        # Structured content itself goes no further: models of some clients see it in place of the framed text.
        unsaid = await computed_for(result.structured_content, _unsaid, result)
        content = await self._masked(called, [*result.content, *unsaid])
        shown, figures = await self._shown(called, content, collection, question)
        meta = {**(self.meta(called.server or '', result.meta) or {}), **figures}
        return types.CallToolResult(content=shown, is_error=result.is_error, _meta=meta or None)

    async def of_resource(
        self, called: CalledTool, result: types.ReadResourceResult, uri: str, collection: str
    ) -> types.ReadResourceResult:
        """What was read at an address, texts and binary; what is large is kept in a collection."""
        content = await self._masked(called, [types.EmbeddedResource(resource=each) for each in result.contents])
        # By the address that was asked for: what a server says of its contents could be anything.
        if uri.startswith(FOR_PEOPLE):
            content = self._bounded(content)
        else:
            content, _ = await self._shown(called, content, collection)
        contents = [
            _resource_of(block) or types.TextResourceContents(uri=uri, text=_text_of(block) or '') for block in content
        ]
        return result.model_copy(update={'contents': contents, 'meta': self.meta(called.server or '', result.meta)})

    async def of_prompt(self, called: CalledTool, result: types.GetPromptResult) -> types.GetPromptResult:
        """A prompt, which its user has chosen: without secrets and bounded, but it is no data."""
        masked = await in_thread(self.without_secrets, called.server or '', result)
        messages: list[types.PromptMessage] = []
        for message in masked.messages:
            [block] = self._bounded([message.content])
            messages.append(message.model_copy(update={'content': block}))
        return masked.model_copy(update={'messages': messages})

    async def of_error(self, called: CalledTool, error: MCPError) -> MCPError:
        """An error of the protocol: without secrets, and short."""
        message = truncate_tokens(str(await self.aside(called.server or '', error.message)), MAX_ERROR_TOKENS)
        data = await self.aside(called.server or '', error.error.data)
        is_long = len(json.dumps(data, default=str)) > MAX_META_CHARACTERS
        return MCPError(error.code, message, None if is_long else data)

    async def aside(self, server: str, value: object) -> object:
        """What a server says, without secrets."""
        if len(str(value)) <= MAX_AT_ONCE:  # and waits for no thread, so that nothing overtakes what was said before
            return self.said(server, value)
        return await computed_for(value, self.said, server, value)

    def said(self, server: str, value: object) -> object:
        """What a server says, without secrets; a line that says so where these cannot be looked for."""
        try:
            return self.rules.for_server(server).data_masking.masker.mask_value(value)[0]
        except MaskingError as error:
            _logger.warning('what a server says was withheld', extra={'server': server, 'reason': str(error)})
            return render_prompt('proxy/withheld', server=server)

    def without_secrets(
        self, server: str, message: Message, said: Collection[str] = SAID, *, kept: Collection[str] = ()
    ) -> Message:
        """A message of a server whose texts under these keys are masked, each by itself, and its `_meta` as a whole.

        The rest stays as it is: names, addresses, schemas, what is binary. Where there are keys to be `kept`, all texts
        but those under them are masked, and structures of the server's own as a whole.
        """

        def told(value: object, name: str = '') -> object:
            if name in FOR_PROGRAMS:
                return self.meta(server, value)
            if kept and name in STRUCTURES:
                return self.said(server, value)
            if isinstance(value, dict):
                return {key: told(each, key) for key, each in cast('dict[str, object]', value).items()}
            if isinstance(value, list):
                return [told(each, name) for each in cast('list[object]', value)]
            is_said = name not in kept if kept else name in said
            return self.said(server, value) if is_said and isinstance(value, str) else value

        return type(message).model_validate(told(message.model_dump(by_alias=True, exclude_unset=True)))

    def meta(self, server: str, meta: object) -> dict[str, Any] | None:
        """What is for programs, without secrets and within its limit."""
        if not meta or not isinstance(meta, dict):
            return None
        given = cast('dict[str, Any]', meta)
        if len(json.dumps(given, default=str)) > MAX_META_CHARACTERS:
            return {f'{_META}left_out': sorted(given)[:20]}
        masked = self.said(server, given)
        return cast('dict[str, Any]', masked) if isinstance(masked, dict) else {f'{_META}masked': masked}

    async def frame(self, text: str, tool: str) -> str:
        """The text as data that somebody else wrote, a tool as a rule, unless the rules switch that off."""
        if not self.rules.defaults.framing.enabled:
            return text
        return await computed_for(text, framed, text, tool)

    async def _framed(self, called: CalledTool, block: types.ContentBlock) -> types.ContentBlock:
        if isinstance(block, types.ResourceLink) and block.description:
            return block.model_copy(update={'description': await self.frame(block.description, called.name)})
        text = _text_of(block)
        return block if not text else _with_text(block, await self.frame(text, called.name))

    async def _shown(
        self, called: CalledTool, content: Sequence[types.ContentBlock], collection: str, question: str = ''
    ) -> tuple[list[types.ContentBlock], dict[str, object]]:
        """Content without secrets in frames, within the limits; and of what stands for its text the figures."""
        content = await in_thread(_with_links_as_text, content, called.rules.summarization)
        texts = [text for block in content if (text := _text_of(block)) is not None]
        told, figures = await self._replacement(called, '\n'.join(texts), collection, question)
        rest = [block for block in content if not told or _text_of(block) is None]
        framed_ones = self._bounded([await self._framed(called, block) for block in rest])
        return [*([_text(told)] if told else []), *framed_ones], figures

    def _bounded(self, content: Sequence[types.ContentBlock]) -> list[types.ContentBlock]:
        room = BinaryRoom(self.rules.defaults.max_binary_kb)
        bounded: list[types.ContentBlock] = []
        for block in content:
            data, kind = _binary_of(block)
            size = len(data.rstrip('=')) * 3 // 4
            # Clients write out what is neither image nor sound.
            note = room.refused(kind, size, is_shown=kind.startswith(('image/', 'audio/')))
            bounded.append(_text(note) if note else block)
        return bounded

    async def _masked(self, called: CalledTool, content: Sequence[types.ContentBlock]) -> list[types.ContentBlock]:
        server = called.server or ''
        return await in_thread(lambda: [self.without_secrets(server, block) for block in content])

    async def _replacement(
        self, called: CalledTool, text: str, collection: str, question: str
    ) -> tuple[str, dict[str, object]]:
        """The digest or summary of a text over the threshold, and its figures; empty where it goes on as it is."""
        rules = called.rules.summarization
        original = await computed_for(text, count_tokens, text)
        if not rules.enabled or original <= rules.size_threshold_tokens:
            return '', {}
        seen = Observation.of(text)
        readable, whole = await computed_for(text, seen.texts)
        kept_in = self.store.collection(collection)
        source_id = await keep(kept_in, called.title, whole)
        asked: list[ModelMessage] = [ModelRequest.user_text_prompt(question)] if question else []
        focus = await called.focus(asked)
        if asked:  # by its own words it says what is wanted; those of the arguments stand in every line, as a rule
            focus = replace(focus, words=(await replace(called, arguments=None).focus(asked)).words)
        request = called.request(readable, focus, self.settings.mcp_tool_timeout * SHARE_OF_CALL)
        candidates = [rules.model or model_id(self.settings), *self.rules.defaults.fallback_models]

        async def summarize() -> ResultSummary:
            made = await ResultSummarizer(self.settings, kept_in, request).summarize(candidates)
            return made.model_copy(update={'text': await self.frame(made.text, called.name)}) if made.text else made

        kept = StoredResult(called.name, original, source_id, READERS)
        found, made = await called.summarized(seen, kept, summarize)
        if not made.text:
            return '', {}
        figures = {'source_id': source_id, 'original_tokens': original, 'state': made.state, 'model': made.model}
        return Observation.of(found).text, {f'{_META}{name}': value for name, value in figures.items()}


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _with_links_as_text(content: Sequence[types.ContentBlock], rules: Summarization) -> Sequence[types.ContentBlock]:
    """Content whose links are a line of text each where there are so many that they, too, have to be summarized."""
    lines = {
        place: _as_json(block.model_dump(exclude={'type', 'meta', 'icons'}, exclude_none=True, mode='json'))
        for place, block in enumerate(content)
        if isinstance(block, types.ResourceLink)
    }
    links = count_tokens('\n'.join(lines.values()))
    if links <= rules.summary_max_token_limit or not rules.enabled:
        return content
    return [_text(lines[place]) if place in lines else block for place, block in enumerate(content)]


def _text(text: str) -> types.TextContent:
    return types.TextContent(text=text)


def _resource_of(block: types.ContentBlock) -> types.TextResourceContents | types.BlobResourceContents | None:
    return block.resource if isinstance(block, types.EmbeddedResource) else None


def _text_of(block: types.ContentBlock) -> str | None:
    if isinstance(block, types.TextContent):
        return block.text
    resource = _resource_of(block)
    return resource.text if isinstance(resource, types.TextResourceContents) else None


def _with_text(block: types.ContentBlock, text: str) -> types.ContentBlock:
    if isinstance(block, types.EmbeddedResource):
        return block.model_copy(update={'resource': block.resource.model_copy(update={'text': text})})
    return block.model_copy(update={'text': text})


def _binary_of(block: types.ContentBlock) -> tuple[str, str]:
    """Binary content as it is written, and of which kind it is; two empty texts for all other content."""
    if isinstance(block, types.ImageContent | types.AudioContent):
        return block.data, block.mime_type
    resource = _resource_of(block)
    if isinstance(resource, types.BlobResourceContents):
        return resource.blob, resource.mime_type or 'a file'
    return '', ''


def _unsaid(result: types.CallToolResult) -> Sequence[types.ContentBlock]:
    """What structured content says and the blocks do not: as a rule servers repeat it in them."""
    structured: object = result.structured_content
    wrapped: object = None
    if isinstance(structured, dict) and len(fields := cast('dict[str, object]', structured)) == 1:
        [wrapped] = fields.values()
    texts = [text for block in result.content if (text := _text_of(block)) is not None]
    values: list[object] = []
    for text in texts:
        try:
            values.append(json.loads(text))
        except (ValueError, RecursionError):
            values.append(text)
    if any(value in (structured, wrapped) for value in [*values, values, ''.join(texts)] if value is not None):
        return []
    said = [*texts, *(data for block in result.content if (data := _binary_of(block)[0]))]
    files: list[types.ContentBlock] = []
    rest = _rest(cast('object', structured), said, files)
    return files if rest is None else [*files, _text(_as_json(rest))]


_FILE = TypeAdapter[types.ImageContent | types.AudioContent](types.ImageContent | types.AudioContent)
_MIME_TYPE = re.compile(r'(?:image|audio)/[\w.+-]+')  # with no word to a model behind it
_OF_FILE = {'type', *types.ImageContent(data='', mime_type='').model_dump(by_alias=True)}
_CONTENT = {'text': 'text', 'image': 'data', 'audio': 'data'}
"""The keys under which blocks of these types have what they say."""


def _rest(value: object, said: Collection[str], files: list[types.ContentBlock]) -> object:
    """What structured content has besides blocks that have been said already, if anything; its images are `files`."""
    if isinstance(value, list):
        items = cast('list[object]', value)
        kept = [rest for each in items if (rest := _rest(each, said, files)) is not None or each is None]
        return kept if kept or not items else None
    if not isinstance(value, dict):
        return value
    fields = cast('dict[str, object]', value)
    if fields.get(_CONTENT.get(str(fields.get('type')), '')) in said:
        return None
    if fields.get('type') in ('image', 'audio'):
        with suppress(ValueError):  # it is text, which may say anything
            file = _FILE.validate_python(fields)
            if _MIME_TYPE.fullmatch(file.mime_type) and b64decode(file.data, validate=True):
                files.append(file)
                fields = {key: each for key, each in fields.items() if key not in _OF_FILE}  # as its caption
                if not fields:
                    return None
    left = {key: rest for key, each in fields.items() if (rest := _rest(each, said, files)) is not None or each is None}
    return left if left or not fields else None
