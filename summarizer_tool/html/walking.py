"""A page's tree taken apart into blocks, its text nodes numbered on the way."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from summarizer_tool.html import cards, code, formulas, raised, signs
from summarizer_tool.html.page_blocks import (
    BREAK,
    LINK_CLOSE,
    LINK_OPEN,
    MAX_REGIONS,
    BlockKind,
    Blocks,
    Frame,
    PageBlock,
    Picture,
    Region,
    framed,
)
from summarizer_tool.html.parsing import LINE, UNFIT, walk

MARKS = 0x20000, 0x2A6D0
"""Characters that number text nodes: letters, so that whoever cleans text keeps them, of a script that pages lack."""

_MAX_INLINE_CODE = 300
"""Characters; what is longer is a tag that nobody has closed."""
MAX_NAMED = 80
"""Characters of an inline element named as chrome that is skipped; a longer one holds more than that."""
_STYLED = frozenset({'i', 'em', 'b', 'strong', 'var', 'span', 'font', 'small'})
_MAX_STYLED = 6
"""Elements in what stands raised; what has more, or others, is no number."""
_MAX_BEFORE = 16
"""Characters before it that are looked at."""
_GENERATED = re.compile(r'(?<!\S)[a-z]{1,2}\d+(?!\S)')
"""A class name that a program has given, as Google Docs does."""
_MAX_ALT = 300

_BOXES = frozenset(
    {
        *('address', 'article', 'aside', 'body', 'center', 'details', 'dialog', 'dir', 'div', 'fieldset', 'footer'),
        *('form', 'header', 'hgroup', 'hr', 'html', 'main', 'menu', 'nav', 'section', 'search', 'thead', 'tbody'),
        *('tfoot', 'tr', 'table', 'ul', 'ol', 'dl', 'figure', 'p', 'li', 'td', 'th', 'dd', 'dt', 'blockquote'),
        *('caption', 'figcaption', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'summary', 'legend', 'label'),
    }
)
_UNREAD = frozenset(
    {
        *('script', 'style', 'noscript', 'head', 'template', 'iframe', 'object', 'embed', 'svg', 'canvas', 'video'),
        *('audio', 'rp', 'button', 'select', 'textarea', 'title', 'option', 'datalist', 'map', 'area'),
        *('link', 'meta', 'progress', 'rt'),
    }
)
_SIGNS = {**dict.fromkeys(('del', 's', 'strike'), '~~'), 'q': '"'}
"""What stands on both sides of an inline element."""
_QUOTES = ('"', '“', '„', '«', '»', '‘', '‚', '「')
_BOLD = frozenset({'b', 'strong'})
_TITLE = re.compile(r'[^*\n]{1,60}(?<![.!?:])')
_NAMED = frozenset({'span', 'i', 'small', 'a'})
"""Inline tags whose names may say what they hold."""
_BACK = frozenset(('↑', '^', '¶', '#', '§', '⚓', '🔗', '↩', '↩\ufe0e', '↩\ufe0f', '⤴', '[edit]', 'edit'))
"""A link of nothing but one of these leads to where it stands, or back to where one came from."""

_Reader = Callable[[Any], bool | None]


@dataclass(frozen=True, slots=True)
class _OpenBox:
    """What is open: the innermost box, and what is around it."""

    frame: Frame | None = None
    region: Region | None = None
    tag: str = ''
    level: int = 0
    number: int = 0
    group: int = 0
    """The number of the box around it."""
    form: int = 0
    own: str = ''
    """What the form was last made of."""


class TreeWalk:
    """One pass over a tree, which it marks."""

    def __init__(self) -> None:
        self._found = Blocks()
        self._place = _OpenBox()
        self._numbers = 0
        self._sections: frozenset[Any] = frozenset()
        self._href: str | None = None
        self._is_note = False
        self._next = MARKS[0]
        # Of the block that has begun.
        self._pieces: list[str] = []
        self._marks: list[int] = []
        self._links: list[str] = []
        self._link = -1
        """The piece that opens a link, while there is one."""
        self._bold = -1
        """The first of the pieces in bold, while there are such."""
        self._size = self._linked = self._bold_size = 0
        self._readers: dict[str, _Reader] = {
            **dict.fromkeys(('code', 'kbd', 'samp', 'tt'), self._read_code),
            **dict.fromkeys(('math', 'm:math', 'mml:math'), self._read_math),
            **dict.fromkeys(_NAMED, self._read_named),
            'br': self._read_break,
            'img': self._read_image,
            'pre': self._read_pre,
            'script': self._read_script,
            'input': self._read_input,
            **dict.fromkeys(('sup', 'sub'), self._read_raised),
        }

    def run(self, root: Any) -> Blocks:
        """The blocks of a tree; its text nodes afterwards begin with a character of `MARKS` each, while these last."""
        cards.mark(root)
        self._sections = signs.sections(root)
        for section in self._sections:
            section.attrib.pop('id', None)  # trafilatura, too, would go by it
        walker = walk(root)
        stack: list[_OpenBox | str | None] = []
        depth = 0
        for event, element in walker:
            tag = element.tag
            depth = max(depth, len(stack))
            if event == 'end':
                self._close(tag, stack.pop())
                if stack and (text := element.tail):
                    self._text(element, text, is_own=False)
                continue
            if tag in _BOXES:
                self._flush()
                stack.append(self._place)
                self._open_box(element, tag)
            elif tag == 'a' and not signs.is_hidden(element):
                stack.append(self._href or '')
                self._href = element.get('href') or None
                self._is_note = signs.is_note_reference(element)
            else:
                stack.append(None)
                if self._is_done(element, tag):
                    walker.skip_subtree()
                    continue
            if text := element.text:
                self._text(element, text, is_own=True)
        self._flush()
        self._found.depth = depth
        return self._found

    def _close(self, tag: str, around: _OpenBox | str | None) -> None:
        if isinstance(around, _OpenBox):
            self._flush()
            self._place = around
        elif around is not None:
            self._close_link()
            self._href = around or None
        elif tag in _SIGNS:
            self._pieces.append(_SIGNS[tag])
        elif tag in _BOLD:
            self._close_bold()

    def _open_box(self, element: Any, tag: str) -> None:
        around = self._place
        self._numbers += 1
        self._found.parents.append(around.number)
        names: str = element.get('class') or ''
        region = around.region
        depth = region.depth + 1 if region is not None else 0
        if depth < MAX_REGIONS and element not in self._sections and signs.is_chrome(element, tag):
            region = Region(region, (names or element.get('id') or tag)[:100], tag, depth, around.number)
        level = signs.HEADINGS.get(tag) or (_level(element) if element.get('role') == 'heading' else 0)
        own = f'{tag} {names[:100]}'
        form = around.form if own == around.own else hash((around.form, own))  # sections of a section are like it
        frame = framed(element, tag, around.frame)
        self._place = _OpenBox(frame, region, tag, level, self._numbers, around.number, form, own)

    # What stands in a line. Each says whether the element is done with.

    def _is_done(self, element: Any, tag: str) -> bool:
        if reader := self._readers.get(tag):
            return reader(element) is not False
        if tag in _UNREAD:
            return True
        if tag in _SIGNS:
            before = ''.join(self._pieces[-1:])
            if tag == 'q' and before.endswith(_QUOTES) and before != _SIGNS['q']:  # it is quoted already
                element.tag = 'span'
            else:
                self._pieces.append(_SIGNS[tag])
            return False
        if tag in _BOLD:
            # What a list item begins with in bold is what it is about, and a paragraph in bold may head what follows;
            # elsewhere bold says nothing that words do not.
            self._bold = len(self._pieces) if self._place.tag in ('li', 'p') and not self._size else -1
            return False
        return '-' in tag and self._read_named(element)

    def _read_break(self, _: Any) -> None:
        self._pieces.append(BREAK)

    def _read_code(self, element: Any) -> bool:
        if self._readers.get(element.getparent().tag) == self._read_code:
            return False
        text = ''.join(islice(element.itertext(), _MAX_INLINE_CODE + 1))
        if len(text) > _MAX_INLINE_CODE:
            return False
        self._whole(element, code.inline(text))
        return True

    def _read_pre(self, element: Any) -> None:
        self._flush()
        self._alone(element, code.verbatim(element), 'code', code.language(element))

    def _read_math(self, element: Any) -> None:
        self._formula(element, formulas.of_math(element))

    def _read_script(self, element: Any) -> None:
        if formula := formulas.of_script(element):
            self._formula(element, formula)

    def _read_raised(self, element: Any) -> bool:
        inside = [*islice(element.iter(), 1, _MAX_STYLED)]
        if len(inside) == _MAX_STYLED - 1 or any(each.tag not in _STYLED for each in inside):
            return False
        text = ''.join(element.itertext()).strip()
        before = self._pieces[-1][-_MAX_BEFORE:].rstrip('*') if self._pieces else ''
        tail: str = element.tail or ''
        if element.tag == 'sub':
            written = raised.lowered(text, before, tail[:1])
        else:
            following = element.getnext()
            is_fraction = following is not None and following.tag == 'sub' and tail.strip() in ('/', '⁄', '∕')
            written = raised.raised(text, before, tail[:1], is_fraction=is_fraction)
        self._whole(element, written)
        return written != ''

    def _read_image(self, element: Any) -> None:
        if formula := formulas.of_image(element):
            self._formula(element, formula)
            return
        alt: str = element.get('alt') or ''
        alt = ' '.join(UNFIT.sub('', alt[:_MAX_ALT]).split())
        if alt:
            place = len(self._found.blocks) + (self._size > 0)
            self._found.pictures.append(Picture(place, alt, self._place.frame, self._place.region))

    def _read_input(self, element: Any) -> None:
        if element.get('type') == 'checkbox' and self._place.tag == 'li' and not self._size:
            self._pieces.append('[ ] ' if element.get('checked') is None else '[x] ')

    def _read_named(self, element: Any) -> bool:
        names: str = element.get('class') or ''
        if element.tag == 'span' and self._is_apart(element, names):
            self._pieces.append(' ')
        if 'ath' in names or 'katex' in names:
            if formula := formulas.of_box(element, names):
                self._formula(element, formula)
                return True
            if formulas.is_drawing(names):
                return True
        is_out = signs.is_hidden(element) if element.tag == 'a' else signs.is_chrome(element, element.tag)
        return is_out and element.xpath('string-length()') <= MAX_NAMED

    def _is_apart(self, element: Any, names: str) -> bool:
        """Return whether a span is shown apart from another one right before it, as a title from what is above it.

        Both are named, differently, by people; in running text, or in the midst of a word, they are one.
        """
        before = element.getprevious()
        if before is None or before.tag != 'span' or before.tail or names in ('', before.get('class') or ''):
            return False
        around = element.getparent().text or ''
        if around.strip() or (element.tail or '').strip() or _GENERATED.search(f'{before.get("class") or ""} {names}'):
            return False
        end = self._pieces[-1][-2:] if self._pieces else ''
        is_end = len(end) == 2 and end.isalnum() and (end[-1].islower() or end[-1].isdigit())
        return is_end and (element.text or '')[:1].isupper()

    def _formula(self, element: Any, formula: formulas.Formula) -> None:
        if formula.is_display:
            self._flush()
            self._alone(element, formula.latex, 'math')
        elif formula.latex:
            self._whole(element, f'${formula.latex}$')

    # Text.

    def _text(self, element: Any, text: str, *, is_own: bool) -> None:
        if UNFIT.search(text):  # by their numbers they can be named
            text = UNFIT.sub('', text)
        size = len(text.strip())
        if not size:
            if self._pieces:
                self._pieces.append(' ')
            return
        self._add(text, size)
        number = self._next
        if number < MARKS[1]:
            self._next = number + 1
            self._marks += (number, size)
            if is_own:
                element.text = chr(number) + text
            else:
                element.tail = chr(number) + text

    def _whole(self, element: Any, text: str) -> None:
        if text := UNFIT.sub('', text):
            self._add(text, len(text))
            # trafilatura keeps few of these; the words around them decide.
            self._mark_inside(element, 0 if self._marks else 1)

    def _alone(self, element: Any, text: str, kind: BlockKind, language: str = '') -> None:
        """Add an element that is a block of its own, verbatim."""
        text = UNFIT.sub('', text)
        if not text.strip():
            return
        self._pieces = [text]
        self._size = len(text)
        self._mark_inside(element, len(text))
        self._flush(kind, language)

    def _mark_inside(self, element: Any, size: int) -> None:
        number = self._next
        node = next((inner for inner in element.iter() if inner.text and not inner.text.isspace()), None)
        if number < MARKS[1] and node is not None:
            self._next = number + 1
            self._marks += (number, size)
            node.text = chr(number) + UNFIT.sub('', node.text)

    def _add(self, text: str, size: int) -> None:
        self._size += size
        if self._href is not None:
            self._linked += size
            if self._link < 0:
                self._link = len(self._pieces)
                self._links.append(self._href)
                self._pieces.append(LINK_OPEN)
        self._pieces.append(text)

    def _close_link(self) -> None:
        if self._link < 0:
            return
        shown = ''.join(self._pieces[self._link + 1 :]).strip()
        if shown in _BACK:
            del self._pieces[self._link :]
            self._links.pop()
            self._size -= len(shown)
            self._linked -= len(shown)
        else:
            if self._is_note and shown.isdigit() and len(shown) < 4 and self._pieces[self._link - 1][-1:] != '[':
                self._pieces[self._link + 1 :] = [f'[{shown}]']  # so it is no number of the sentence, nor one itself
            self._pieces.append(LINK_CLOSE)
        self._link = -1

    def _close_bold(self) -> None:
        start, self._bold = self._bold, -1
        if start < 0 or not self._size:
            return
        if self._place.tag == 'p':
            self._bold_size = self._size
            return
        start += self._link == start
        inner = ''.join(self._pieces[start:])
        if words := inner.strip():
            after = ' ' if inner[-1].isspace() else ''
            self._pieces[start:] = [f'**{words}**{after}']

    def _flush(self, kind: BlockKind = 'text', language: str = '') -> None:
        if not self._pieces:
            return
        self._close_link()
        self._bold = -1
        if self._size > 0:
            place = self._place
            level = place.level if kind == 'text' else 0
            text = ''.join(self._pieces)
            if kind == 'text' and not level and self._size == self._bold_size and _TITLE.fullmatch(text.strip()):
                text = f'**{text.strip()}**'
                self._linked = 0
            if kind == 'text':
                text = _lines(text, is_one=level > 0)
            block = PageBlock('heading' if level else kind, text, place.frame, place.region, place.tag, level, language)
            block.size, block.linked, block.marks, block.links = self._size, self._linked, self._marks, self._links
            block.box, block.group, block.form = place.number, place.group, place.form
            self._found.blocks.append(block)
        self._pieces, self._marks, self._links = [], [], []
        self._size = self._linked = self._bold_size = 0


def _level(element: Any) -> int:
    said = element.get('aria-level') or ''
    return int(said) if said in '123456' and len(said) == 1 else 2


def _lines(text: str, *, is_one: bool) -> str:
    text = text.replace(LINE, BREAK)
    if BREAK not in text:
        return ' '.join(text.split())
    lines = (line for part in text.split(BREAK) if (line := ' '.join(part.split())))
    return (' ' if is_one else '\n').join(lines)
