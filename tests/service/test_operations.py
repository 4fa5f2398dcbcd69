"""The operations: each declared once, and offered by toolset, server and command line alike."""

import json

import pytest
from inline_snapshot import snapshot

from summarizer_tool.errors import ArgumentsError, RequestError
from summarizer_tool.mapreduce.request import SummarizeRequest
from summarizer_tool.service.operations import OPERATIONS, operation
from tests.support.documentation import ROOT


def test_the_page_of_the_server_names_all_arguments_and_their_defaults() -> None:
    page = (ROOT / 'docs' / 'mcp-server.md').read_text(encoding='utf-8').splitlines()
    for each in OPERATIONS:
        schema = each.schema()
        shown = [
            f'`{name}`' if name in schema['required'] else f'`{name}={json.dumps(value.get("default"))}`'
            for name, value in schema['properties'].items()
        ]
        assert f'`{each.name}` | {", ".join(shown)}' in page


def test_what_models_are_offered_and_what_only_programs_can_set() -> None:
    assert {
        each.name: sorted(each.request.model_fields.keys() - each.text().parameters.keys()) for each in OPERATIONS
    } == snapshot(
        {
            'summarize': ['names_handles', 'schema_hint'],
            'summarize_for_extraction': ['focus_areas', 'names_handles', 'topics'],
            'search': [],
            'answer': [],
            'status': ['max_tokens'],
            'add_source': [],
            'read_source': [],
            'query_source': [],
            'diff_source': [],
        }
    )
    for each in OPERATIONS:
        assert each.text().parameters.keys() <= each.request.model_fields.keys()
        assert operation(each.name) is each


def test_the_schemas_say_the_bounds() -> None:
    assert {
        each.name: [name for name, field in each.schema()['properties'].items() if 'minimum' in field]
        for each in OPERATIONS
    } == snapshot(
        {
            'summarize': ['max_output_tokens'],
            'summarize_for_extraction': ['max_output_tokens'],
            'search': ['top_k', 'max_tokens'],
            'answer': ['max_tokens'],
            'status': [],
            'add_source': [],
            'read_source': ['start_line', 'max_tokens', 'offset'],
            'query_source': ['max_tokens'],
            'diff_source': ['max_tokens'],
        }
    )


@pytest.mark.parametrize(
    ('name', 'arguments', 'read'),
    [
        ('summarize', {'content': None, 'source_ids': 'src_1', 'focus_areas': None}, {'source_ids': ('src_1',)}),
        ('summarize', {'content': {'a': ['é']}, 'source_ids': None}, {'content': '{"a": ["é"]}'}),
        ('summarize', {'focus_areas': ['a', None, {'b': 1}]}, {'focus_areas': ('a', '{"b": 1}')}),
        ('summarize', {'max_output_tokens': '200'}, {'max_output_tokens': 200}),
        ('answer', {'query': 1852, 'url': 'https://a.example'}, {'query': '1852', 'url': ('https://a.example',)}),
        ('read_source', {'source_id': ['src_1'], 'offset': None}, {'source_id': 'src_1'}),
        ('status', {'include_urls': 'false'}, {'include_urls': False}),
    ],
)
def test_what_models_write_is_understood(name: str, arguments: dict[str, object], read: dict[str, object]) -> None:
    asked = operation(name)
    assert asked is not None
    request = asked.read(arguments)
    assert request.model_dump(exclude_unset=True) == read
    assert hash(request) == hash(asked.read(arguments))


def test_what_cannot_be_read_says_what_to_change() -> None:
    search = operation('search')
    assert search is not None
    said: list[tuple[str, str]] = []
    for arguments in ({}, {'query': 'a', 'Q' * 100: 1}, {'query': 'a', 'top_k': [1]}, {'query': 'a', 'top_k': -1}):
        with pytest.raises(RequestError) as raised:
            search.read(arguments)
        said.append((type(raised.value).__name__, str(raised.value)))
    assert said == snapshot(
        [
            (
                'ArgumentsError',
                'query: is missing. The parameters are: query, source_urls, source_ids, intent, top_k, max_tokens',
            ),
            (
                'ArgumentsError',
                "['QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ…]: is none of the parameters. The parameters are: query, source_urls, source_ids, intent, top_k, max_tokens",
            ),
            (
                'ArgumentsError',
                'top_k: must be a valid integer. The parameters are: query, source_urls, source_ids, intent, top_k, max_tokens',
            ),
            ('RequestError', 'top_k=-1 is negative; 0 means the default'),
        ]
    )
    assert issubclass(ArgumentsError, RequestError)


@pytest.mark.parametrize('name', ['focus_areas', 'schema_hint', 'source_ids'])
def test_an_argument_that_is_no_text_to_work_on_is_bounded(name: str) -> None:
    with pytest.raises(RequestError) as error:
        SummarizeRequest.of({'content': 'x' * 400_000, name: 'y' * 400_000})
    assert str(error.value) == (
        f"{name}='{'y' * 58}… has 400,000 characters, and at most 50,000 are read; shorten it, or store it with "
        'add_source and give its handle'
    )
