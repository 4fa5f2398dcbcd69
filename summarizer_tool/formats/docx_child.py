"""Read a Word document from stdin and write it to stdout as HTML; started by `docx`."""

# mammoth has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from io import BytesIO
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile

import mammoth
from lxml.etree import XMLSyntaxError

from summarizer_tool.formats import isolated
from summarizer_tool.formats.docx_numbers import read_numbers, write_numbers

_STYLES = "p[style-name='Title'] => h1:fresh\ncomment-reference => sup"
"""Beside those that the library knows."""


def _no_picture(_image: object) -> dict[str, str]:
    return {'src': ''}  # it would stand in the text as a whole; what is said of it is enough


def _read(body: bytes) -> dict[str, str | bool]:
    is_numbered = True
    try:
        body = write_numbers(body)
    except (XMLSyntaxError, BadZipFile, ValueError):  # it is found to be broken below, or read without numbers
        is_numbered = False
    try:
        made = mammoth.convert_to_html(
            BytesIO(body), convert_image=mammoth.images.img_element(_no_picture), style_map=_STYLES
        )
    except RecursionError:
        return {'problem': 'deep'}
    except (
        ExpatError,
        XMLSyntaxError,
        BadZipFile,
        KeyError,
        ValueError,
        OSError,
        AttributeError,
        IndexError,
        TypeError,
    ):
        return {'problem': 'broken'}  # the library raises whatever comes
    return {'html': read_numbers(made.value), 'is_numbered': is_numbered}


if __name__ == '__main__':
    isolated.answer(_read(isolated.given()))
