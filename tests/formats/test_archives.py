"""Word documents and EPUB books, made as their programs make them, and made to harm."""

import zipfile
from io import BytesIO

import pytest
from inline_snapshot import snapshot

from summarizer_tool.errors import FetchError
from summarizer_tool.formats import archive, docx_child
from summarizer_tool.formats.reading import document_in, read

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Target='
    '"word/document.xml" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/>'
    '</Relationships>'
)
PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships'
RELATION = (
    '<Relationship Id="p{id}" Target="{name}.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{name}"/>'
)
MATH = 'http://schemas.openxmlformats.org/officeDocument/2006/math'
COMPATIBILITY = 'http://schemas.openxmlformats.org/markup-compatibility/2006'
PARAGRAPH = '<w:p><w:r><w:t>{}</w:t></w:r></w:p>'
CELL = f'<w:tc>{PARAGRAPH}</w:tc>'


def archive_of(members: dict[str, str | bytes]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, 'w', zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return made.getvalue()


def docx(body: str, head: str = '', **parts: str) -> bytes:
    """A document; `parts` are its others by their names: `numbering`, `comments` …"""
    document = f'<?xml version="1.0"?>{head}<w:document {W}><w:body>{body}</w:body></w:document>'
    more = {
        f'word/{name}.xml': f'<w:{name.rstrip("1")} {W}>{text}</w:{name.rstrip("1")}>' for name, text in parts.items()
    }
    relations = ''.join(RELATION.format(id=number, name=name) for number, name in enumerate(parts))
    return archive_of(
        {
            '[Content_Types].xml': TYPES,
            '_rels/.rels': RELATIONS,
            'word/document.xml': document,
            'word/_rels/document.xml.rels': f'<Relationships xmlns="{PACKAGE}">{relations}</Relationships>',
            **more,
        }
    )


def epub(chapters: dict[str, str], **more: str | bytes) -> bytes:
    items = ''.join(f'<item id="{n}" href="{n}.xhtml" media-type="application/xhtml+xml"/>' for n in chapters)
    spine = ''.join(f'<itemref idref="{name}"/>' for name in reversed(chapters))
    return archive_of(
        {
            'mimetype': 'application/epub+zip',
            'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OEBPS/a.opf"/></rootfiles></container>',
            'OEBPS/a.opf': '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The fen</dc:title>'
            f'</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>',
            **{f'OEBPS/{name}.xhtml': f'<html><body>{text}</body></html>' for name, text in chapters.items()},
            **more,
        }
    )


def why_not(body: bytes) -> str:
    with pytest.raises(FetchError) as raised:
        read(body)
    return str(raised.value)


def test_a_word_document_with_a_table() -> None:
    rows = ''.join(f'<w:tr>{CELL.format(a)}{CELL.format(b)}</w:tr>' for a, b in [('Year', 'Owner'), ('1874', 'Gann')])
    heading = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>The mill</w:t></w:r></w:p>'
    assert read(docx(f'{heading}{PARAGRAPH.format("It was built.")}<w:tbl>{rows}</w:tbl>')).markdown == snapshot("""\
# The mill

It was built.

| Year | Owner |
| --- | --- |
| 1874 | Gann |\
""")


def numbered(text: str, number: int, depth: int = 0, style: str = '') -> str:
    return (
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/><w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>'
        f'</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
    )


def level(depth: int, form: str, text: str) -> str:
    return f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'


def test_a_list_that_begins_anew_is_gone_on_with() -> None:
    """By paragraphs of the list that it is another one of."""
    numbering = f'<w:abstractNum w:abstractNumId="0">{level(0, "decimal", "%1.")}</w:abstractNum>'
    again = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    for number, more in ((1, ''), (2, again)):
        numbering += f'<w:num w:numId="{number}"><w:abstractNumId w:val="0"/>{more}</w:num>'
    body = ''.join(numbered(text, 1) for text in ('the miller', 'the swan')) + PARAGRAPH.format('And besides:')
    body += numbered('the river', 2) + numbered('the eels', 1) + numbered('the geese', 2)
    assert read(docx(body, numbering=numbering)).markdown == snapshot("""\
1. the miller
2. the swan

And besides:

1. the river
2. the eels
3. the geese\
""")


def test_boxes_say_whether_they_are_ticked() -> None:
    kinds = level(0, 'bullet', '☐'), level(0, 'bullet', '☒')
    numbering = ''.join(
        f'<w:abstractNum w:abstractNumId="{at}">{kind}</w:abstractNum><w:num w:numId="{at}"><w:abstractNumId w:val="{at}"/>'
        '</w:num>'
        for at, kind in enumerate(kinds)
    )
    box = '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="{}"/></w:checkBox></w:ffData>'
    box += '</w:fldChar></w:r><w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
    asked = f'<w:p>{box.format(0)}<w:r><w:t>Yes </w:t></w:r>{box.format(1)}<w:r><w:t>No</w:t></w:r></w:p>'
    body = numbered('the sluice', 0) + numbered('the weir', 1) + asked
    assert read(docx(body, numbering=numbering)).markdown == snapshot("""\
- ☐ the sluice
- ☒ the weir

☐ Yes ☒ No\
""")


def test_a_word_document_whose_part_is_called_otherwise() -> None:
    """As some programs call it."""
    with zipfile.ZipFile(BytesIO(docx(PARAGRAPH.format('It was built.')))) as given:
        members = {
            name.replace('document.xml', 'document2.xml'): given.read(name).replace(
                b'word/document.', b'word/document2.'
            )
            for name in given.namelist()
        }
    assert read(archive_of(members)).markdown == 'It was built.'


def test_lists_and_headings_have_their_numbers() -> None:
    kinds = (
        level(0, 'decimal', '%1.') + level(1, 'lowerLetter', '%2)'),
        level(0, 'upperRoman', 'Article %1') + level(1, 'decimal', '%1.%2'),
        level(0, 'bullet', '•'),
    )
    numbering = ''.join(
        f'<w:abstractNum w:abstractNumId="{at}">{kind}</w:abstractNum>' for at, kind in enumerate(kinds)
    )
    again = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    for number, kind, more in ((1, 0, ''), (2, 1, ''), (3, 2, ''), (4, 0, again)):
        numbering += f'<w:num w:numId="{number}"><w:abstractNumId w:val="{kind}"/>{more}</w:num>'
    style = '<w:style w:type="paragraph" w:styleId="{0}"><w:name w:val="{0}"/>{1}</w:style>'
    styles = style.format('Clause', '<w:basedOn w:val="Base"/>')
    styles += style.format('Base', '<w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr>')
    body = (
        numbered('Scope', 2, style='Heading1')
        + numbered('Who owns the mill:', 2, 1, 'Heading2')
        + numbered('the miller', 1)
        + numbered('by day', 1, 1)
        + numbered('by night', 1, 1)
        + PARAGRAPH.format('And besides:')
        + numbered('the river', 1)
        + numbered('from anew', 4)
        + numbered('a swan', 3)
        + '<w:p><w:pPr><w:pStyle w:val="Clause"/></w:pPr><w:r><w:t>Fees</w:t></w:r></w:p>'
    )
    assert read(docx(body, numbering=numbering, styles=styles)).markdown == snapshot("""\
# Article I Scope

## I.1 Who owns the mill:

1. the miller
   - a) by day
   - b) by night

And besides:

2. the river
1. from anew

- a swan

Article II Fees\
""")


def test_a_document_whose_numbers_are_none_says_that_it_is_read_without_them() -> None:
    numbering = f'<w:abstractNum w:abstractNumId="0">{level(0, "decimal", "%1.")}</w:abstractNum>'
    numbering += '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    made = docx(numbered('the miller', 1), numbering=numbering.replace('w:start w:val="1"', 'w:start w:val="one"'))
    assert read(made).markdown == '[The numbers of lists cannot be read: they are left out]\n\n1. the miller'


def test_a_chart_is_named_in_its_place() -> None:
    drawing = '<w:p><w:r><w:t>Of the mill: </w:t></w:r><w:r><w:drawing><c:chart r:id="p0" xmlns:c='
    drawing += '"http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r='
    drawing += '"http://schemas.openxmlformats.org/officeDocument/2006/relationships"/></w:drawing></w:r></w:p>'
    assert read(docx(drawing)).markdown == 'Of the mill: [Chart, whose values are not read]'


def test_comments_headers_and_footers_are_read() -> None:
    comment = f'<w:comment w:id="0" w:initials="A">{PARAGRAPH.format("Since when?")}</w:comment>'
    body = '<w:p><w:r><w:t>It is closed.</w:t></w:r><w:r><w:commentReference w:id="0"/></w:r></w:p>'
    edges = {'header1': PARAGRAPH.format('Draft &amp; notes') * 2, 'footer1': PARAGRAPH.format('12')}
    made = docx(body, comments=comment, **edges)
    assert read(made).markdown == snapshot("""\
Draft & notes

It is closed.[A1]

Comment [A1]
: Since when?\
""")


_LINKED = (
    f'<w:abstractNum w:abstractNumId="1"><w:styleLink w:val="A"/>{level(0, "decimal", "Clause %1")}</w:abstractNum>'
)
_LINKED += '<w:abstractNum w:abstractNumId="0"><w:numStyleLink w:val="A"/></w:abstractNum>'
_OWN = f'<w:lvlOverride w:ilvl="0">{level(0, "upperLetter", "%1)")}</w:lvlOverride>'
_LEGAL = level(1, 'decimalZero', 'Section %1.%2').replace('<w:lvlText', '<w:isLgl/><w:lvlText')


@pytest.mark.parametrize(
    ('kind', 'more', 'body', 'told'),
    [
        (level(0, 'upperRoman', 'Article %1.') + _LEGAL, '', numbered('B', 1, 1), 'Section 1.01 B|Article II. Z'),
        (_LINKED, '', '', 'Clause 2 Z'),
        (level(0, 'decimal', '%1.'), _OWN, '', 'B) Z'),
        (
            level(0, 'decimal', 'Clause %1'),
            '',
            numbered('', 1).replace('</w:pPr>', '<w:rPr><w:del w:id="1" w:author="a"/></w:rPr></w:pPr>'),
            'Clause 2 Z',
        ),
        (
            level(0, 'decimal', 'Clause %1'),
            '',
            f'<w:p><w:r><mc:AlternateContent xmlns:mc="{COMPATIBILITY}"><mc:Choice>{numbered("B", 1)}</mc:Choice>'
            f'<mc:Fallback>{numbered("B", 1)}</mc:Fallback></mc:AlternateContent></w:r></w:p>',
            'Clause 3 Z',
        ),
    ],
)
def test_clauses_have_the_numbers_that_are_shown(kind: str, more: str, body: str, told: str) -> None:
    lists = kind if 'abstractNum' in kind else f'<w:abstractNum w:abstractNumId="0">{kind}</w:abstractNum>'
    lists += f'<w:num w:numId="1"><w:abstractNumId w:val="0"/>{more}</w:num>'
    lists += '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    style = '<w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr>'
    style = f'<w:style w:type="numbering" w:styleId="A"><w:name w:val="A"/>{style}</w:style>'
    shown = read(docx(numbered('A', 1) + body + numbered('Z', 1), numbering=lists, styles=style)).markdown
    assert all(f' {each}\n' in f'{shown}\n' for each in told.split('|'))


def _math(text: object) -> str:
    return f'<m:r><m:t>{text}</m:t></m:r>'


def _parts(*texts: object) -> str:
    return ''.join(f'<m:e>{_math(text)}</m:e>' for text in texts)


_POWER = f'<m:sSup><m:sSupPr/>{_parts("c")}<m:sup>{_math(2)}</m:sup></m:sSup>'
_SUM = '<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{}</m:sub><m:sup>{}</m:sup>{}</m:nary>'


@pytest.mark.parametrize(
    ('formula', 'told'),
    [
        (f'{_math("E=m")}{_POWER}', 'E=mc^{2}'),
        (f'{_math(1)}<m:f><m:num>{_math(1)}</m:num><m:den>{_math("2x")}</m:den></m:f>', r'1\frac{1}{2x}'),
        (f'{_math(1)}{_math(2)}', '12'),
        (f'<m:rad><m:deg>{_math(3)}</m:deg>{_parts("x")}</m:rad>', r'\sqrt[3]{x}'),
        (f'<m:rad><m:radPr/><m:deg/>{_parts("x")}</m:rad>', r'\sqrt{x}'),
        (
            f'<m:oMathPara><m:oMath>{_SUM.format(_math(0), _math("n"), _parts("x"))}</m:oMath></m:oMathPara>',
            '∑_{0}^{n}x',
        ),
        (
            f'<m:m><m:mr>{_parts(1, 2)}</m:mr><m:mr>{_parts(3, 4)}</m:mr></m:m>',
            r'\begin{matrix} 1 & 2 \\ 3 & 4 \end{matrix}',
        ),
        (f'<m:eqArr>{_parts("x=1", "2y=3")}</m:eqArr>', r'\begin{matrix} x=1 \\ 2y=3 \end{matrix}'),
        (f'<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val=""/></m:dPr>{_parts("x")}</m:d>', '[x'),
        (f'<m:d>{_parts(1, 2)}</m:d>', '(1|2)'),
    ],
)
def test_formulas_are_written_as_latex(formula: str, told: str) -> None:
    body = f'<w:p xmlns:m="{MATH}"><w:r><w:t>Take </w:t></w:r><m:oMath>{formula}</m:oMath></w:p>'
    assert read(docx(body)).markdown == f'Take ${told}$'


@pytest.mark.parametrize(
    ('href', 'told'), [('ONE.xhtml#top', 'The fen.'), ('two.xhtml', '[OEBPS/two.xhtml is missing from the book]')]
)
def test_a_chapter_is_found_or_missed(href: str, told: str) -> None:
    book = epub({'one': '<p>The fen.</p>'})
    with zipfile.ZipFile(BytesIO(book)) as file:
        members = {name: file.read(name) for name in file.namelist()}
    members['OEBPS/a.opf'] = bytes(members['OEBPS/a.opf']).replace(b'one.xhtml', href.encode())
    assert read(archive_of({**members})).markdown == told


def test_a_book_is_read_in_the_order_of_its_spine() -> None:
    page = read(epub({'two': '<h1>Two</h1><p>The dyke.</p>', 'one': '<h1>One</h1><p>The fen.</p><p>The fen.</p>'}))
    assert (page.title, page.markdown) == snapshot(
        (
            'The fen',
            """\
# One

The fen.

The fen.

# Two

The dyke.\
""",
        )
    )


def test_what_grows_without_end_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    entities = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    told = [why_not(docx('<w:p>&b;</w:p>', entities)), why_not(epub({}, **{'OEBPS/a.opf': f'{entities}<package/>'}))]
    monkeypatch.setattr(archive, '_MOST_TEXT', 1_000_000)
    told.append(why_not(epub({'one': '<p>x</p>' * 200_000})))
    with pytest.raises(FetchError, match='is a Word document with more than 1 MB of text, decompressed; split it'):
        docx_child.read(docx(' ' * 2_000_000))
    monkeypatch.setattr(archive, '_MOST_MEMBERS', 3)
    told.append(why_not(archive_of({str(number): b'' for number in range(4)})))
    assert told == snapshot(
        [
            'is a Word document that declares entities of XML, which no program writes; it is not read',
            'is an EPUB book that declares entities of XML, which no program writes; it is not read',
            'is an EPUB book with more than 1 MB of text, decompressed; split it',
            'is a zip archive with 4 files in it, over 3',
        ]
    )


def test_other_files_of_offices_say_what_to_do() -> None:
    whole = docx(PARAGRAPH.format('x'))
    locked = {'META-INF/encryption.xml': '<e><CipherReference URI="OEBPS/one.xhtml"/></e>'}
    told = [
        why_not(archive_of({'xl/workbook.xml': '<x/>'})),
        why_not(archive_of({'content.xml': '<x/>'})),
        why_not(whole[: len(whole) // 2]),
        why_not(docx('<w:p><w:r>')),
        why_not(epub({'one': '<p>x</p>'}, **locked)),
        why_not(b'\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1' + bytes(600)),
        why_not(b'{\\rtf1 x}'),
        why_not(docx('')),
    ]
    assert told == snapshot(
        [
            'is an Excel workbook, which is not read; save its sheets as CSV',
            'is an OpenDocument file, which is not read; save it as DOCX or PDF',
            'is a zip archive that is broken; open it in its program and save it again',
            'is a Word document that is broken; open it in its program and save it again',
            'is an EPUB book that is protected against copying; give one without this',
            'is a file of an older Microsoft Office, or one with a password, which is not read; save it as DOCX or PDF without a password, e.g. soffice --convert-to docx',
            'is an RTF document, which is not read; save it as DOCX or PDF, e.g. soffice --convert-to docx',
            'holds no text',
        ]
    )


def test_any_other_archive_is_none_of_the_documents() -> None:
    assert document_in(archive_of({'a.txt': 'x'})) is None
    assert why_not(archive_of({'a.txt': 'x'})) == 'holds binary data, which is not text'


def test_an_unknown_compression_is_named() -> None:
    body = bytearray(archive_of({'[Content_Types].xml': TYPES, 'word/document.xml': 'x'}))
    for start, place in ((b'PK\x03\x04', 8), (b'PK\x01\x02', 10)):  # of a member, and of the directory
        at = body.find(start)
        while at >= 0:
            body[at + place] = 97
            at = body.find(start, at + 4)
    with pytest.raises(FetchError, match='compressed in a way that is not read here; save it again'):
        archive.Archive(bytes(body), 'a Word document').xml('word/document.xml')


@pytest.mark.parametrize(
    ('part', 'content'),
    [
        (
            'docProps/core.xml',
            '<cp:coreProperties xmlns:cp="x"><dc:title>Ferries & piers</dc:title></cp:coreProperties>',
        ),
        ('docProps/core.xml', ''),
        ('word/header1.xml', '<w:hdr xmlns:w="x"><w:p>&nbsp;'),
    ],
)
def test_what_is_broken_beside_the_text_hides_no_text(part: str, content: str) -> None:
    with zipfile.ZipFile(BytesIO(docx('<w:p><w:r><w:t>The ferry runs.</w:t></w:r></w:p>'))) as file:
        members = {name: file.read(name) for name in file.namelist()}
    assert read(archive_of({**members, part: content})).markdown == 'The ferry runs.'
