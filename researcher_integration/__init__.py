"""How agents use the summarizer: a researcher of game lore, whole or in parts, and a capability for noisy tools."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from researcher_integration.lore.checkpoint import Checkpoint, ResearchRequest
    from researcher_integration.lore.crawl.crawling import CrawlDeps, Crawler, crawl_tool
    from researcher_integration.lore.crawl.researcher import Findings, LoreResearcher, StepDeps
    from researcher_integration.lore.errors import ResearchError
    from researcher_integration.lore.extraction.contradictions import Claim, Conflict
    from researcher_integration.lore.extraction.records import (
        FactionData,
        LoreData,
        NarrativeItemData,
        NPCData,
        Record,
        Relation,
        ZoneData,
    )
    from researcher_integration.lore.material import CrawledPage
    from researcher_integration.lore.package import Package
    from researcher_integration.lore.pipeline import Configuration, Research, ResearchProgress
    from researcher_integration.lore.settings import ResearchSettings
    from researcher_integration.lore.summaries.backends import InProcess, SummaryBackend, SummaryUnavailableError
    from researcher_integration.lore.summaries.over_mcp import OverMCP
    from researcher_integration.lore.tiers import SourceTiers, load_tiers
    from researcher_integration.lore.topics import ResearchTopics, Topic, load_topics
    from researcher_integration.masking.masking import Masker, MaskingError
    from researcher_integration.mcp.search_servers import load_search_servers
    from researcher_integration.mcp.selection import MCPSelection, MCPSelectionError, SelectMCPServers
    from researcher_integration.timeline import EventLog, Hub, Timeline, TimelineEvent
    from researcher_integration.timeline.app import TimelineServer, timeline_app
    from researcher_integration.tool_results.capability import SummarizeToolResults
    from researcher_integration.tool_results.masked_calls import masked_calls
    from researcher_integration.tool_results.rules import ToolResultRules, load_rules

    __version__: str

__all__ = (
    'Checkpoint',
    'Claim',
    'Configuration',
    'Conflict',
    'CrawlDeps',
    'CrawledPage',
    'Crawler',
    'EventLog',
    'FactionData',
    'Findings',
    'Hub',
    'InProcess',
    'LoreData',
    'LoreResearcher',
    'MCPSelection',
    'MCPSelectionError',
    'Masker',
    'MaskingError',
    'NPCData',
    'NarrativeItemData',
    'OverMCP',
    'Package',
    'Record',
    'Relation',
    'Research',
    'ResearchError',
    'ResearchProgress',
    'ResearchRequest',
    'ResearchSettings',
    'ResearchTopics',
    'SelectMCPServers',
    'SourceTiers',
    'StepDeps',
    'SummarizeToolResults',
    'SummaryBackend',
    'SummaryUnavailableError',
    'Timeline',
    'TimelineEvent',
    'TimelineServer',
    'ToolResultRules',
    'Topic',
    'ZoneData',
    '__version__',
    'crawl_tool',
    'load_rules',
    'load_search_servers',
    'load_tiers',
    'load_topics',
    'masked_calls',
    'timeline_app',
)

_NAMES = {
    'lore.summaries.backends': ('InProcess', 'SummaryBackend', 'SummaryUnavailableError'),
    'lore.summaries.over_mcp': ('OverMCP',),
    'lore.checkpoint': ('Checkpoint', 'ResearchRequest'),
    'lore.extraction.contradictions': ('Claim', 'Conflict'),
    'lore.crawl.crawling': ('CrawlDeps', 'Crawler', 'crawl_tool'),
    'lore.errors': ('ResearchError',),
    'lore.material': ('CrawledPage',),
    'mcp.selection': ('MCPSelection', 'MCPSelectionError', 'SelectMCPServers'),
    'mcp.search_servers': ('load_search_servers',),
    'lore.package': ('Package',),
    'lore.pipeline': ('Configuration', 'ResearchProgress', 'Research'),
    'lore.extraction.records': (
        'FactionData',
        'LoreData',
        'NPCData',
        'NarrativeItemData',
        'Record',
        'Relation',
        'ZoneData',
    ),
    'lore.crawl.researcher': ('Findings', 'LoreResearcher', 'StepDeps'),
    'lore.settings': ('ResearchSettings',),
    'lore.tiers': ('SourceTiers', 'load_tiers'),
    'timeline': ('EventLog', 'Hub', 'Timeline', 'TimelineEvent'),
    'timeline.app': ('TimelineServer', 'timeline_app'),
    'tool_results.capability': ('SummarizeToolResults',),
    'tool_results.rules': ('ToolResultRules', 'load_rules'),
    'tool_results.masked_calls': ('masked_calls',),
    'masking.masking': ('Masker', 'MaskingError'),
    'lore.topics': ('ResearchTopics', 'Topic', 'load_topics'),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for: `lore-research --help` should not wait for pydantic-ai."""
    if name == '__version__':
        from importlib.metadata import version

        return version('summarizer-tool')
    if name not in _MODULES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    from summarizer_tool import naming_extra

    with naming_extra():
        value = globals()[name] = getattr(import_module(f'{__name__}.{_MODULES[name]}'), name)
    return value
