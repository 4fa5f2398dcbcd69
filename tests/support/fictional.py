"""Pages of an invented wiki, to be read."""

from summarizer_tool.html.convert import to_markdown

PROSE = (
    '<p>The Salt Gate is the oldest of the five gates of Merrowdown, and the only one that the flood of 1612 left '
    'standing. Its keepers have counted the ships that pass it ever since, and their books are all still there.</p>'
)
"""A paragraph that no one takes for a menu."""


def article(markup: str) -> str:
    """A whole page around some markup: menu, text before and after it, footer."""
    return f"""<!doctype html><html lang="en"><head><title>Salt Gate - Merrowdown Wiki</title></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/gates">Gates</a></li></ul></nav>
<main><article><h1>Salt Gate</h1>{PROSE}
{markup}
<p>Beyond the gate the road forks: one arm leads to the drowned orchards, the other to the lighthouse at Cold Ness,
whose lamp was lit for the last time in the year of the great frost.</p></article></main>
<footer><p>Merrowdown Wiki, run by its readers. Imprint</p></footer></body></html>"""


def between(markdown: str) -> str:
    """What stands between the two paragraphs that `article` puts around its markup."""
    before, _, rest = markdown.partition('books are all still there.\n\n')
    found, _, after = rest.partition('Beyond the gate the road forks')
    assert before.startswith('# Salt Gate\n\nThe Salt Gate'), markdown
    assert after.endswith('the year of the great frost.'), markdown
    return found.strip('\n')


def read(markup: str) -> str:
    """The markdown of some markup within a whole page."""
    return between(to_markdown(article(markup), 'https://merrowdown.example/salt-gate').markdown)
