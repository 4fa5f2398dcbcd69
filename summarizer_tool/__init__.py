"""Compress any text to a token budget by map-reduce, keeping facts that are traced to their source lines."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from summarizer_tool.documents.document import Document
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
    from summarizer_tool.extractive.model import ExtractiveModel
    from summarizer_tool.extras import naming_extra
    from summarizer_tool.html.content import read as read_html
    from summarizer_tool.html.page import Page
    from summarizer_tool.llm.failures import first_of as first_error
    from summarizer_tool.llm.failures import reason as failure_reason
    from summarizer_tool.llm.models import build as build_model
    from summarizer_tool.llm.models import connect as connect_model
    from summarizer_tool.llm.models import model_id
    from summarizer_tool.llm.options import Progress, RequestOptions
    from summarizer_tool.llm.typed_query import TypedQuery
    from summarizer_tool.mapreduce.request import ExtractionRequest, SummarizeRequest
    from summarizer_tool.mapreduce.summarizer import Summarizer
    from summarizer_tool.prompt_tags import register_tag
    from summarizer_tool.prompt_tags import wrap as wrap_in_tag
    from summarizer_tool.prompts import Focus
    from summarizer_tool.prompts import fill as fill_prompt
    from summarizer_tool.prompts import load as load_prompt
    from summarizer_tool.prompts import render as render_prompt
    from summarizer_tool.schemas import ChunkSummary, Evidence, Fact, Part, SourcedFact, Stats, Summary
    from summarizer_tool.service.requests import (
        AddSourceRequest,
        AnswerRequest,
        ReadSourceRequest,
        SearchRequest,
        StatusRequest,
    )
    from summarizer_tool.service.retrieval import EvidenceBrief, Retriever
    from summarizer_tool.service.service import AddedSource, Service, SummaryReply
    from summarizer_tool.settings import OutputMode, Settings, export_env_file
    from summarizer_tool.store.collection import Collection
    from summarizer_tool.store.source import Source
    from summarizer_tool.store.source_store import SourceStore
    from summarizer_tool.store.sqlite_file import DatabaseFormat, open_database
    from summarizer_tool.telemetry import TerminalLines
    from summarizer_tool.telemetry import configure as configure_telemetry
    from summarizer_tool.telemetry import defect as defect_attributes
    from summarizer_tool.telemetry import json_lines as json_log_lines
    from summarizer_tool.telemetry import span as trace_span
    from summarizer_tool.text.addresses import key_of as url_key
    from summarizer_tool.text.lines import one_line
    from summarizer_tool.text.tokens import count as count_tokens
    from summarizer_tool.text.tokens import fits as fits_tokens
    from summarizer_tool.text.tokens import truncate as truncate_tokens
    from summarizer_tool.toolset import SummarizerToolset

    __version__: str

__all__ = (
    'AddSourceRequest',
    'AddedSource',
    'AnswerRequest',
    'ChunkSummary',
    'Collection',
    'ConfigurationError',
    'DatabaseFormat',
    'Document',
    'Evidence',
    'EvidenceBrief',
    'ExtractionRequest',
    'ExtractiveModel',
    'Fact',
    'FetchError',
    'Focus',
    'InputTooLargeError',
    'OutputMode',
    'Page',
    'Part',
    'Progress',
    'ReadSourceRequest',
    'RequestError',
    'RequestOptions',
    'Retriever',
    'SearchRequest',
    'Service',
    'Settings',
    'Source',
    'SourceStore',
    'SourcedFact',
    'Stats',
    'StatusRequest',
    'StoreError',
    'SummarizationFailedError',
    'SummarizeRequest',
    'Summarizer',
    'SummarizerError',
    'SummarizerToolset',
    'Summary',
    'SummaryReply',
    'TerminalLines',
    'TypedQuery',
    'UnknownSourceError',
    '__version__',
    'build_model',
    'configure_telemetry',
    'connect_model',
    'count_tokens',
    'defect_attributes',
    'export_env_file',
    'failure_reason',
    'fill_prompt',
    'first_error',
    'fits_tokens',
    'json_log_lines',
    'load_prompt',
    'model_id',
    'naming_extra',
    'one_line',
    'open_database',
    'read_html',
    'register_tag',
    'render_prompt',
    'trace_span',
    'truncate_tokens',
    'url_key',
    'wrap_in_tag',
)

_MODULES = {
    'AddSourceRequest': 'service.requests',
    'AddedSource': 'service.service',
    'AnswerRequest': 'service.requests',
    'ChunkSummary': 'schemas',
    'Collection': 'store.collection',
    'ConfigurationError': 'errors',
    'DatabaseFormat': 'store.sqlite_file',
    'Document': 'documents.document',
    'Evidence': 'schemas',
    'EvidenceBrief': 'service.retrieval',
    'ExtractionRequest': 'mapreduce.request',
    'ExtractiveModel': 'extractive.model',
    'Fact': 'schemas',
    'FetchError': 'errors',
    'Focus': 'prompts',
    'InputTooLargeError': 'errors',
    'OutputMode': 'settings',
    'Page': 'html.page',
    'Part': 'schemas',
    'Progress': 'llm.options',
    'ReadSourceRequest': 'service.requests',
    'RequestError': 'errors',
    'RequestOptions': 'llm.options',
    'Retriever': 'service.retrieval',
    'SearchRequest': 'service.requests',
    'Service': 'service.service',
    'Settings': 'settings',
    'Source': 'store.source',
    'SourceStore': 'store.source_store',
    'SourcedFact': 'schemas',
    'Stats': 'schemas',
    'StatusRequest': 'service.requests',
    'StoreError': 'errors',
    'SummarizationFailedError': 'errors',
    'SummarizeRequest': 'mapreduce.request',
    'Summarizer': 'mapreduce.summarizer',
    'SummarizerError': 'errors',
    'SummarizerToolset': 'toolset',
    'Summary': 'schemas',
    'SummaryReply': 'service.service',
    'TerminalLines': 'telemetry',
    'TypedQuery': 'llm.typed_query',
    'UnknownSourceError': 'errors',
    'build_model': 'llm.models:build',
    'configure_telemetry': 'telemetry:configure',
    'connect_model': 'llm.models:connect',
    'count_tokens': 'text.tokens:count',
    'defect_attributes': 'telemetry:defect',
    'export_env_file': 'settings',
    'failure_reason': 'llm.failures:reason',
    'fill_prompt': 'prompts:fill',
    'first_error': 'llm.failures:first_of',
    'fits_tokens': 'text.tokens:fits',
    'json_log_lines': 'telemetry:json_lines',
    'load_prompt': 'prompts:load',
    'model_id': 'llm.models',
    'one_line': 'text.lines',
    'open_database': 'store.sqlite_file',
    'naming_extra': 'extras',
    'read_html': 'html.content:read',
    'register_tag': 'prompt_tags',
    'render_prompt': 'prompts:render',
    'trace_span': 'telemetry:span',
    'truncate_tokens': 'text.tokens:truncate',
    'url_key': 'text.addresses:key_of',
    'wrap_in_tag': 'prompt_tags:wrap',
}
"""The module of each public name, and after a colon its name there, where that is another."""


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for: `summarizer --help` should not wait for pydantic-ai."""
    if name == '__version__':
        from importlib.metadata import version

        return version('summarizer-tool')
    if name not in _MODULES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    from summarizer_tool.extras import naming_extra

    module, _, attribute = _MODULES[name].partition(':')
    with naming_extra():
        value = globals()[name] = getattr(import_module(f'{__name__}.{module}'), attribute or name)
    return value
