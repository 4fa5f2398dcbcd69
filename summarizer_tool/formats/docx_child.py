"""Read a Word document from stdin and write it to stdout as HTML; started by `docx`."""

# mammoth has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from io import BytesIO

import mammoth

from summarizer_tool.formats import isolated

_STYLE_MAP = "p[style-name='Title'] => h1:fresh\ncomment-reference => sup"
"""Beside those that the library knows."""


def _read(body: bytes) -> dict[str, str]:
    try:
        # A picture would stand in the text as a whole; what is said of it is enough.
        no_picture = mammoth.images.img_element(lambda _: {'src': ''})  # pyright: ignore[reportUnknownLambdaType]
        made = mammoth.convert_to_html(BytesIO(body), convert_image=no_picture, style_map=_STYLE_MAP)
    except RecursionError:  # of a broken file the library raises whatever comes, which ends this process
        return {'problem': 'deep'}
    return {'html': made.value}


if __name__ == '__main__':
    isolated.answer(_read(isolated.given()))
