"""Lines with the numbers of a request."""

from summarizer_tool.mapreduce.numbering import Numbered
from summarizer_tool.prompts import NumberedLine, PromptSource


def test_what_is_left_keeps_the_headings_over_it():
    texts = ['# Factions', 'They quarrel.', '## The Silt Choir', 'It sings.', 'It drowns.']
    lines = [NumberedLine(number, text) for number, text in enumerate(texts, 1)]
    numbered = Numbered([PromptSource(lines, ()), PromptSource([], ())], [(0, 10 + n) for n in range(5)])
    assert [line.text for line in numbered.after((0, 13)).lines] == ['# Factions', '## The Silt Choir', 'It drowns.']
    assert numbered.after((0, 14)).sources == []
