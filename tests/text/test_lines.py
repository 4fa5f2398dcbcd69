"""What people have written is told from what a machine has, in any script."""

import unicodedata

import pytest

from summarizer_tool.text.lines import is_written, word_count


@pytest.mark.parametrize(
    'text',
    [
        'उत्तरी द्वार पर बारह पहरेदार हैं और वे रात भर जागते हैं।',
        'உத்தரவிட்டார் மேயர் அணையின் கதவை மூட.',
        'ទ្វារខាងជើងមានឆ្មាំដប់ពីរនាក់។',
        'မြောက်ဘက်တံခါးတွင် အစောင့်ရှိသည်။',
        'བྱང་སྒོ་ལ་སྲུང་མ་བཅུ་གཉིས་ཡོད།',
        'اِرْتَفَعَ مَاءُ النَّهْرِ، ثُمَّ هَبَطَ.',
        unicodedata.normalize('NFD', 'Cổng phía bắc có mười hai lính canh và họ thức suốt đêm.'),
    ],
)
def test_letters_with_marks_are_written(text: str) -> None:
    assert is_written(text)


def test_what_a_machine_writes_is_not() -> None:
    assert not is_written('gate=open t=12:04:11 GATTACA' + 'GATTACA' * 9)


def test_words_of_scripts_without_spaces_are_counted() -> None:
    assert word_count('ទ្វារខាងជើងមានឆ្មាំដប់ពីរនាក់។') > 5
