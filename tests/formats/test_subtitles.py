"""Subtitles as the text that is said."""

import pytest

from summarizer_tool.formats.reading import plain_text

_SRT = """1
00:00:01,000 --> 00:00:02,900
The keel of the <i>Marigold</i> was laid

2
00:00:03,000 --> 00:00:05,900
in 1911, by Anders Holm.
- Where is the log?

3
00:00:06,000 --> 00:00:08,900
- In the {\\an8}museum.

4
00:00:09,000 --> 00:00:10,900
[door slams]

5
00:05:09,000 --> 00:05:10,900
BRANDT: Tom &amp; I left.
"""

_VTT = """WEBVTT
Kind: captions

NOTE nobody says this

first
00:01.000 --> 00:02.900 align:start
<v Anna>Thirty days today,

00:03.000 --> 00:05.900
<v Anna>Thirty days today,
and legal <c.loud>wants</c> ninety.

00:06.000 --> 00:08.900
<v Bob>Too costly.
"""

_HALF_NAMED = """1
00:00:01,000 --> 00:00:02,900
We tried three glues.

2
00:00:03,000 --> 00:00:05,900
NORA: Bone glue failed
in the first

3
00:00:06,000 --> 00:00:08,900
winter.

4
00:00:09,000 --> 00:00:10,900
It failed as the loft was wet.
"""


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        (
            _SRT,
            'The keel of the Marigold was laid in 1911, by Anders Holm.\n\nWhere is the log?\n\nIn the museum.\n\n'
            '[door slams]\n\nBRANDT: Tom & I left.\n',
        ),
        (_VTT, 'Anna: Thirty days today, and legal wants ninety.\n\nBob: Too costly.\n'),
        (
            _HALF_NAMED,
            'We tried three glues.\n\nNORA: Bone glue failed in the first winter.\n\nIt failed as the loft was wet.\n',
        ),
        ('3\n00:00:01,000 to 00:00:02,900\nno cue', '3\n00:00:01,000 to 00:00:02,900\nno cue'),
    ],
)
def test_what_is_said_is_told(text: str, said: str) -> None:
    assert plain_text(text, 'talk.srt') == said
