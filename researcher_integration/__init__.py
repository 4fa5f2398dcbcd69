"""How agents use the summarizer: a researcher of game lore, whole or in parts, and a capability for noisy tools."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from researcher_integration.backends import InProcess, SummaryBackend, SummaryUnavailableError
    from researcher_integration.checkpoint import Checkpoint, Request
    from researcher_integration.contradictions import Claim, Conflict
    from researcher_integration.crawling import CrawlDeps, Crawler, crawl_tool
    from researcher_integration.errors import ResearchError
    from researcher_integration.material import Page
    from researcher_integration.mcp_selection import MCPSelection, MCPSelectionError, SelectMCPServers
    from researcher_integration.mcp_servers import load_search_servers
    from researcher_integration.over_mcp import OverMCP
    from researcher_integration.package import Package
    from researcher_integration.pipeline import Configuration, Progress, Research
    from researcher_integration.records import (
        FactionData,
        LoreData,
        NarrativeItemData,
        NPCData,
        Record,
        Relation,
        ZoneData,
    )
    from researcher_integration.researcher import Findings, LoreResearcher, StepDeps
    from researcher_integration.settings import ResearchSettings
    from researcher_integration.tiers import SourceTiers, load_tiers
    from researcher_integration.timeline import EventLog, Hub, Timeline, TimelineEvent
    from researcher_integration.timeline.app import TimelineServer, timeline_app
    from researcher_integration.tool_results.capability import SummarizeToolResults
    from researcher_integration.tool_results.config import ToolResultRules, load_rules
    from researcher_integration.tool_results.masked_calls import masked_calls
    from researcher_integration.tool_results.masking import Masker, MaskingError
    from researcher_integration.topics import ResearchTopics, Topic, load_topics

__all__ = (
    'Checkpoint',
    'Claim',
    'Configuration',
    'Conflict',
    'CrawlDeps',
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
    'Page',
    'Progress',
    'Record',
    'Relation',
    'Request',
    'Research',
    'ResearchError',
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
    'crawl_tool',
    'load_rules',
    'load_search_servers',
    'load_tiers',
    'load_topics',
    'masked_calls',
    'timeline_app',
)

_NAMES = {
    'backends': ('InProcess', 'SummaryBackend', 'SummaryUnavailableError'),
    'over_mcp': ('OverMCP',),
    'checkpoint': ('Checkpoint', 'Request'),
    'contradictions': ('Claim', 'Conflict'),
    'crawling': ('CrawlDeps', 'Crawler', 'crawl_tool'),
    'errors': ('ResearchError',),
    'material': ('Page',),
    'mcp_selection': ('MCPSelection', 'MCPSelectionError', 'SelectMCPServers'),
    'mcp_servers': ('load_search_servers',),
    'package': ('Package',),
    'pipeline': ('Configuration', 'Progress', 'Research'),
    'records': ('FactionData', 'LoreData', 'NPCData', 'NarrativeItemData', 'Record', 'Relation', 'ZoneData'),
    'researcher': ('Findings', 'LoreResearcher', 'StepDeps'),
    'settings': ('ResearchSettings',),
    'tiers': ('SourceTiers', 'load_tiers'),
    'timeline': ('EventLog', 'Hub', 'Timeline', 'TimelineEvent'),
    'timeline.app': ('TimelineServer', 'timeline_app'),
    'tool_results.capability': ('SummarizeToolResults',),
    'tool_results.config': ('ToolResultRules', 'load_rules'),
    'tool_results.masked_calls': ('masked_calls',),
    'tool_results.masking': ('Masker', 'MaskingError'),
    'topics': ('ResearchTopics', 'Topic', 'load_topics'),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for: `lore-research --help` should not wait for pydantic-ai."""
    if name not in _MODULES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    value = globals()[name] = getattr(import_module(f'{__name__}.{_MODULES[name]}'), name)
    return value
