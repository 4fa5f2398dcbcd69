"""Put the material into a prompt: numbered pages and sections, framed as data, in a size that is known beforehand."""

from collections.abc import Callable, Sequence

import regex

from researcher_integration.lore.material import CrawledPage, KeptSection, Material, titled
from summarizer_tool import count_tokens, one_line, register_tag, render_prompt, truncate_tokens, wrap_in_tag

# Names that no HTML has: what spells a registered tag is escaped in all frames.
PAGES_TAG = register_tag('crawled_pages')
SECTION_TAG = register_tag('kept_section')

# Whatever could be read as the `<` of a tag, folded or decoded as models do; `< 50`, `<=` and `Tull & Sons` are none.
_OPENER = regex.compile(r'[<＜﹤](?!\s*[\d=-])')
_ENTITY = regex.compile(r'[&＆﹠](?!\s|$|[a-km-zA-KM-Z0-9])')
# `[INST]`, `[|user|]`, `]~b]` and their like; those in angles are no tokens any more without their `<`.
_TOKEN_OPENER = regex.compile(r'\[(?=\||/?[A-Z]+(?:_[A-Z]+)*\]|e~\[)')
_TOKEN_CLOSER = regex.compile(r'\](?=~)')

SEAM_TOKENS = 8
"""Room beside a section's own tokens, for what its first and last tokens become between the lines of its frame, and
for a few of them that change in `plain`; what more tokens the change makes is taken from the section's end."""


def plain(text: str) -> str:
    """A text in which nothing resembles a frame, or a control token of a chat template.

    An escaped frame still resembles one: pydantic-ai would put a note beside it, and break control tokens up for hosts
    that may read them, so that more would be sent than was counted.
    """
    text = _OPENER.sub('(', text.encode(errors='replace').decode())
    return _TOKEN_CLOSER.sub(')', _TOKEN_OPENER.sub('(', _ENTITY.sub('+', text)))


def _line(text: str) -> str:
    return plain(one_line(text))


def page_list(pages: Sequence[CrawledPage]) -> str:
    """The pages as a frame: a number, a short title and a tier each; addresses are not needed."""
    return wrap_in_tag(
        PAGES_TAG, '\n' + ''.join(f'[{page.number}] {_line(titled(page.title))} ({page.tier})\n' for page in pages)
    )


def framed(section: KeptSection) -> str:
    """A section as a frame, of at most its own tokens and `SEAM_TOKENS` more inside; empty if it has no text.

    No cl100k token reaches from the end of a line into one that begins with a visible character. So the frame's lines
    and the text, stripped, are counted one by one, and their sum is exact.
    """
    limit = count_tokens(section.text) + SEAM_TOKENS
    body = plain(section.text).strip()
    while body and (over := count_tokens(f'{body}\n') - limit) > 0:
        body = truncate_tokens(body, count_tokens(body) - over).rstrip()
    if not body:
        return ''
    closing = f'</{SECTION_TAG}>'
    opening = wrap_in_tag(SECTION_TAG, '', header=_line(section.header)).removesuffix(closing)
    return f'{opening}\n{body}\n{closing}'


def request(template: str, material: Material, **values: str) -> str:
    """The user prompt."""
    return render_prompt(
        template,
        zone=_line(material.zone),
        pages=page_list(material.pages),
        sections='\n\n'.join(filter(None, map(framed, material.sections))),
        **values,
    )


def room(sizes: Sequence[Callable[[Material], int]], sample: Material, window_tokens: int) -> int:
    """Tokens that the sections of a material may have together for each request about it to keep to the window.

    The sample has a section of one token in place of each that there may be; `sizes` give those of the requests.
    """
    # As many tokens are left for texts as the request with the sample leaves, and what that has for them.
    left = window_tokens - max(size(sample) for size in sizes) - len(sample.sections) * SEAM_TOKENS
    if left < 1:
        raise ValueError(
            f'instructions, zone and the list of {len(sample.pages)} pages take {window_tokens - left:,} tokens, '
            f'which leaves no room in window_tokens={window_tokens:,}; give fewer pages or a larger window'
        )
    return left
