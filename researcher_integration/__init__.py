"""How agents use the summarizer: a researcher of game lore, whole or in parts, and a capability for noisy tools."""

from typing import TYPE_CHECKING

from summarizer_tool import lazy_names

if TYPE_CHECKING:
    from researcher_integration.lore.checkpoint import Checkpoint as Checkpoint
    from researcher_integration.lore.checkpoint import ResearchRequest as ResearchRequest
    from researcher_integration.lore.configuration import Configuration as Configuration
    from researcher_integration.lore.configuration import ResearchSettings as ResearchSettings
    from researcher_integration.lore.configuration import ResearchTopics as ResearchTopics
    from researcher_integration.lore.configuration import SourceTiers as SourceTiers
    from researcher_integration.lore.configuration import Topic as Topic
    from researcher_integration.lore.configuration import load_tiers as load_tiers
    from researcher_integration.lore.configuration import load_topics as load_topics
    from researcher_integration.lore.crawl.crawling import Crawler as Crawler
    from researcher_integration.lore.crawl.crawling import StepDeps as StepDeps
    from researcher_integration.lore.crawl.crawling import crawl_tool as crawl_tool
    from researcher_integration.lore.crawl.researcher import Findings as Findings
    from researcher_integration.lore.crawl.researcher import LoreResearcher as LoreResearcher
    from researcher_integration.lore.extraction.cross_reference import Claim as Claim
    from researcher_integration.lore.extraction.cross_reference import Conflict as Conflict
    from researcher_integration.lore.extraction.records import FactionData as FactionData
    from researcher_integration.lore.extraction.records import LoreData as LoreData
    from researcher_integration.lore.extraction.records import NarrativeItemData as NarrativeItemData
    from researcher_integration.lore.extraction.records import NPCData as NPCData
    from researcher_integration.lore.extraction.records import Record as Record
    from researcher_integration.lore.extraction.records import Relation as Relation
    from researcher_integration.lore.extraction.records import ZoneData as ZoneData
    from researcher_integration.lore.material import CrawledPage as CrawledPage
    from researcher_integration.lore.material import ResearchError as ResearchError
    from researcher_integration.lore.package import Package as Package
    from researcher_integration.lore.pipeline import Research as Research
    from researcher_integration.lore.steps.steps import ResearchProgress as ResearchProgress
    from researcher_integration.lore.summaries.backends import InProcess as InProcess
    from researcher_integration.lore.summaries.backends import SummaryUnavailableError as SummaryUnavailableError
    from researcher_integration.lore.summaries.over_mcp import OverMCP as OverMCP
    from researcher_integration.lore.summaries.over_mcp import SummaryBackend as SummaryBackend
    from researcher_integration.masking.masking import Masker as Masker
    from researcher_integration.masking.masking import MaskingError as MaskingError
    from researcher_integration.mcp.search_servers import load_search_servers as load_search_servers
    from researcher_integration.mcp.selection import MCPSelection as MCPSelection
    from researcher_integration.mcp.selection import MCPSelectionError as MCPSelectionError
    from researcher_integration.mcp.selection import SelectMCPServers as SelectMCPServers
    from researcher_integration.timeline.app import timeline_app as timeline_app
    from researcher_integration.timeline.broker import Hub as Hub
    from researcher_integration.timeline.broker import Timeline as Timeline
    from researcher_integration.timeline.events import TimelineEvent as TimelineEvent
    from researcher_integration.timeline.log import EventLog as EventLog
    from researcher_integration.tool_results.called import masked_calls as masked_calls
    from researcher_integration.tool_results.capability import SummarizeToolResults as SummarizeToolResults
    from researcher_integration.tool_results.rules import ToolResultRules as ToolResultRules
    from researcher_integration.tool_results.rules import load_rules as load_rules

    __version__: str
else:
    # A name is imported when it is first asked for: `--help` should not wait for pydantic-ai.
    __getattr__ = lazy_names(__name__, __file__)
