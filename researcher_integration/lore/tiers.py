"""How far a source is trusted: by the domain of its URL, from `config/sources.yml` unless another file is named."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import httpx2
from pydantic import AfterValidator, Field, field_validator

from researcher_integration.config.files import FOLDER, Strict, read_yaml, shown
from researcher_integration.lore.material import TIER_NAMES, TierName

SHIPPED_SOURCES = FOLDER / 'sources.yml'


def _host(url: str) -> str:
    """The host of a URL in lower case and punycode; empty if it has none.

    Read as the fetcher reads it, so that no spelling gets the trust of one host and the page of another.
    """
    try:
        return httpx2.URL(url).raw_host.decode('ascii').removesuffix('.')
    except httpx2.InvalidURL:
        return ''


def _domain(text: str) -> str:
    """A domain from the file, as `_host` gives it."""
    text = text.strip()
    if '*' in text:
        raise ValueError(f'{shown(text)} has a wildcard; give the domain alone, which stands for its subdomains too')
    if not text or any(character in text for character in '/:@?#\\ '):
        raise ValueError(f'{shown(text)} is no domain; give the host alone, such as wiki.example.org')
    host = _host(f'http://{text}/')
    if not host or '%' in host or '' in host.split('.'):
        raise ValueError(f'{shown(text)} is no domain; give the host alone, such as wiki.example.org')
    return host


@dataclass(frozen=True, slots=True)
class Trust:
    """How far one source is trusted."""

    tier: TierName
    weight: float
    """From 0 to 1."""


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
        seen: dict[str, TierName] = {}
        for name in TIER_NAMES:
            for domain in tiers[name].domains:
                if seen.get(domain) == name:
                    raise ValueError(f'{domain} stands twice in {name}')
                if domain in seen:
                    raise ValueError(f'{domain} stands in {seen[domain]} and in {name}; a domain has one tier')
                seen[domain] = name
        return tiers

    @cached_property
    def _by_domain(self) -> dict[str, TierName]:
        return {domain: name for name, tier in self.tiers.items() for domain in tier.domains}

    def of(self, place: str) -> Trust:
        """How far an http(s) URL, in any spelling of its host, or the name of a local file is trusted."""
        tier = self._tier(place)
        return Trust(tier, self.tiers[tier].weight)

    def _tier(self, place: str) -> TierName:
        scheme, separator, _ = place.strip().partition('://')
        if not separator or scheme.lower() == 'file':
            return self.files
        host = _host(place.strip()) if scheme.lower() in ('http', 'https') else ''
        while host:
            if host in self._by_domain:
                return self._by_domain[host]
            host = host.partition('.')[2]
        return self.default


def load_tiers(path: Path = SHIPPED_SOURCES) -> SourceTiers:
    """Load `tiers`, each of the four with `weight` and `domains`, `default` and `files` from a YAML file.

    Raises:
        ConfigurationError: If the file is wrong; one line with file, key and reason.
    """
    return read_yaml(path, SourceTiers)
