"""PDFs with a few lines, written by hand."""

from collections.abc import Sequence

Line = tuple[float, float, str] | tuple[float, float, str, int]
"""Points from the left and from the bottom, text in ASCII, behind a star in bold, and the size of the font where it is
another."""

SIZE = 10
LEADING = 12


def lines(text: str, left: float = 72, top: float = 700) -> list[Line]:
    """Lines one below the other."""
    return [(left, top - index * LEADING, line) for index, line in enumerate(text.split('\n')) if line]


def pdf(
    pages: Sequence[Sequence[Line]],
    *,
    title: str = '',
    trailer: str = '',
    size: int = SIZE,
    is_turned: bool = False,
    notes: Sequence[str] = (),
    letters: Sequence[str] = (),
) -> bytes:
    """A PDF in Helvetica, which is 0.5 of its size wide or so.

    Args:
        pages: Their lines, in the order of the file.
        title: What it says of itself.
        trailer: More entries, such as that it is encrypted.
        size: Of the font, in points.
        is_turned: Whether the pages are printed upwards, and shown turned for one who reads.
        notes: Entries of annotations on the first page; of those with a name, `/T`, of fields of a form.
        letters: What `a`, `b`, `c` … of the font stand for.
    """
    count = len(pages)
    numbers = [f'{4 + 2 * count + index} 0 R' for index in range(len(notes))]
    fields = ' '.join(number for number, note in zip(numbers, notes, strict=True) if '/T ' in note)
    kids = ' '.join(f'{4 + 2 * index} 0 R' for index in range(count))
    objects = [
        f'<< /Type /Catalog /Pages 2 0 R{f" /AcroForm << /Fields [{fields}] >>" if fields else ""} >>',
        f'<< /Type /Pages /Kids [{kids}] /Count {count} >>',
        f'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode {4 + 2 * count + len(notes)} 0 R >>',
    ]
    for index, page in enumerate(pages):
        shown = '\n'.join(
            f'BT /F{1 + text.startswith("*")} {own[0] if own else size} Tf {f"0 1 -1 0 {612 - y:g} {x:g} Tm" if is_turned else f"{x:g} {y:g} Td"} '
            f'({_escaped(text.removeprefix("*"))}) Tj ET'
            for x, y, text, *own in page
        )
        more = f' /Rotate {90 * is_turned} /Annots [{"" if index else " ".join(numbers)}]'
        objects += [
            f'<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * index} 0 R '
            f'/Resources << /Font << /F1 3 0 R /F2 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >> >> >>{more} >>',
            f'<< /Length {len(shown)} >>\nstream\n{shown}\nendstream',
        ]
    objects += [f'<< /Type /Annot {note} >>' for note in notes]
    codes = [f'<{97 + at:x}> <{letter.encode("utf-16-be").hex()}>' for at, letter in enumerate(letters)]
    stream = f'{len(codes)} beginbfchar\n{" ".join(codes)}\nendbfchar\n'
    objects.append(f'<< /Length {len(stream)} >>\nstream\n{stream}endstream')
    objects.append(f'<< /Title ({_escaped(title)}) >>')
    body, places = b'%PDF-1.4\n', list[int]()
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += f'{number} 0 obj\n{content}\nendobj\n'.encode('ascii')
    table = ''.join(f'{place:010d} 00000 n \n' for place in places)
    end = f'xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n'
    end += f'<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R {trailer} >>\nstartxref\n{len(body)}\n%%EOF\n'
    return body + end.encode('ascii')


ENCRYPTED = f'/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{"ab" * 32}> /U <{"cd" * 32}> >>'
"""Of a trailer: that there is a password, which nobody knows."""


def _escaped(text: str) -> str:
    return text.replace('\\', '\\\\').replace('(', '\\(').replace(')', '\\)')
