"""Text in another encoding than UTF-8 is refused, by the name of what it is."""

import pytest

from summarizer_tool.errors import FetchError
from summarizer_tool.formats.files import decode

_JAPANESE = (
    'カタログの配布はオスロの事務所が行います。送料はお客様の負担です。保証は二年間ですが、電池は含まれません。'
    '修理の依頼はメールで受け付けます。'
)
_RUSSIAN = 'Мост через реку построили в 1911 году, и с тех пор он стоит без ремонта. ' * 9
_GERMAN = 'Die Fähre über den Sund fährt täglich um neun Uhr, im Winter nur sonntags. ' * 9


@pytest.mark.parametrize(
    ('text', 'encoding', 'named'),
    [
        (_JAPANESE, 'cp932', 'cp932'),
        (_JAPANESE, 'euc_jp', 'euc-jp'),
        (_JAPANESE, 'iso2022_jp', 'iso-2022-jp'),
        ('长江大桥于一九五七年建成通车，全长一千六百七十米。' * 9, 'gb18030', 'gb18030'),
        (_RUSSIAN, 'cp1251', 'cp1251'),
        (_RUSSIAN, 'koi8_r', 'koi8-r'),
        (_GERMAN, 'cp1252', 'cp1252'),
        (f'Die Straße wird für 329 € gesperrt. {_GERMAN}', 'cp1252', 'cp1252'),
    ],
)
def test_the_likely_encoding_is_named(text: str, encoding: str, named: str) -> None:
    with pytest.raises(FetchError, match=f'likely {named}; convert it, e.g. iconv -f {named} -t utf-8'):
        decode(text.encode(encoding))
    assert decode(text.encode()) == text
    assert text.encode(encoding).decode(named) == text


def test_what_is_no_text_is_said_to_be_binary() -> None:
    for raw in (bytes(range(256)) * 4, _GERMAN.encode('utf-16-le')):
        with pytest.raises(FetchError, match='binary'):
            decode(raw)
