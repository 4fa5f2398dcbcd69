"""The two typed sub-agents: the chunk summarizer (map) and the merger (reduce), both returning `ChunkSummary`."""

from summarizer_tool.llm.typed_query import TypedQuery
from summarizer_tool.schemas import ChunkSummary, TopicalChunkSummary

CHUNK_SUMMARIZER = TypedQuery(
    'chunk_summarizer', 'chunk_summarizer', ChunkSummary, members='facts', empty_prompt='empty_answer'
)
"""The map agent: numbered source lines in, facts with line numbers as evidence out."""

TOPICAL_SUMMARIZER: TypedQuery[ChunkSummary] = TypedQuery(
    'chunk_summarizer', 'chunk_summarizer', TopicalChunkSummary, members='facts', empty_prompt='empty_answer'
)
"""The same for a request with topics: each fact says which of them it serves."""

MERGER = TypedQuery('merger', 'merger', ChunkSummary, members='facts', empty_prompt='empty_answer')
"""The reduce agent: numbered facts in, fewer and denser facts with fact numbers as evidence out."""
