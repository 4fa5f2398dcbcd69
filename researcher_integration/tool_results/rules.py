"""How the results of tools are treated: the rules of each MCP server, over defaults for all tools."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import Field, StrictBool, StringConstraints, field_validator, model_validator

from researcher_integration.config.files import FOLDER, Strict, read_mapping, read_yaml, read_yaml_text
from researcher_integration.masking.detectors import DEFAULT_GROUPS, Group
from researcher_integration.masking.masking import Masker
from summarizer_tool import (
    ConfigurationError,
    ExtractiveModel,
    Settings,
    build_model,
    check_model_name,
    check_type,
    key_path,
)

SHIPPED_RULES = FOLDER / 'tool_results.yml'

_YAML = re.compile(r'\n|:\s|:$|^\s*\{')
"""What a YAML text has and the name of a file has not."""

MIN_THRESHOLD = 100
"""Tokens. What is smaller is not worth a summary."""

MIN_LIMIT = 50
"""Tokens. No summary says anything in less."""

OnFailure = Literal['open', 'closed', 'extractive']
"""What an agent gets when no model has summarized: the masked result, an error text, or an extract without a model."""

ModelName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class Summarization(Strict):
    """When a result is summarized, and by whom."""

    enabled: StrictBool = True
    size_threshold_tokens: Annotated[int, Field(strict=True, ge=MIN_THRESHOLD)] = 5000
    """Results of more tokens are summarized."""
    summary_max_token_limit: Annotated[int, Field(strict=True, ge=MIN_LIMIT)] = 1000
    """Tokens of a summary, at most; under the threshold."""
    model: ModelName | None = None
    """In the forms that `LLM_MODEL` takes. None: that of the agent that called the tool."""
    on_failure: OnFailure = 'open'
    """When no model could summarize a result: it goes on whole (`open`, which the log says), an error text with its
    handle stands for it (`closed`), or the embedded model's summary (`extractive`)."""


class DataMasking(Strict):
    """What is taken out of a result before anybody sees it."""

    enabled: StrictBool = True
    groups: tuple[Group, ...] = DEFAULT_GROUPS
    """Kinds of secrets to look for."""
    patterns: dict[str, str] = Field(default_factory=dict[str, str])
    """Expressions of one's own, by name; the name in capitals stands in the mask."""

    @field_validator('patterns')
    @classmethod
    def _compile(cls, patterns: dict[str, str]) -> dict[str, str]:
        try:
            Masker((), patterns)
        except ConfigurationError as error:
            raise ValueError(str(error)) from None
        return patterns

    @property
    def masker(self) -> Masker:
        """What masks so, made each time, since a copy has other rules; nothing where masking is switched off."""
        return Masker(self.groups, self.patterns) if self.enabled else Masker(groups=())


class Framing(Strict):
    """How a model is told that what tools return is somebody else's text."""

    enabled: StrictBool = True


class Defaults(Strict):
    """For tools that belong to no server, and for what a server leaves out."""

    summarization: Summarization = Summarization()
    data_masking: DataMasking = DataMasking()
    framing: Framing = Framing()
    """Of the results of all tools, whatever their server."""
    max_binary_kb: Annotated[int, Field(strict=True, ge=0)] = 1000
    """Of images, sound and the like in one result of any tool; a note stands for what is over it."""
    model: ModelName | None = None
    """Of the summaries, where `summarization` names none."""
    fallback_models: tuple[ModelName, ...] = ()
    """Tried in this order when that model fails."""


class ServerRules(Strict):
    """What is different for one MCP server; each field that is left out is as in the defaults."""

    summarization: Summarization = Summarization()
    data_masking: DataMasking = DataMasking()


class ToolResultRules(Strict):
    """The rules of all servers: `ToolResultRules()` has the defaults, which are on."""

    defaults: Defaults = Defaults()
    mcp_servers: dict[str, ServerRules] = Field(default_factory=dict[str, ServerRules])
    """By name, as in the file that configures the servers."""

    @model_validator(mode='after')
    def _limits_fit(self) -> 'ToolResultRules':
        for name in (None, *self.mcp_servers):
            rules = self.for_server(name)
            limit, threshold = rules.summarization.summary_max_token_limit, rules.summarization.size_threshold_tokens
            if limit >= threshold:
                raise ValueError(
                    f'{_key_of(name)}: a summary may have {limit} tokens, which is not under the '
                    f'threshold of {threshold}; lower summary_max_token_limit or raise size_threshold_tokens'
                )
        return self

    def models(self) -> dict[str, str]:
        """The models that are named, by the keys under which they stand."""
        named = {'defaults.model': self.defaults.model}
        parts = {None: self.defaults, **self.mcp_servers}
        named |= {f'{_key_of(name)}.model': part.summarization.model for name, part in parts.items()}
        fallbacks = enumerate(self.defaults.fallback_models)
        named |= {key_path('defaults', 'fallback_models', place): each for place, each in fallbacks}
        return {key: name for key, name in named.items() if name is not None}

    def for_server(self, name: str | None) -> ServerRules:
        """The rules for the tools of a server; for other tools, and a server that is not configured, the defaults."""
        defaults, own = self.defaults, self.mcp_servers.get(name or '', ServerRules())
        masking = _over(defaults.data_masking, own.data_masking)
        patterns = {**defaults.data_masking.patterns, **own.data_masking.patterns}
        return ServerRules.model_construct(
            summarization=_over(_over(Summarization(model=defaults.model), defaults.summarization), own.summarization),
            data_masking=masking.model_copy(update={'patterns': patterns}),
        )


Part = TypeVar('Part', Summarization, DataMasking)


def _over(under: Part, over: Part) -> Part:
    return under.model_copy(update={name: getattr(over, name) for name in over.model_fields_set})


def _key_of(server: str | None) -> str:
    return key_path(*(('defaults',) if server is None else ('mcp_servers', server)), 'summarization')


RulesSource: TypeAlias = ToolResultRules | Mapping[str, object] | Path | str
"""Rules, or where they stand: a mapping, a YAML file, or YAML as text (with a line break, or a colon and a space)."""


def load_rules(rules: RulesSource = SHIPPED_RULES, settings: Settings | None = None) -> ToolResultRules:
    """Read rules with `defaults` and `mcp_servers`, both of which may be left out.

    Args:
        rules: Rules, or where they stand.
        settings: With keys and endpoints, by which each model must be to be had; else only its name is looked at.

    Raises:
        ConfigurationError: If they are wrong; one line with file, key and reason.
    """
    check_type('rules', rules, ToolResultRules, Mapping, Path, str)
    if rules == '':
        raise ConfigurationError('rules: an empty text names no file; leave them out for those that are always there')
    where = 'rules'
    match rules:
        case ToolResultRules():
            read = rules
        case Mapping():
            read = read_mapping(rules, ToolResultRules, where)
        case str() if _YAML.search(rules):
            read = read_yaml_text(rules, ToolResultRules, where)
        case _:
            where = str(rules)
            read = read_yaml(Path(rules), ToolResultRules)
    for key, name in read.models().items():
        if settings is None:
            check_model_name(name, f'{where}: {key}')
        else:
            build_model(settings, name, embedded=ExtractiveModel, setting=f'{where}: {key}')
    return read
