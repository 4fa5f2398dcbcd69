"""Compress any text to a token budget by map-reduce, keeping facts that are traced to their source lines."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from summarizer_tool import failures, html, models, prompts, telemetry, tokens
    from summarizer_tool.documents import Document
    from summarizer_tool.errors import (
        ConfigurationError,
        FetchError,
        InputTooLargeError,
        RequestError,
        StoreError,
        SummarizationFailedError,
        SummarizerError,
        UnknownSourceError,
    )
    from summarizer_tool.extractive import ExtractiveModel
    from summarizer_tool.job import Call, Progress
    from summarizer_tool.pages.page import Page
    from summarizer_tool.prompts import Wish
    from summarizer_tool.retrieval import Retrieved, Retriever
    from summarizer_tool.schemas import ChunkSummary, Evidence, Fact, Part, SourcedFact, Stats, Summary
    from summarizer_tool.service import AddedSource, Answer, Service
    from summarizer_tool.settings import Settings, export_env_file
    from summarizer_tool.store import Collection, Source, SourceStore
    from summarizer_tool.summarizer import Summarizer
    from summarizer_tool.toolset import SummarizerToolset

__all__ = (
    'AddedSource',
    'Answer',
    'Call',
    'ChunkSummary',
    'Collection',
    'ConfigurationError',
    'Document',
    'Evidence',
    'ExtractiveModel',
    'Fact',
    'FetchError',
    'InputTooLargeError',
    'Page',
    'Part',
    'Progress',
    'RequestError',
    'Retrieved',
    'Retriever',
    'Service',
    'Settings',
    'Source',
    'SourceStore',
    'SourcedFact',
    'Stats',
    'StoreError',
    'SummarizationFailedError',
    'Summarizer',
    'SummarizerError',
    'SummarizerToolset',
    'Summary',
    'UnknownSourceError',
    'Wish',
    'export_env_file',
    'failures',
    'html',
    'models',
    'prompts',
    'telemetry',
    'tokens',
)

_SUBMODULES = ('failures', 'html', 'models', 'prompts', 'telemetry', 'tokens')

_NAMES = {
    'documents': ('Document',),
    'job': ('Call', 'Progress'),
    'errors': (
        'ConfigurationError',
        'FetchError',
        'InputTooLargeError',
        'RequestError',
        'StoreError',
        'SummarizationFailedError',
        'SummarizerError',
        'UnknownSourceError',
    ),
    'extractive': ('ExtractiveModel',),
    'schemas': ('ChunkSummary', 'Evidence', 'Fact', 'Part', 'SourcedFact', 'Stats', 'Summary'),
    'pages.page': ('Page',),
    'prompts': ('Wish',),
    'retrieval': ('Retrieved', 'Retriever'),
    'service': ('AddedSource', 'Answer', 'Service'),
    'settings': ('Settings', 'export_env_file'),
    'store': ('Collection', 'Source', 'SourceStore'),
    'summarizer': ('Summarizer',),
    'toolset': ('SummarizerToolset',),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for: `summarizer --help` should not wait for pydantic-ai."""
    if name in _SUBMODULES:
        return import_module(f'{__name__}.{name}')
    if name not in _MODULES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    value = globals()[name] = getattr(import_module(f'{__name__}.{_MODULES[name]}'), name)
    return value
