"""Compress any text to a token budget by map-reduce, keeping facts that are traced to their source lines."""

from typing import TYPE_CHECKING

from summarizer_tool.extras import lazy_names as lazy_names

if TYPE_CHECKING:
    from summarizer_tool.digests.digest import Digest as Digest
    from summarizer_tool.digests.digest import digest as digest
    from summarizer_tool.digests.statements import focus_words as focus_words
    from summarizer_tool.documents.document import Document as Document
    from summarizer_tool.errors import ConfigurationError as ConfigurationError
    from summarizer_tool.errors import FetchError as FetchError
    from summarizer_tool.errors import InputTooLargeError as InputTooLargeError
    from summarizer_tool.errors import RequestError as RequestError
    from summarizer_tool.errors import StoreError as StoreError
    from summarizer_tool.errors import SummarizationFailedError as SummarizationFailedError
    from summarizer_tool.errors import SummarizerError as SummarizerError
    from summarizer_tool.errors import UnknownSourceError as UnknownSourceError
    from summarizer_tool.errors import check_type as check_type
    from summarizer_tool.errors import key_path as key_path
    from summarizer_tool.errors import shown as shown
    from summarizer_tool.errors import wrong_values as wrong_values
    from summarizer_tool.evidence.question import AnswerRequest as AnswerRequest
    from summarizer_tool.extractive.model import ExtractiveModel as ExtractiveModel
    from summarizer_tool.extras import naming_extra as naming_extra
    from summarizer_tool.formats.data_texts import texts_of as texts_of_json
    from summarizer_tool.formats.files import GivenSource as GivenSource
    from summarizer_tool.formats.files import read_file as read_file
    from summarizer_tool.formats.files import read_path as read_path
    from summarizer_tool.html.content import read as read_html
    from summarizer_tool.html.page import Page as Page
    from summarizer_tool.llm.failures import first_of as first_error
    from summarizer_tool.llm.failures import reason as failure_reason
    from summarizer_tool.llm.models import build as build_model
    from summarizer_tool.llm.models import check_name as check_model_name
    from summarizer_tool.llm.models import connect as connect_model
    from summarizer_tool.llm.models import model_id as model_id
    from summarizer_tool.llm.options import Progress as Progress
    from summarizer_tool.llm.options import RequestOptions as RequestOptions
    from summarizer_tool.llm.typed_query import TypedQuery as TypedQuery
    from summarizer_tool.mapreduce.request import ExtractionRequest as ExtractionRequest
    from summarizer_tool.mapreduce.request import SummarizeRequest as SummarizeRequest
    from summarizer_tool.mapreduce.request import SummaryTopic as SummaryTopic
    from summarizer_tool.mapreduce.request import what_to_change as what_to_change
    from summarizer_tool.mapreduce.summarizer import Summarizer as Summarizer
    from summarizer_tool.mapreduce.summarizer import SummaryOptions as SummaryOptions
    from summarizer_tool.prompt_tags import register_tag as register_tag
    from summarizer_tool.prompt_tags import wrap as wrap_in_tag
    from summarizer_tool.prompts import Focus as Focus
    from summarizer_tool.prompts import encodable as encodable
    from summarizer_tool.prompts import fill as fill_prompt
    from summarizer_tool.prompts import load as load_prompt
    from summarizer_tool.prompts import render as render_prompt
    from summarizer_tool.prompts import tool_text as tool_text
    from summarizer_tool.report.page import render as render_report
    from summarizer_tool.runtime.executors import in_io_thread as in_io_thread
    from summarizer_tool.runtime.executors import in_thread as in_thread
    from summarizer_tool.runtime.executors import request_load as request_load
    from summarizer_tool.runtime.folders import alone_in as alone_in
    from summarizer_tool.runtime.folders import write_whole as write_whole
    from summarizer_tool.schemas import Audit as Audit
    from summarizer_tool.schemas import ChunkSummary as ChunkSummary
    from summarizer_tool.schemas import Evidence as Evidence
    from summarizer_tool.schemas import Fact as Fact
    from summarizer_tool.schemas import Part as Part
    from summarizer_tool.schemas import SourcedFact as SourcedFact
    from summarizer_tool.schemas import Stats as Stats
    from summarizer_tool.schemas import Summary as Summary
    from summarizer_tool.schemas import TopicSummary as TopicSummary
    from summarizer_tool.schemas import bare_schema as bare_schema
    from summarizer_tool.server.calls import CallsInFlight as CallsInFlight
    from summarizer_tool.server.calls import read_again as read_again
    from summarizer_tool.server.calls import refuse_cursor as refuse_cursor
    from summarizer_tool.server.front import is_loopback as is_loopback
    from summarizer_tool.server.http import arrival as request_arrival
    from summarizer_tool.server.main import serve as serve_mcp
    from summarizer_tool.service.operations import AddSourceRequest as AddSourceRequest
    from summarizer_tool.service.operations import QuerySourceRequest as QuerySourceRequest
    from summarizer_tool.service.operations import ReadSourceRequest as ReadSourceRequest
    from summarizer_tool.service.operations import SearchRequest as SearchRequest
    from summarizer_tool.service.operations import StatusRequest as StatusRequest
    from summarizer_tool.service.retrieval import EvidenceBrief as EvidenceBrief
    from summarizer_tool.service.retrieval import Retriever as Retriever
    from summarizer_tool.service.service import AddedSource as AddedSource
    from summarizer_tool.service.service import Service as Service
    from summarizer_tool.service.service import SummaryReply as SummaryReply
    from summarizer_tool.settings import OptionalAddress as OptionalAddress
    from summarizer_tool.settings import OptionalSecret as OptionalSecret
    from summarizer_tool.settings import OptionalText as OptionalText
    from summarizer_tool.settings import OutputMode as OutputMode
    from summarizer_tool.settings import Settings as Settings
    from summarizer_tool.settings import export_env_file as export_env_file
    from summarizer_tool.settings import is_http as is_http_address
    from summarizer_tool.store.collection import Collection as Collection
    from summarizer_tool.store.connections import Connections as DatabaseConnections
    from summarizer_tool.store.source import Source as Source
    from summarizer_tool.store.source_store import SourceStore as SourceStore
    from summarizer_tool.store.sqlite_file import DatabaseFormat as DatabaseFormat
    from summarizer_tool.telemetry import TerminalLines as TerminalLines
    from summarizer_tool.telemetry import configure as configure_telemetry
    from summarizer_tool.telemetry import defect as defect_attributes
    from summarizer_tool.telemetry import json_lines as json_log_lines
    from summarizer_tool.telemetry import span as trace_span
    from summarizer_tool.text.addresses import key_of as url_key
    from summarizer_tool.text.addresses import shown as shown_address
    from summarizer_tool.text.addressing import passages as addressing_passages
    from summarizer_tool.text.lines import one_line as one_line
    from summarizer_tool.text.negations import says_no_more as says_no_more
    from summarizer_tool.text.own_lines import without_own as without_own_lines
    from summarizer_tool.text.tokens import count as count_tokens
    from summarizer_tool.text.tokens import fits as fits_tokens
    from summarizer_tool.text.tokens import truncate as truncate_tokens
    from summarizer_tool.toolset import SummarizerToolset as SummarizerToolset
    from summarizer_tool.web.robots import Robots as Robots

    # Type checkers take what is imported as itself for public; these have another name in their module.
    __all__ = [
        'DatabaseConnections',
        'addressing_passages',
        'build_model',
        'check_model_name',
        'configure_telemetry',
        'connect_model',
        'count_tokens',
        'defect_attributes',
        'failure_reason',
        'fill_prompt',
        'first_error',
        'fits_tokens',
        'is_http_address',
        'json_log_lines',
        'load_prompt',
        'read_html',
        'render_prompt',
        'render_report',
        'request_arrival',
        'serve_mcp',
        'shown_address',
        'texts_of_json',
        'trace_span',
        'truncate_tokens',
        'url_key',
        'without_own_lines',
        'wrap_in_tag',
    ]
    __version__: str
else:
    # A name is imported when it is first asked for: `--help` should not wait for pydantic-ai.
    __getattr__ = lazy_names(__name__, __file__)
