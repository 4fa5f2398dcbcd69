"""What happens to the tool results of a run, as events that a front end can follow while they happen."""

from researcher_integration.timeline.broker import Sink, SlowSubscriberError, Timeline
from researcher_integration.timeline.events import (
    Draft,
    Summarizing,
    SummaryDelta,
    TimelineEvent,
    ToolCall,
    ToolResult,
    ToolSummary,
)
from researcher_integration.timeline.hub import Hub
from researcher_integration.timeline.log import EventLog, LoggedRun

__all__ = (
    'Draft',
    'EventLog',
    'Hub',
    'LoggedRun',
    'Sink',
    'SlowSubscriberError',
    'Summarizing',
    'SummaryDelta',
    'Timeline',
    'TimelineEvent',
    'ToolCall',
    'ToolResult',
    'ToolSummary',
)
