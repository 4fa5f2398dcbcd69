"""headroom-ai, in a conversation whose last message is the result; it has no limit of tokens to be told."""

from headroom import compress  # pyright: ignore[reportMissingImports]

from tests.proofs.tool_results.peers.ways import QUESTION, show

CALL = {'id': 'call_1', 'type': 'function', 'function': {'name': 'look', 'arguments': '{}'}}


def compressed(text: str) -> str:
    """As `headroom.compress` has it, with the newest messages compressed too."""
    messages = [
        {'role': 'user', 'content': QUESTION},
        {'role': 'assistant', 'content': None, 'tool_calls': [CALL]},
        {'role': 'tool', 'tool_call_id': 'call_1', 'content': text},
    ]
    return compress(messages, protect_recent=0).messages[-1]['content']


if __name__ == '__main__':
    show({'headroom-ai, compress': compressed})
