"""The rules for the results of tools: defaults, what a server changes of them, and what is said about wrong ones."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot
from pydantic import ValidationError

from researcher_integration.tool_results.capability import SummarizeToolResults
from researcher_integration.tool_results.rules import (
    SHIPPED_RULES,
    DataMasking,
    Defaults,
    ServerRules,
    Summarization,
    ToolResultRules,
    load_rules,
)
from summarizer_tool import ConfigurationError, Settings
from tests.proofs.research.wrong_files import problem


def test_the_shipped_rules_are_the_defaults() -> None:
    assert load_rules() == ToolResultRules()
    for name in (None, 'kubernetes'):
        assert ToolResultRules().for_server(name) == snapshot(
            ServerRules(summarization=Summarization(), data_masking=DataMasking())
        )


def test_the_example_in_the_shipped_file_is_right(tmp_path: Path) -> None:
    """What stands there behind `#`, with the `#` taken away."""
    text, commented = SHIPPED_RULES.read_text(encoding='utf-8').split('mcp_servers: {}\n')
    example = tmp_path / 'tool_results.yml'
    example.write_text(text + 'mcp_servers:\n' + commented.replace('  # ', '  '), encoding='utf-8')
    assert load_rules(example).for_server('kubernetes') == snapshot(
        ServerRules(
            summarization=Summarization(
                size_threshold_tokens=8000, model='openai/gpt-4o-mini', on_failure='extractive'
            ),
            data_masking=DataMasking(patterns={'customer_number': 'KN-\\d{8}'}),
        )
    )


FILE = r"""
defaults:
  summarization: {size_threshold_tokens: 3000, on_failure: closed}
  data_masking:
    groups: [keys, cloud, tokens, credentials, network]
    patterns: {customer: 'KN-\d{4}', order: 'O-\d+'}
  model: openai/gpt-4o-mini
  fallback_models: [openai/gpt-4.1-nano, extractive]
mcp_servers:
  logs:
    summarization: {summary_max_token_limit: 500, model: anthropic:claude-haiku-4-5}
    data_masking: {patterns: {order: 'ORD-\d+', host: 'fen-\w+'}}
  own-model:
    summarization: {model: null}
  raw:
    summarization: {enabled: false}
    data_masking: {enabled: false}
"""


def load(text: str, folder: Path) -> ToolResultRules:
    path = folder / 'tool_results.yml'
    path.write_text(text, encoding='utf-8')
    return load_rules(path)


def test_a_server_changes_what_it_names(tmp_path: Path) -> None:
    rules = load(FILE, tmp_path)
    assert rules.for_server('logs') == snapshot(
        ServerRules(
            summarization=Summarization(
                size_threshold_tokens=3000,
                summary_max_token_limit=500,
                model='anthropic:claude-haiku-4-5',
                on_failure='closed',
            ),
            data_masking=DataMasking(
                groups=('keys', 'cloud', 'tokens', 'credentials', 'network'),
                patterns={'customer': 'KN-\\d{4}', 'order': 'ORD-\\d+', 'host': 'fen-\\w+'},
            ),
        )
    )
    assert rules.for_server('own-model').summarization.model is None
    assert rules.for_server('raw').data_masking.masker.mask('password=Gull-93x').counts == {}
    assert (
        rules.for_server('unknown')
        == rules.for_server(None)
        == snapshot(
            ServerRules(
                summarization=Summarization(
                    size_threshold_tokens=3000, model='openai/gpt-4o-mini', on_failure='closed'
                ),
                data_masking=DataMasking(
                    groups=('keys', 'cloud', 'tokens', 'credentials', 'network'),
                    patterns={'customer': 'KN-\\d{4}', 'order': 'O-\\d+'},
                ),
            )
        )
    )


def test_a_copy_has_the_rules_that_it_was_given() -> None:
    rules = load_rules({'defaults': {'data_masking': {'enabled': False}}})
    assert rules.for_server('logs').data_masking.masker.mask('password=Gull-93x').counts == {}
    copied = rules.model_copy(update={'defaults': Defaults(), 'mcp_servers': {'logs': ServerRules()}})
    assert copied.for_server('logs').data_masking.masker.mask('password=Gull-93x').counts
    switched_off = copied.defaults.data_masking.model_copy(update={'enabled': False})
    assert switched_off.masker.mask('password=Gull-93x').counts == {}


def test_masking_as_it_is_configured(tmp_path: Path) -> None:
    masker = load(FILE, tmp_path).for_server('logs').data_masking.masker
    assert masker
    assert masker.mask('KN-1234 O-1 ORD-17 on fen-node at 203.0.113.7').text == snapshot(
        '[MASKED_CUSTOMER] O-1 [MASKED_ORDER] on [MASKED_HOST] at [MASKED_PUBLIC_IP]'
    )


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    wrong = {
        'a low threshold': 'defaults: {summarization: {size_threshold_tokens: 99}}',
        'a low limit': 'mcp_servers: {logs: {summarization: {summary_max_token_limit: 49}}}',
        'a limit over its threshold': 'defaults: {summarization: {size_threshold_tokens: 200, summary_max_token_limit: 200}}',
        'a limit over the inherited threshold': 'mcp_servers: {logs: {summarization: {summary_max_token_limit: 6000}}}',
        'a threshold under the inherited limit': 'mcp_servers: {my logs: {summarization: {size_threshold_tokens: 900}}}',
        'a new default under the old limit': 'defaults: {summarization: {size_threshold_tokens: 900}}',
        'a policy': 'defaults: {summarization: {on_failure: ignore}}',
        'a group': 'mcp_servers: {logs: {data_masking: {groups: [keys, passwords]}}}',
        'a misspelt key': 'mcp_servers: {logs: {summarisation: {enabled: false}}}',
        'a key of the server': 'mcp_servers: {logs: {data_masking: {pattern: {}}}}',
        'text for a number': 'defaults: {summarization: {size_threshold_tokens: "5000"}}',
        'a switch': 'defaults: {data_masking: {enabled: 1}}',
        'an expression': "mcp_servers: {logs: {data_masking: {patterns: {order: '('}}}}",
        'an expression for everything': "mcp_servers: {logs: {data_masking: {patterns: {order: '.*'}}}}",
        'the name of an expression': "mcp_servers: {logs: {data_masking: {patterns: {'order no': 'x'}}}}",
        'an empty model': "defaults: {fallback_models: ['']}",
        'nothing': '# nothing',
    }
    messages = {}
    for name, text in wrong.items():
        path = tmp_path / 'tool_results.yml'
        path.write_text(text, encoding='utf-8')
        messages[name] = problem(load_rules, path)
    assert messages == snapshot(
        {
            'a low threshold': 'tool_results.yml: defaults.summarization.size_threshold_tokens: must be greater than or equal to 100',
            'a low limit': 'tool_results.yml: mcp_servers.logs.summarization.summary_max_token_limit: must be greater than or equal to 50',
            'a limit over its threshold': 'tool_results.yml: defaults.summarization: a summary may have 200 tokens, which is not under the threshold of 200; lower summary_max_token_limit or raise size_threshold_tokens',
            'a limit over the inherited threshold': 'tool_results.yml: mcp_servers.logs.summarization: a summary may have 6000 tokens, which is not under the threshold of 5000; lower summary_max_token_limit or raise size_threshold_tokens',
            'a threshold under the inherited limit': "tool_results.yml: mcp_servers['my logs'].summarization: a summary may have 1000 tokens, which is not under the threshold of 900; lower summary_max_token_limit or raise size_threshold_tokens",
            'a new default under the old limit': 'tool_results.yml: defaults.summarization: a summary may have 1000 tokens, which is not under the threshold of 900; lower summary_max_token_limit or raise size_threshold_tokens',
            'a policy': "tool_results.yml: defaults.summarization.on_failure: must be 'open', 'closed' or 'extractive'",
            'a group': "tool_results.yml: mcp_servers.logs.data_masking.groups[1]: must be 'keys', 'cloud', 'tokens', 'credentials', 'entropy' or 'network'",
            'a misspelt key': 'tool_results.yml: mcp_servers.logs.summarisation: is none of the keys',
            'a key of the server': 'tool_results.yml: mcp_servers.logs.data_masking.pattern: is none of the keys',
            'text for a number': 'tool_results.yml: defaults.summarization.size_threshold_tokens: must be a valid integer',
            'a switch': 'tool_results.yml: defaults.data_masking.enabled: must be a valid boolean',
            'an expression': 'tool_results.yml: mcp_servers.logs.data_masking.patterns: the pattern order is no regular expression: missing ) at position 1',
            'an expression for everything': 'tool_results.yml: mcp_servers.logs.data_masking.patterns: the pattern order matches an empty text, so it would put masks between all characters; have it take one at least, as `.+` does',
            'the name of an expression': "tool_results.yml: mcp_servers.logs.data_masking.patterns: 'order no' is no name for a pattern: letters, digits and _, at most 40, a letter first",
            'an empty model': 'tool_results.yml: defaults.fallback_models[0]: is empty',
            'nothing': 'tool_results.yml: is empty',
        }
    )
    assert problem(load_rules, tmp_path / 'nowhere.yml') == 'nowhere.yml: cannot be read: No such file or directory'


def test_rules_without_a_file() -> None:
    rules = ToolResultRules.model_validate(
        {'mcp_servers': {'logs': {'summarization': {'size_threshold_tokens': 1001}}}}
    )
    assert rules.for_server('logs') == ServerRules(summarization=Summarization(size_threshold_tokens=1001))
    with pytest.raises(ValidationError):
        rules.defaults = rules.defaults  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize('form', ['path', 'name', 'text', 'mapping', 'model'])
def test_rules_are_given_in_any_form(form: str, tmp_path: Path) -> None:
    path = tmp_path / 'rules.yml'
    path.write_text('defaults: {model: extractive}', encoding='utf-8')
    given = {
        'path': path,
        'name': str(path),
        'text': 'defaults: {model: extractive}',
        'mapping': {'defaults': {'model': 'extractive'}},
        'model': ToolResultRules.model_validate({'defaults': {'model': 'extractive'}}),
    }[form]
    assert load_rules(given).defaults.model == 'extractive'
    capability = SummarizeToolResults[None](rules=given, settings=Settings(llm_model='extractive'))
    assert capability.rules == load_rules(given)


@pytest.mark.parametrize(
    ('given', 'said'),
    [
        (
            'defaults:\n  model: a-model-of-nobody',
            snapshot(
                'rules: defaults.model=a-model-of-nobody: no such model; give provider:model (openai:gpt-4o-mini), an OpenRouter model (openai/gpt-4o-mini), or extractive'
            ),
        ),
        (
            'defaults: {model: [1]}',
            snapshot('rules: defaults.model: must be text, in quotes where it looks like something else'),
        ),
        (
            'defaults: {fallback_models: [extractive, openay:gpt-4o]}',
            snapshot(
                'rules: defaults.fallback_models[1]=openay:gpt-4o: no such model; give provider:model (openai:gpt-4o-mini), an OpenRouter model (openai/gpt-4o-mini), or extractive'
            ),
        ),
        (
            {'mcp_servers': {'pods': {'summarization': {'model': 'sk-123'}}}},
            snapshot(
                'rules: mcp_servers.pods.summarization.model looks like an API key, not like a model: name the model there, and put the key into its own variable, e.g. OPENROUTER_API_KEY'
            ),
        ),
        ({'default': {}}, snapshot('rules: default: is none of the keys')),
        ('nowhere.yml', snapshot('nowhere.yml: cannot be read: No such file or directory')),
        (
            'a: [',
            snapshot(
                "rules: line 1: is not YAML: while parsing a flow node expected the node content, but found '<stream end>'"
            ),
        ),
    ],
)
def test_what_is_wrong_is_said_where_rules_are_given(given: str | dict[str, object], said: str) -> None:
    with pytest.raises(ConfigurationError) as wrong:
        load_rules(given)
    assert str(wrong.value) == said


def test_a_model_that_cannot_be_had_is_named_by_its_key(tmp_path: Path) -> None:
    path = tmp_path / 'rules.yml'
    path.write_text('defaults: {model: a-model-of-nobody}', encoding='utf-8')
    with pytest.raises(ConfigurationError, match=r'rules\.yml: defaults\.model=a-model-of-nobody: no such model'):
        SummarizeToolResults[None](rules=path, settings=Settings(llm_model='extractive'))
    with pytest.raises(ConfigurationError, match=r'rules: defaults\.model=openai/gpt-4o goes to OpenRouter'):
        SummarizeToolResults[None](
            rules={'defaults': {'model': 'openai/gpt-4o'}}, settings=Settings(llm_model='extractive')
        )


def test_what_is_of_a_wrong_type_is_told_by_its_name() -> None:
    told: list[str] = []
    for name in ('settings', 'store', 'timeline'):
        with pytest.raises(TypeError) as error:
            SummarizeToolResults(**{name: 'x.sqlite3'})  # pyright: ignore[reportArgumentType]
        told.append(str(error.value))
    with pytest.raises(ConfigurationError) as empty:
        load_rules('')
    assert [*told, str(empty.value)] == snapshot(
        [
            'settings is Settings or None, not str',
            'store is SourceStore or None, not str',
            "timeline has a method emit, or is called with the run, unlike 'x.sqlite3'",
            'rules: an empty text names no file; leave them out for those that are always there',
        ]
    )
