"""Render the prompts in `prompts/*.md`, with everything untrusted framed as data.

A template's `{{name}}` is replaced in one pass over the template, so braces and tags in what is put in change
nothing, and `prompt_tags.wrap` escapes whatever in the text could open or close a frame.
"""

import hashlib
import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import regex

from summarizer_tool import schema_hint
from summarizer_tool.prompt_tags import PromptTag, register_tag, wrap

SOURCE_TAG = register_tag('source')
FACTS_TAG = register_tag('facts')
MISSING_TAG = register_tag('missing')
FOCUS_TAG = register_tag('focus_areas')
SCHEMA_TAG = register_tag('schema_hint')
TOPICS_TAG = register_tag('topics')

_PLACEHOLDER = regex.compile(r'\{\{(\w+)\}\}')
_ENTITY = regex.compile(r'&(?=(?:amp;)*lt;)')
_ESCAPED_ENTITY = regex.compile(r'&amp;(?=(?:amp;)*lt;)')
_HERE = Path(__file__).parent


@cache
def folder() -> Path:
    """Where the prompts are: beside the modules in an installed package, beside the package in a checkout."""
    installed = _HERE / 'prompts'
    return installed if installed.is_dir() else _HERE.parent / 'prompts'


@cache
def load(name: str) -> str:
    """The text of `prompts/{name}.md`; raises `FileNotFoundError` if the installation has none."""
    return (folder() / f'{name}.md').read_text(encoding='utf-8').strip()


@cache
def version() -> str:
    """A short hash over all prompts; it changes when any of them does."""
    digest = hashlib.sha256()
    for path in sorted(folder().glob('*.md')):
        digest.update(path.name.encode() + b'\0' + path.read_bytes() + b'\0')
    return digest.hexdigest()[:12]


def render(name: str, /, **values: str) -> str:
    """Fill a template's placeholders, once and literally; raises `KeyError` if `values` lacks one."""
    return fill(load(name), **values)


def fill(template: str, /, **values: str) -> str:
    """Put values into a template's `{{name}}`s, once and literally: what is put in is not looked at again."""
    return _PLACEHOLDER.sub(lambda match: values[match.group(1)], template).strip()


_TOOL = regex.compile(
    r'# (?P<title>.+)\n(?P<description>(?s:.+?))\n(?:## When\s+(?P<when>.+)\s+)?## Parameters\n(?P<parameters>(?s:.+))'
)
_PARAMETER = regex.compile(r'^- (\w+): (.+)$', regex.MULTILINE)


@dataclass(frozen=True, slots=True)
class ToolText:
    """What is said about one tool."""

    title: str
    """For people, a few words."""
    description: str
    """For the model that chooses: when to use the tool, and when not."""
    when: str
    """The same in a phrase, for instructions; not of every tool."""
    parameters: Mapping[str, str]
    """The description of each parameter, by name."""


@cache
def tool_text(name: str, /, **values: str) -> ToolText:
    """The text of a tool: `# Title`, a description, `## When`, and `- name: description` under `## Parameters`.

    Raises `ValueError` if a part of it is missing.
    """
    found = _TOOL.fullmatch(render(name, **values))
    parameters = dict(_PARAMETER.findall(found['parameters'])) if found else {}
    if not (found and parameters and found['description'].strip()):
        raise ValueError(f'prompts/{name}.md has no title, no description or no ## Parameters')
    title, description, when = ((found[part] or '').strip() for part in ('title', 'description', 'when'))
    return ToolText(title, description, when, MappingProxyType(parameters))


_ASKS = regex.compile(r'\?(?=["\'”’)*]*(?:\s|$))|[？؟]')


@dataclass(frozen=True, slots=True)
class FocusTopic:
    """One of several topics of a request, each of which gets a text of its own."""

    name: str
    schema_hint: str
    """What belongs to it."""
    share: float = 1.0
    """Of the budget, against the others."""

    @property
    def focus(self) -> 'Focus':
        """The focus on it alone."""
        return Focus(schema_hint=f'{self.name}: {self.schema_hint}')


@dataclass(frozen=True, slots=True)
class Focus:
    """The topics and the schema that the caller wants kept first."""

    focus_areas: str = ''
    schema_hint: str = ''
    topics: tuple[FocusTopic, ...] = ()

    @classmethod
    def of(
        cls, focus_areas: str | Sequence[str] = '', schema_hint: str = '', topics: Sequence[FocusTopic] = ()
    ) -> 'Focus':
        """Make a focus of one focus area or several, a schema hint, and topics."""
        areas = [focus_areas] if isinstance(focus_areas, str) else focus_areas
        focus = '\n'.join(area.strip() for area in areas if area.strip())
        return cls(
            encodable(focus),
            encodable(schema_hint.strip()),
            tuple(FocusTopic(encodable(each.name), encodable(each.schema_hint), each.share) for each in topics),
        )

    @property
    def questions(self) -> str:
        """What of it asks something, wherever that was given: it wants an answer, not all names of a kind."""
        return '\n'.join(text for text in (self.focus_areas, self.hint) if _ASKS.search(text))

    @property
    def hint(self) -> str:
        """The schema hint in words: of a JSON schema what it names."""
        return schema_hint.words(self.schema_hint)

    def key(self) -> tuple[object, ...]:
        """What an answer of a model depends on."""
        return self.focus_areas, self.schema_hint, [(topic.name, topic.schema_hint) for topic in self.topics]

    def render(self) -> dict[str, str]:
        """The focus as framed blocks for a request, and what they are for; empty where there is none."""
        given = ((FOCUS_TAG, self.focus_areas), (SCHEMA_TAG, self.schema_hint))
        frames = '\n\n'.join(_frame(tag, text) for tag, text in given if text)
        lines = [NumberedLine(place, f'{each.name}: {each.schema_hint}') for place, each in enumerate(self.topics, 1)]
        topics = _frame(TOPICS_TAG, f'\n{number_lines(lines)}')
        return {
            'focus': f'{render("focus", frames=frames)}\n\n' if frames else '',
            'topics': f'{render("chunk_topics", topics=topics)}\n\n' if lines else '',
        }


def encodable(text: str) -> str:
    """A text without lone surrogates, which no request and no file can carry: half an emoji, as programs cut them."""
    return text.encode(errors='replace').decode()


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A numbered line of a request."""

    number: int
    text: str
    blank_after: bool = False
    """Whether blank lines follow it, which end a paragraph."""


@dataclass(frozen=True, slots=True)
class PromptSource:
    """Numbered lines of one document, as they go into a request."""

    lines: Sequence[NumberedLine]
    path: Sequence[str] = ()
    """The headings open where the lines begin."""


def _frame(tag: PromptTag, body: str, path: str | None = None) -> str:
    # What already spells an escaped `<` is escaped once more, so that what `wrap` escapes can be read back.
    return wrap(tag, _ENTITY.sub('&amp;', body), path=path)


def number_lines(lines: Sequence[NumberedLine], *, headings: bool = True) -> str:
    """`12 text`, one a line, with an empty line where the source has one; headings may go without their number.

    Theirs follow from the line before, so that the first line has one.
    """
    shown: list[str] = []
    for line in lines:
        text = ' '.join(line.text.splitlines())  # a line break could number lines of its own
        has_number = headings or not shown or not _HEADING.match(text)
        shown.append((f'{line.number} {text}' if has_number else text) + '\n' * (1 + line.blank_after))
    return ''.join(shown)


def _path(headings: Sequence[str]) -> str | None:
    """`A > B > C`; a heading that holds the separator keeps one that looks like it."""
    parts = (' '.join(heading.split()).replace(' > ', ' › ') for heading in headings)
    return ' > '.join(part for part in parts if part) or None


def chunk_request(
    sources: Sequence[PromptSource], focus: Focus, target_tokens: int, missing: Sequence[str] = ()
) -> str:
    """The chunk summarizer's user prompt; line numbers are unique over all sources.

    With `missing` it asks once more, for what an earlier answer has left out.
    """
    framed = [
        _frame(SOURCE_TAG, f'\n{number_lines(source.lines, headings=False)}', _path(source.path)) for source in sources
    ]
    values = {**focus.render(), 'sources': '\n\n'.join(framed), 'target_tokens': str(target_tokens)}
    if not missing:
        return render('chunk_request', **values)
    listed = '\n'.join(['', *(' '.join(each.splitlines()) for each in missing), ''])
    return render('repair_request', **values, missing=_frame(MISSING_TAG, listed))


def merge_request(lines: Sequence[NumberedLine], focus: Focus, target_tokens: int) -> str:
    """The merger's user prompt, with the facts as numbered lines; what topics ask for is a part of the schema."""
    hints = (focus.schema_hint, *(topic.focus.schema_hint for topic in focus.topics))
    focus = Focus(focus.focus_areas, '\n'.join(filter(None, hints)))
    facts = _frame(FACTS_TAG, f'\n{number_lines(lines)}')
    return render('merge_request', **focus.render(), facts=facts, target_tokens=str(target_tokens))


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A request read back from its prompt, which is all that a model has."""

    sources: Sequence[PromptSource]
    focus: Focus
    target_tokens: int | None
    merges: bool
    """Whether the lines are facts to merge rather than source segments."""


_NUMBERED = regex.compile(r'^(\d+) (.*)$')
_HEADING = regex.compile(r'^#{1,6} ')
_TARGET = regex.compile(r'about (\d+) tokens in total')


def _frames(prompt: str, tag: str) -> Iterator[tuple[str, str]]:
    """The attributes and the body of each frame of `tag`; a body cannot hold the tag, so plain matching is exact."""
    for part in prompt.split(f'</{tag}>')[:-1]:
        if opening := regex.search(rf'<{tag}(?: path="([^"]*)")?>', part):
            yield opening[1] or '', _ESCAPED_ENTITY.sub('&', part[opening.end() :].replace('&lt;', '<'))


def has_lines(prompt: str) -> bool:
    """Return whether a prompt asks about numbered lines."""
    return any(True for tag in (FACTS_TAG, SOURCE_TAG) for _ in _frames(prompt, tag))


def parse(prompt: str) -> ParsedRequest:
    """Read what `chunk_request` or `merge_request` returned back into its parts, as the extractive model does."""
    facts = list(_frames(prompt, FACTS_TAG))
    sources = [
        PromptSource(_lines(body), tuple(html.unescape(path).split(' > ')) if path else ())
        for path, body in facts or _frames(prompt, SOURCE_TAG)
    ]
    focus = next((body for _, body in _frames(prompt, FOCUS_TAG)), '')
    schema = next((body for _, body in _frames(prompt, SCHEMA_TAG)), '')
    listed = (line.text.partition(': ') for _, body in _frames(prompt, TOPICS_TAG) for line in _lines(body))
    topics = tuple(FocusTopic(name, hint) for name, _, hint in listed)
    targets = _TARGET.findall(prompt[prompt.rfind('>') :])
    target = int(targets[-1]) if targets else None
    return ParsedRequest(sources, Focus(focus, schema, topics), target, merges=bool(facts))


def _lines(body: str) -> list[NumberedLine]:
    """The lines of a frame; the number of a heading may follow from that of the line before."""
    lines: list[NumberedLine] = []
    texts = body.removeprefix('\n').removesuffix('\n').split('\n')
    for text, following in zip(texts, [*texts[1:], None], strict=True):
        if match := _NUMBERED.match(text):
            lines.append(NumberedLine(int(match[1]), match[2], following == ''))
        elif lines and _HEADING.match(text):
            lines.append(NumberedLine(lines[-1].number + 1, text, following == ''))
    return lines
