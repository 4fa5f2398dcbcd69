"""Which evidence has room in a brief: the best first, each passage by its own rank. Pure computing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from summarizer_tool.evidence.brief import evidence_blocks, quoting
from summarizer_tool.evidence.brief.brief import BriefStatement, EvidenceBlock
from summarizer_tool.evidence.brief.citations import Citation
from summarizer_tool.evidence.brief.evidence_blocks import ShownBlock, SourceLabels
from summarizer_tool.text import tokens

_MIN_PART = 24
"""Tokens below which a part of a block, or of a line, tells a reader nothing."""

_LONGEST_TOKEN = 128
"""Characters of cl100k's longest one."""

_LONGEST_HEAD = 400
"""Tokens that are saved at most where two blocks become one."""

_LESS = 8
"""Tokens that a cut line gives back where it costs more than was thought."""

_WORD_REACH = 40
"""Characters within which a cut looks for the end of a word."""

_ANY_NUMBER = 999
"""What a block is numbered with while its number is not known."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The evidence that is shown."""

    texts: tuple[str, ...]
    """Its blocks, best first."""
    numbers: dict[int, int]
    """The number of the block, from 1, in which something is shown, by its index in the brief."""
    cuts: dict[int, str]
    """Of what is not shown whole, by its index: what is shown of it."""
    is_whole: bool
    """Whether nothing was left out or cut."""

    def number(self, citation: Citation) -> int | None:
        """The number of the block that shows what is quoted, or of the fact that it proves."""
        index = citation.evidence
        if index is None or citation.quote not in self.cuts.get(index, citation.quote):
            return None
        return self.numbers.get(index)


@dataclass(slots=True)
class Fitting:
    """Evidence while it is chosen: passage by passage, best first, whatever the room.

    So more room shows whatever less room does, and more. Passages that touch become one block. `rows` are the tokens
    that the list of sources takes for each of them; a source is listed with the first thing that is shown of it.
    """

    evidence: Sequence[EvidenceBlock | BriefStatement]
    name: SourceLabels
    rows: Sequence[int]
    left: int
    """Tokens."""
    listed: set[int] = field(default_factory=set[int])
    """The numbers of the sources that are named."""
    pieces: dict[int, ShownBlock] = field(default_factory=dict[int, ShownBlock])
    facts: list[int] = field(default_factory=list[int])
    costs: dict[int, int] = field(default_factory=dict[int, int])
    """Of the lines of the pieces."""
    after: dict[int, int] = field(init=False)
    """By the index of a block, that of the one which begins where it ends."""

    def __post_init__(self) -> None:
        self.after = {
            item.follows: index
            for index, item in enumerate(self.evidence)
            if isinstance(item, EvidenceBlock) and item.follows is not None
        }

    def put(self, index: int) -> bool:
        """Show a passage or a fact, and name its sources, if there is room."""
        item = self.evidence[index]
        before, left = set(self.listed), self.left
        is_fact = isinstance(item, BriefStatement)
        if self.list_sources([place.source for place in item.places] if is_fact else [item.source]):
            if is_fact:
                self.left -= tokens.count(evidence_blocks.fact(item, _ANY_NUMBER, self.name) + '\n')
                if self.left >= 0:
                    self.facts.append(index)
                    return True
            elif self._put(ShownBlock(index, item, len(item.lines))):
                return True
        self.listed, self.left = before, left
        return False

    def list_sources(self, numbers: Iterable[int]) -> bool:
        """Name sources, if there is room."""
        new = {*numbers} - self.listed
        cost = sum(self.rows[number - 1] for number in new)
        if cost > self.left:
            return False
        self.listed |= new
        self.left -= cost
        return True

    def cut(self, index: int, slack: int) -> None:
        """Show as many lines of a passage as have room, and of the next one a part; rather `slack` tokens stay free."""
        item = self.evidence[index]
        before, left = set(self.listed), self.left
        if isinstance(item, BriefStatement) or self.left < _MIN_PART or not self.list_sources([item.source]):
            return
        piece = self._put_lines(index, item)
        if self.left > max(slack, _MIN_PART):
            piece = self._put_part(index, item, piece.stop if piece else 0) or piece
        if piece is None:
            self.listed, self.left = before, left

    def fitted(self) -> Fitted:
        """What was chosen, written."""
        groups = {
            group[0].index: group for index in self.pieces if (group := self._group(index))
        }  # by the first of each, which all of its pieces have in common
        ranked: list[tuple[int, list[ShownBlock]]] = [(index, []) for index in self.facts]
        ranked += [(evidence_blocks.rank(group), group) for group in groups.values()]
        texts: list[str] = []
        numbers: dict[int, int] = {}
        for number, (index, group) in enumerate(sorted(ranked, key=lambda each: each[0]), 1):
            item = self.evidence[index]
            if isinstance(item, BriefStatement):
                texts.append(evidence_blocks.fact(item, number, self.name))
                numbers[index] = number
            else:
                texts.append(evidence_blocks.written(group, number, self.name))
                numbers |= dict.fromkeys((piece.index for piece in group), number)
        cuts = {
            piece.index: '\n'.join(line.text for line in piece.lines)
            for piece in self.pieces.values()
            if not piece.is_whole
        }
        return Fitted(tuple(texts), numbers, cuts, is_whole=len(numbers) == len(self.evidence) and not cuts)

    def _beside(self, index: int) -> list[int]:
        """The blocks before and after one that touch it."""
        item = self.evidence[index]
        before = item.follows if isinstance(item, EvidenceBlock) else None
        return [near for near in (before, self.after.get(index)) if near is not None]

    def _follows_on(self, index: int) -> bool:
        """Return whether the end of what stands before a block is shown."""
        item = self.evidence[index]
        before = self.pieces.get(item.follows) if isinstance(item, EvidenceBlock) and item.follows is not None else None
        return before is not None and before.is_whole

    def _group(self, index: int) -> list[ShownBlock]:
        """The pieces that touch a piece, and it, in order."""
        group = [self.pieces[index]]
        while self._follows_on(group[0].index):
            before = group[0].block.follows
            assert before is not None  # noqa: S101 - for the type checker
            group.insert(0, self.pieces[before])
        while group[-1].is_whole and self.after.get(group[-1].index) in self.pieces:
            group.append(self.pieces[self.after[group[-1].index]])
        return group

    def _cost_around(self, index: int) -> int:
        """Tokens of a block and of those beside it; no line begins with white space, so what they cost adds up."""
        near = [index, *self._beside(index)]
        groups = {(group := self._group(each))[0].index: group for each in near if each in self.pieces}
        return sum(map(self._cost, groups.values()))

    def _cost(self, group: Sequence[ShownBlock]) -> int:
        above = evidence_blocks.head(group, _ANY_NUMBER, self.name)
        if header := evidence_blocks.header_of(group):
            above += '\n' + quoting.numbered(header.number, header.text)
        inner = (line for piece in group[1:] for line in piece.block.between)
        above = '\n'.join((above, *(quoting.numbered(line.number, line.text) for line in inner)))
        return tokens.count(above + '\n') + sum(self.costs[piece.index] for piece in group)

    def _put(self, piece: ShownBlock) -> bool:
        """Show a piece, instead of what is shown of it, if there is room."""
        index, old = piece.index, self.pieces.get(piece.index)
        rows = '\n'.join(quoting.numbered(line.number, line.text) for line in piece.lines) + '\n'
        room = self.left + _LONGEST_HEAD + self.costs.get(index, 0)
        if len(rows) > room * _LONGEST_TOKEN or (cost := tokens.count(rows)) > room:
            return False
        before, cost_before = self._cost_around(index), self.costs.get(index)
        self.pieces[index], self.costs[index] = piece, cost
        more = self._cost_around(index) - before
        if more <= self.left:
            self.left -= more
            return True
        if old is None or cost_before is None:
            del self.pieces[index], self.costs[index]
        else:
            self.pieces[index], self.costs[index] = old, cost_before
        return False

    def _put_lines(self, index: int, block: EvidenceBlock) -> ShownBlock | None:
        """Show as many whole lines of a block as fit, the first ones."""
        left, count = self.left, 0
        for line in block.lines:
            row = quoting.numbered(line.number, line.text)
            if len(row) > max(0, left) * _LONGEST_TOKEN or (cost := tokens.count(f'{row}\n')) > left:
                break
            left -= cost
            count += 1
        for kept in range(min(count, len(block.lines) - 1), 0, -1):
            piece = ShownBlock(index, block, kept)
            if self._put(piece):
                return piece
        return None

    def _put_part(self, index: int, block: EvidenceBlock, line: int) -> ShownBlock | None:
        """Show a block up to some word of a line."""
        room = self.left
        text = quoting.verbatim(block.lines[line].text[: room * _LONGEST_TOKEN])
        while room >= _MIN_PART:
            kept = tokens.truncate(text, room)
            space = max(kept.rfind(' ', len(kept) - _WORD_REACH), kept.rfind('\t', len(kept) - _WORD_REACH))
            kept = kept[:space] if 0 < space < len(text) and len(kept) < len(text) else kept
            piece = ShownBlock(index, block, line + 1, kept.rstrip())
            if kept.strip() and self._put(piece):
                return piece
            room -= _LESS
        return None
