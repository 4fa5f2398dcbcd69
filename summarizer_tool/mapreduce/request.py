"""Requests: frozen objects that are checked once, where they come in, and passed down as they are.

A field is what a program sets and what a model is offered, if `prompts/tools` describes it. Models write `null` for
what they leave out, JSON where text is wanted, and one thing where a list is: all of that is understood here.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from summarizer_tool.errors import ArgumentsError, RequestError, wrong_values
from summarizer_tool.prompts import Focus, FocusTopic
from summarizer_tool.text.lines import one_line

LONGEST_ARGUMENT = 50_000
"""Characters of any argument but a text to work on; it goes into every request to a model."""


def _as_text(value: object) -> str:
    if isinstance(value, type) and issubclass(value, BaseModel):
        value = value.model_json_schema()
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _as_texts(value: object) -> tuple[str, ...]:
    items = cast('list[object]', value) if isinstance(value, list | tuple) else [value]
    return tuple(_as_text(item) for item in items if item is not None)


def _bounded(value: str | Sequence[str]) -> str | Sequence[str]:
    characters = len(value) if isinstance(value, str) else sum(map(len, value))
    if characters > LONGEST_ARGUMENT:
        raise ValueError(
            f'has {characters:,} characters, and at most {LONGEST_ARGUMENT:,} are read; shorten it, or store it with '
            'add_source and give its handle'
        )
    return value


def _not_negative(value: int) -> int:
    if value < 0:
        raise ValueError('is negative; 0 means the default')
    return value


_LIST = {'type': 'array', 'items': {'type': 'string'}}

_BOUND = AfterValidator(_bounded)

LongText = Annotated[str, BeforeValidator(_as_text), WithJsonSchema({'type': 'string'})]
"""A text to work on, which `SUMMARIZER_MAX_INPUT_MB` bounds."""
Text = Annotated[str, BeforeValidator(_as_text), _BOUND, WithJsonSchema({'type': 'string'})]
Handle = Annotated[str, BeforeValidator(lambda value: ' '.join(_as_texts(value))), _BOUND]
Texts = Annotated[str | Sequence[str], BeforeValidator(_as_texts), _BOUND, WithJsonSchema(_LIST)]
TextOrTexts = Annotated[
    str | Sequence[str], BeforeValidator(_as_texts), _BOUND, WithJsonSchema({'anyOf': [{'type': 'string'}, _LIST]})
]
Count = Annotated[int, AfterValidator(_not_negative), WithJsonSchema({'type': 'integer', 'minimum': 0})]


class Request(BaseModel):
    """What is asked for. A parameter that is left out, or null, has its default."""

    model_config = ConfigDict(extra='forbid', frozen=True)

    @model_validator(mode='before')
    @classmethod
    def _null_is_unset(cls, values: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def of(cls, values: Mapping[str, object], parameters: Iterable[str] = ()) -> Self:
        """A request from its parameters by name; an error lists those of `parameters`, or all.

        Raises:
            ArgumentsError: If one is unknown, missing or of the wrong type; says what to change.
            RequestError: If one has a value that it cannot have.
        """
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            raise what_to_change(error, list(parameters) or [*cls.model_fields]) from None


class SummarizeRequest(Request):
    """Summarize a text, or stored sources, for a reader."""

    for_extraction: ClassVar[bool] = False
    """Whether the default budget is that of an extraction."""

    content: LongText = ''
    """The text; of an HTML page it is the markdown, without menus and the like."""
    source_ids: Texts = ()
    """Handles of stored sources, instead of a text."""
    max_output_tokens: Count = 0
    """The budget in cl100k tokens, a line of handles included; 0: `DEFAULT_MAX_OUTPUT_TOKENS`, for an extraction at
    most a fifth of the input."""
    focus_areas: TextOrTexts = ''
    """What matters most, in the reader's words."""
    schema_hint: Text = ''
    """What will be extracted from the summary: a topic, field names or a JSON schema."""
    names_handles: bool = True
    """Whether the last line names the handles of what was summarized."""

    @property
    def focus(self) -> Focus:
        """What to keep."""
        return Focus.of(self.focus_areas, self.schema_hint)


class SummaryTopic(Request):
    """One of several topics that get a text each."""

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, pattern=r'^[^\n]+$')]
    """One line; stands over its text."""
    schema_hint: Text = ''
    """What belongs to it, in words or field names; by default what its name says."""
    share: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0
    """Of the budget, against the other topics: what it may take where there is more to say than fits."""

    @property
    def hint(self) -> str:
        """What belongs to it, on one line."""
        return one_line(self.schema_hint or self.name)


class ExtractionRequest(SummarizeRequest):
    """Compress a text, or stored sources, for a typed extraction, which is told first what will be extracted."""

    for_extraction: ClassVar[bool] = True

    schema_hint: Text  # pyright: ignore[reportGeneralTypeIssues] - it is required here
    """What will be extracted from the summary: a topic, field names or a JSON schema."""
    topics: tuple[SummaryTopic, ...] = ()
    """Topics that get a text each, made of one reading of the sources; the budget is that of all together, and
    `schema_hint` is what they have in common, if anything."""

    @property
    def focus(self) -> Focus:
        """What to keep."""
        return Focus.of(
            self.focus_areas, self.schema_hint, [FocusTopic(each.name, each.hint, each.share) for each in self.topics]
        )

    @model_validator(mode='after')
    def _topics_can_be_told_apart(self) -> Self:
        if len({topic.name for topic in self.topics}) < len(self.topics):
            raise ValueError('two topics have one name; give each its own')
        return self


def what_to_change(error: ValidationError, parameters: list[str]) -> RequestError:
    """What is wrong with the parameters of a call, as an error that says which ones there are."""
    told = '; '.join(wrong_values(error, hides=lambda _: False))
    if all(detail['type'] == 'value_error' for detail in error.errors()):
        return RequestError(told)
    return ArgumentsError(f'{told}. The parameters are: {", ".join(parameters)}')
