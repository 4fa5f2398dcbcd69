"""The frame around somebody else's text: nothing in the text can close it, and what addresses the reader is marked."""

import regex

from summarizer_tool import addressing_passages, load_prompt, register_tag, wrap_in_tag

OUTPUT_TAG = register_tag('tool_output')
"""What stands between its opening and closing tag was returned by a tool."""

_BLANK = r'[\s\u2800\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]*+'
"""What no reader sees between the letters of a tag."""


def _spelled(letter: str) -> str:
    """A letter, or the same in full width."""
    return f'[{letter}{chr(ord(letter) + 0xFEE0)}]'


_LIKE_TAG = regex.compile(
    f'(?:[<\\uff1c\\ufe64\\u2039\\u3008]|&(?:lt|#0*60|#x0*3c);|\\\\u003c)'
    f'(?={_BLANK}(?:[/\\uff0f\\u2215\\u2044]{_BLANK})?{_BLANK.join(map(_spelled, OUTPUT_TAG))})',
    regex.IGNORECASE,
)
"""What a model may take for the opening bracket of such a tag."""


def framed(text: str, tool: str | None = None) -> str:
    """Frame what a tool has returned, for a model: `<tool_output tool="pods">…</tool_output>`.

    No text can open or close such a tag: the bracket of each in it, and of those that pydantic-ai writes, is escaped.
    A sentence that addresses its reader has a mark before it. The same text gives the same frame. What the frame
    means is told to the model once, by `instructions`.

    Args:
        text: Any text, without secrets. It takes some seconds for each million of characters.
        tool: What the model calls the tool.
    """
    return wrap_in_tag(OUTPUT_TAG, f'\n{_LIKE_TAG.sub("&lt;", marked(text))}\n', tool=tool)


def marked(text: str) -> str:
    """The text with a mark before each sentence that addresses its reader; else it is as it was."""
    mark = load_prompt('tool_results/addressed').strip()
    pieces: list[str] = []
    done = 0
    for passage in addressing_passages(text):
        pieces += [text[done : passage.start], f'{mark} ']
        done = passage.start
    return ''.join([*pieces, text[done:]])


def instructions() -> str:
    """What the model has to be told once: what the frame and the mark mean."""
    return load_prompt('tool_results/untrusted')
