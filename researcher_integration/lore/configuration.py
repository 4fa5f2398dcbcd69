"""What an operator sets for a research: its settings, the topics of its steps, and how far sources are trusted.

Topics and tiers are read from `config/research_topics.yml` and `config/sources.yml` unless other files are named.
"""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import httpx2
from pydantic import AfterValidator, Field, StringConstraints, field_validator
from pydantic_ai.models import Model
from pydantic_ai.toolsets import AbstractToolset

from researcher_integration.config.files import FOLDER, Strict, read_yaml
from researcher_integration.lore.material import TIER_NAMES, TOPIC_IDS, TierName, TopicId
from summarizer_tool import OptionalAddress, OptionalSecret, OptionalText, Settings, connect_model, model_id, shown

EXTRACTIVE = 'extractive'


class ResearchSettings(Settings):
    """The settings of a research: those of the summarizer and the ones below, from the same sources."""

    research_model: Annotated[OptionalText, Field(validation_alias='RESEARCH_MODEL')] = None
    """The model of the agents that research and extract, in the forms that `LLM_MODEL` takes. Unset: `LLM_MODEL`."""
    mcp_summarizer_url: OptionalAddress = None
    """The MCP server that summarizes, e.g. `http://mcp-summarizer:8007/mcp`. Unset: this process does."""
    mcp_summarizer_token: OptionalSecret = None
    """The bearer token for that server."""

    def agent_model(self) -> str | None:
        """The model that researches and extracts, if any: the embedded one calls no tools and fills no fields."""
        name = self.research_model or model_id(self)
        return None if name == EXTRACTIVE else name

    def connect(self) -> AbstractAsyncContextManager[Model | None]:
        """Connect the model that `agent_model` names, if any; raises `ConfigurationError` if it cannot be had."""
        name = self.agent_model()
        setting = 'RESEARCH_MODEL' if self.research_model else 'LLM_MODEL'
        return nullcontext() if name is None else connect_model(self, name, setting=setting)


SHIPPED_TOPICS = FOLDER / 'research_topics.yml'

_BRACES = re.compile(r'\{\{.*?\}\}|\{\{|\}\}', re.DOTALL)


def _only_the_zone(template: str) -> str:
    if found := _BRACES.search(template.replace('{{zone}}', '')):
        raise ValueError(f'has {shown(found.group())}; {{{{zone}}}} is the only placeholder, without spaces')
    return template


_Filled = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Template = Annotated[_Filled, AfterValidator(_only_the_zone)]
"""Text with `{{zone}}` where the name of the zone is put in."""
Header = Annotated[_Filled, StringConstraints(pattern=r'^[^#\n][^\n]*$')]
Keyword = Annotated[_Filled, StringConstraints(pattern=r'^\w+$')]
"""One word: pages are searched for words."""
Amount = Annotated[int, Field(strict=True, gt=0)]


class Instructions(Strict):
    """The instructions of a step: templates with the placeholder `{{zone}}`."""

    gather: Template
    """The first phase: what to look for, which pages to crawl, when to stop."""
    report: Template
    """The second: what to write down of it."""


class Topic(Strict):
    """The topic of one research step."""

    id: TopicId
    header: Header
    """Over the section and the brief of this topic."""
    instructions: Instructions
    schema_hint: _Filled
    """What will be extracted, in field names and a few words."""
    preserve: Annotated[tuple[_Filled, ...], Field(min_length=1)]
    """What no summary may lose, one kind of thing each."""
    keywords: Annotated[tuple[Keyword, ...], Field(min_length=1)]
    """Words by which a page is recognized as being most about the topic, in the singular; capitals do not matter."""
    share: Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)] = 1.0
    """Of the zone's token budget and limits, relative to the other topics: 2.0 gets twice what 1.0 gets."""

    @property
    def hint(self) -> str:
        """The `schema_hint` for the summarizer: the fields, then what must be preserved."""
        return '\n'.join((self.schema_hint, '', 'Preserve:', *(f'- {each}' for each in self.preserve)))


RAISED_BY = 'limits: in the file of the topics raises it'
"""The setting that a limit is raised with."""


class Limits(Strict):
    """The limits of one zone, over the calls of agent and summaries; the topics share them."""

    requests: Amount = 200
    """Calls of a model. A summary makes one for each chunk. Agents and summaries may have two fifths of them each."""
    input_tokens: Amount | None = None
    output_tokens: Amount | None = None
    cost: Annotated[Decimal, Field(gt=0)] | None = None
    """In US dollars, where the price of a model is known."""


class ResearchTopics(Strict):
    """The topics in the order of the file, and their common limits."""

    topics: tuple[Topic, ...]
    limits: Limits = Limits()

    @field_validator('topics')
    @classmethod
    def _each_once(cls, topics: tuple[Topic, ...]) -> tuple[Topic, ...]:
        # Both are names: of a step, and of a section.
        given = [name for topic in topics for name in dict.fromkeys((topic.id, topic.header))]
        problems = [f'{shown(name)} stands twice' for name, times in Counter(given).items() if times > 1]
        problems += [f'{topic} is missing' for topic in TOPIC_IDS if topic not in given]
        if problems:
            raise ValueError(', '.join(problems))
        return topics


def load_topics(path: Path = SHIPPED_TOPICS) -> ResearchTopics:
    """Load `topics` and, where the defaults do not fit, `limits` from a YAML file.

    Raises:
        ConfigurationError: If the file is wrong; one line with file, key and reason.
    """
    return read_yaml(path, ResearchTopics)


SHIPPED_SOURCES = FOLDER / 'sources.yml'

_DOMAIN = re.compile(r'[^.*%]+(?:\.[^.*%]+)*')


def _host(url: str) -> str:
    """The host of a URL in lower case and punycode; empty if it has none.

    Read as the fetcher reads it, so that no spelling gets the trust of one host and the page of another.
    """
    try:
        return httpx2.URL(url).raw_host.decode('ascii').removesuffix('.')
    except httpx2.InvalidURL:
        return ''


def _domain(text: str) -> str:
    host = _host(f'http://{text.strip()}/')
    if any(character in text.strip() for character in '/:@?#\\ ') or not _DOMAIN.fullmatch(host):
        raise ValueError(
            f'{shown(text)} is no domain; give the host alone, such as wiki.example.org, for its subdomains too'
        )
    return host


class Tier(Strict):
    """A tier: domains that are trusted alike."""

    weight: Annotated[float, Field(strict=True, ge=0, le=1)]
    """What a statement of such a source counts."""
    domains: tuple[Annotated[str, AfterValidator(_domain)], ...]
    """Hosts, each with all its subdomains; the longest that fits a URL decides."""


class SourceTiers(Strict):
    """All tiers, and the look-up of a source's tier."""

    tiers: dict[TierName, Tier]
    default: TierName = 'tertiary'
    """Of URLs that no domain fits."""
    files: TierName = 'primary'
    """Of local files, which somebody has chosen."""

    @field_validator('tiers')
    @classmethod
    def _complete(cls, tiers: dict[TierName, Tier]) -> dict[TierName, Tier]:
        if missing := [name for name in TIER_NAMES if name not in tiers]:
            raise ValueError(f'{", ".join(missing)} is missing')
        for higher, lower in pairwise(TIER_NAMES):
            if tiers[lower].weight > tiers[higher].weight:
                raise ValueError(
                    f'the weight of {lower} is {tiers[lower].weight}, over that of {higher}, {tiers[higher].weight}'
                )
        named = Counter(domain for tier in tiers.values() for domain in tier.domains)
        if twice := [domain for domain, times in named.items() if times > 1]:
            raise ValueError(f'{", ".join(twice)} stands twice; a domain has one tier')
        return tiers

    @cached_property
    def _by_domain(self) -> dict[str, TierName]:
        return {domain: name for name, tier in self.tiers.items() for domain in tier.domains}

    def of(self, place: str) -> TierName:
        """How far an http(s) URL, in any spelling of its host, or the name of a local file is trusted."""
        scheme, separator, _ = place.strip().partition('://')
        if not separator or scheme.lower() == 'file':
            return self.files
        host = _host(place.strip()) if scheme.lower() in ('http', 'https') else ''
        while host:
            if host in self._by_domain:
                return self._by_domain[host]
            host = host.partition('.')[2]
        return self.default


@dataclass(frozen=True, slots=True)
class Configuration:
    """The configuration files of a research, read."""

    research: ResearchTopics
    tiers: SourceTiers
    search: Sequence[AbstractToolset[Any]] = ()


def load_tiers(path: Path = SHIPPED_SOURCES) -> SourceTiers:
    """Load `tiers`, each of the four with `weight` and `domains`, `default` and `files` from a YAML file.

    Raises:
        ConfigurationError: If the file is wrong; one line with file, key and reason.
    """
    return read_yaml(path, SourceTiers)
