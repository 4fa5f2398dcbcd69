"""distil-llm, in a conversation whose last message is the result; it has no limit of tokens to be told."""

from distil import compress_messages  # pyright: ignore[reportMissingImports]

from tests.proofs.tool_results.peers.ways import QUESTION, show


def compressed(text: str) -> str:
    """As `distil.compress_messages` has it."""
    messages = [{'role': 'user', 'content': QUESTION}, {'role': 'tool', 'tool_call_id': 'call_1', 'content': text}]
    return compress_messages(messages).messages[-1]['content']


if __name__ == '__main__':
    show({'distil-llm, compress_messages': compressed})
