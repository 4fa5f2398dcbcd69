"""What is measured of a summary's text; the shared tools' own measures where they are there."""

import json
import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from tests.proofs.eval.shared import gold, page, tool

_OTHER = re.compile(r'^(?:#|\||```| {4}|\[src_)')
_LEAD = re.compile(r'^[-*>\s]*(?:\d+[.)]\s+)?(?:[A-Z][\w .\'-]{0,60}:\s+(?=\S+\s+\S+\s+\S+))?')
_OPENS_INSIDE = re.compile(r'[a-z,;:)\]]|(?:And|Which|Respectively|Because)\b')
_ENDS = re.compile(r'(?:[.!?:;)"”\'’\d]|[.!?][\'"”’)])$')
_ENDS_INSIDE = re.compile(r'\b(?:the|of|and|a|to|in|by|for|with)\.?$')
_VERB = re.compile(
    r"""\b(?:is|are|was|were|am|be|been|has|had|have|do|does|did|can|could|may|might|must|shall|should|will|would|'s|'re
    |'ve|'ll|'d|'m|became|began|brought|built|came|drew|fell|felt|found|gave|goes|got|grew|held|kept|knew|know|led|left
    |lies|lost|made|means|met|need|needs|paid|put|ran|rose|said|sat|saw|say|says|sent|set|sold|spent|stands|stood|take
    |takes|think|thought|told|took|want|wants|went|won|wrote|\w{3,}ed|[a-z]{2,}(?:[^su\W]s))\b""",
    re.IGNORECASE | re.VERBOSE,
)


def whole_sentences(text: str) -> float:
    """The share of the prose lines that begin and end as sentences do, and have what may be a verb."""
    prose = [line for line in text.splitlines() if line.strip() and not _OTHER.match(line) and line.count('|') < 3]
    return sum(map(_is_whole, prose)) / max(1, len(prose))


def _is_whole(line: str) -> bool:
    line = line.strip()
    if line.startswith('Also named') or _OPENS_INSIDE.match(line.lstrip('-*> ')):
        return False
    body = _LEAD.sub('', line)
    return bool(len(body.split()) > 2 and _VERB.search(body) and _ENDS.search(line) and not _ENDS_INSIDE.search(line))


def sentences(text: str, source: str) -> float:
    """The same by a parser, where the tool for that is there with what it needs."""
    if (readable := tool('readable')) is None:
        return whole_sentences(text)
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ('summary', 'source')]
        for path, content in zip(paths, (text, source), strict=True):
            path.write_text(content, encoding='utf-8')
        with patch.object(sys, 'argv', ['readable', *map(str, paths)]), redirect_stdout(StringIO()) as printed:
            readable.main()
    return json.loads(printed.getvalue().splitlines()[0])['sentences']


def retention(text: str, pages: list[str]) -> dict[str, float]:
    """The shares of the gold entities and relations of some pages that a text has; relations against the pages'."""
    score = tool('score')
    assert score is not None
    wanted = [article for article in gold() if article['page'] in pages]
    entities, relations = score.recall(wanted, text)
    _, ceiling = score.recall(wanted, '\n\n'.join(map(page, pages)))
    return {'entities': entities, 'relations': relations / ceiling}
