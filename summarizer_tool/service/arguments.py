"""What the tools of the MCP server take: names, order and defaults are a promise to clients."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from summarizer_tool.errors import RequestError
from summarizer_tool.evidence.question.question import ResearchMode
from summarizer_tool.mapreduce.summarizer import DEFAULT_STRATEGY
from summarizer_tool.service.retrieval import DEFAULT_TOP_K
from summarizer_tool.service.service import DEFAULT_READ_TOKENS, Format

MAX_SHOWN = 60
"""Characters of a wrong name that an error repeats."""

# The schema asks for a list; one is often given by itself.
Listed = Annotated[list[str], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]

# The schema asks for a list; the service reads one string with several handles in it, too.
Handles = Annotated[list[str], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]


# A schema is often given as it is, rather than as text.
Hint = Annotated[str, BeforeValidator(lambda value: json.dumps(value) if isinstance(value, dict | list) else value)]


def _joined(value: object) -> object:
    return ' '.join(map(str, cast('list[object]', value))) if isinstance(value, list) else value


# So is one handle as a list.
Handle = Annotated[str, BeforeValidator(_joined)]


class Arguments(BaseModel):
    """The arguments of a tool. What a model leaves out or gives as null has its default."""

    model_config = ConfigDict(extra='forbid', frozen=True)

    required: ClassVar[tuple[str, ...]] = ()
    """What the schema asks for although it may be left out: `content`, which models would else forget."""

    @model_validator(mode='before')
    @classmethod
    def _null_is_unset(cls, values: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Check the arguments of a call.

        Raises:
            RequestError: If one is unknown, missing or of the wrong type; says what to change.
        """
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise RequestError(_what_to_change(error, cls)) from None

    @classmethod
    def schema_with(cls, descriptions: Mapping[str, str]) -> dict[str, Any]:
        """The JSON schema that clients see, without the titles that pydantic makes of the names."""
        schema = cls.model_json_schema()
        properties = {
            name: {**{key: value for key, value in field.items() if key != 'title'}, 'description': descriptions[name]}
            for name, field in schema['properties'].items()
        }
        for name in cls.required:
            properties[name].pop('default', None)
        required = [name for name in properties if name in {*schema.get('required', ()), *cls.required}]
        return {'type': 'object', 'properties': properties, 'required': required, 'additionalProperties': False}


class SummarizeArguments(Arguments):
    """For `summarize`."""

    required = ('content',)

    content: str = ''
    max_output_tokens: int = 0
    focus_areas: str | list[str] = ''
    strategy: str = DEFAULT_STRATEGY
    source_ids: Handles = []
    format: Format = 'text'


class ExtractionArguments(Arguments):
    """For `summarize_for_extraction`."""

    required = ('content',)

    content: str = ''
    schema_hint: Hint
    max_output_tokens: int = 0
    source_ids: Handles = []
    format: Format = 'text'


class AddSourceArguments(Arguments):
    """For `add_source`."""

    content: str = ''
    url: str = ''
    title: str = ''


class ReadSourceArguments(Arguments):
    """For `read_source`."""

    source_id: Handle
    start_line: int = 1
    max_tokens: int = DEFAULT_READ_TOKENS
    offset: int = 0


class SearchArguments(Arguments):
    """For `search`."""

    query: str
    source_urls: Listed = []
    source_ids: Handles = []
    intent: str = ''
    top_k: int = DEFAULT_TOP_K
    max_tokens: int = 0


class AnswerArguments(Arguments):
    """For `answer`."""

    url: str | list[str] = ''
    query: str
    intent: str = ''
    known_context: str = ''
    constraints: str = ''
    expansion_budget: int | None = None
    research_mode: ResearchMode = 'auto'
    max_tokens: int = 0


class StatusArguments(Arguments):
    """For `status`."""

    source_url: str = ''
    include_urls: bool = True


def _what_to_change(error: ValidationError, kind: type[Arguments]) -> str:
    problems: list[str] = []
    for detail in error.errors(include_url=False, include_context=False, include_input=False):
        name = ascii(str(detail['loc'][0]))[1:-1][:MAX_SHOWN] if detail['loc'] else 'arguments'
        match detail['type']:
            case 'missing':
                problem = f'{name} is missing'
            case 'extra_forbidden':
                problem = f'there is no parameter {name}'
            case _:
                problem = f'{name}: {detail["msg"].replace("Input should be", "must be")}'
        problems.append(problem)
    return f'{"; ".join(dict.fromkeys(problems))}. The parameters are: {", ".join(kind.model_fields)}'
