"""Who speaks: in transcripts, chats and mails."""

import pytest
from inline_snapshot import snapshot

from summarizer_tool import ExtractiveModel, Summarizer
from tests.support.map_models import make
from tests.support.numbered_lines import read


def test_a_transcript_keeps_its_turns():
    assert read('Ada: we lost the Heron.\nJonas: when?\nAda: in May, off Port Ansel.') == snapshot(
        [('Ada: we lost the Heron.', (1,)), ('Jonas: when?', (2,)), ('Ada: in May, off Port Ansel.', (3,))]
    )


def test_a_mail_says_who_is_quoted_and_not_who_signed():
    mail = """
Hi Jonas,

the axle of the wheel broke on Monday.

On 2 March Jonas Orme wrote:
> We keep the axle until autumn.

No, it broke. We cannot keep it.

> Oak is sold at the mill.

Best
Ada
"""
    assert [text for text, _ in read(mail)] == snapshot(
        [
            'the axle of the wheel broke on Monday.',
            '> We keep the axle until autumn.',
            'No, it broke.',
            'We cannot keep it.',
            '> Oak is sold at the mill.',
        ]
    )


def test_what_follows_the_last_turn_is_nobodys_where_no_turn_has_two_paragraphs() -> None:
    turns = ['Ada: The wheel stands.', 'Bob: It turns again.', 'Ada: Who mended it?', 'Bob: Carl Weir has mended it.']
    said = [text for text, _ in read('\n\n'.join([*turns, *turns, 'The meeting closed at noon in Marn.']))]
    assert said[-1] == 'The meeting closed at noon in Marn.'
    longer = [*turns, 'He asks for money.', *turns, 'The meeting closed at noon in Marn.']
    assert [text for text, _ in read('\n\n'.join(longer))][-1] == 'Bob: The meeting closed at noon in Marn.'


def test_comments_with_bold_names_and_dates_are_turns_without_a_blank_line():
    days = [
        *('**Ada Finn, 2 Feb:** Is the gate shut?', '**J. Orme (guild), 3 Feb:** It is shut. It opens on 13 Feb.'),
        *('**Ada Finn, 4 Feb:** We wait here. Open it.', '**J. Orme (guild), 5 Feb:** I have opened it.'),
    ]
    said = [text for text, _ in read('\n'.join([*days, *(day.replace('Feb', 'May') for day in days)]))]
    assert said[:5] == snapshot(
        [
            'Ada Finn, 2 Feb: Is the gate shut?',
            'J. Orme (guild), 3 Feb: It is shut.',
            'J. Orme (guild), 3 Feb: It opens on 13 Feb.',
            'Ada Finn, 4 Feb: We wait here.',
            'Ada Finn, 4 Feb: Open it.',
        ]
    )


def test_in_a_conversation_a_paragraph_is_its_last_speakers():
    turns = [
        *('Chair: The meeting is open.', 'Ms. Ada Finn (Ansel, Ind.): I ask for the toll.', 'It was lost in May.'),
        *('Chair: Who has it?', 'Some members: We do not have it.', 'Chair: Go on.', 'Chair: It is late.'),
        *('Jonas Orme: The mill has it.', 'Chair: We are done.'),
    ]
    assert read('\n\n'.join(turns)) == snapshot(
        [
            ('Chair: The meeting is open.', (1,)),
            ('Ms. Ada Finn (Ansel, Ind.): I ask for the toll.', (3,)),
            ('Ms. Ada Finn (Ansel, Ind.): It was lost in May.', (5, 3)),
            ('Chair: Who has it?', (7,)),
            ('Some members: We do not have it.', (9,)),
            ('Chair: Go on.', (11,)),
            ('Chair: It is late.', (13,)),
            ('Jonas Orme: The mill has it.', (15,)),
            ('Chair: We are done.', (17,)),
        ]
    )


def test_a_line_is_its_last_speakers_where_each_is_a_paragraph():
    turns = [
        *('CHAIR: Good evening to all of you.', 'We begin with the mill.', 'FINN: I ask for the toll, which was lost.'),
        *('It was lost in May.', 'I have asked for it since.', 'CHAIR: Who has it now?', 'ORME: The mill has it.'),
        *('CHAIR: So be it.', 'FINN: I thank you.', 'We close the gate at night.', 'CHAIR: We are done.'),
    ]
    assert [text for text, _ in read('\n'.join(turns))] == snapshot(
        [
            'CHAIR: Good evening to all of you.',
            'CHAIR: We begin with the mill.',
            'FINN: I ask for the toll, which was lost.',
            'FINN: It was lost in May.',
            'FINN: I have asked for it since.',
            'CHAIR: Who has it now?',
            'ORME: The mill has it.',
            'CHAIR: So be it.',
            'FINN: I thank you.',
            'FINN: We close the gate at night.',
            'CHAIR: We are done.',
        ]
    )


def test_labels_that_do_not_recur_are_no_speakers():
    items = [
        f'{name}: It was cut by a tenth.\nNobody spoke against it.' for name in ('Parks', 'Water', 'Roads', 'Mills')
    ]
    assert 'Nobody spoke against it.' in [text for text, _ in read('\n'.join([*items, *items[:3]]))]


def test_what_stands_in_brackets_is_a_mark_of_conversations_alone():
    turns = ['user: Call it off.', 'bot: It is off [laughter].', 'user: Open the gate.', 'user: It is open.']
    assert [text for text, _ in read('\n\n'.join(turns))][1] == 'bot: It is off.'
    assert [text for text, _ in read('A gate needs an [entry point] that leads to it.')] == snapshot(
        ['A gate needs an [entry point] that leads to it.']
    )


def test_what_each_says_once_under_each_heading_stays_apart():
    page = '\n'.join(f'## Day {day}\n\nAda: oiled the gate\nBen: moved {day} carts' for day in range(1, 5))
    assert read(page)[:2] == snapshot([('Ada: oiled the gate', (3,)), ('Ben: moved 1 carts', (4,))])


def test_each_sentence_of_a_turn_has_its_speaker() -> None:
    """Names may be in bold; what points back is said with the sentence before it, and marks amid a turn are no text."""
    turns = """
**Ada Finn:** The mill stood still for a year. So that is why we sold it. The weir\\_gate is shut.

**Jonas Orme:** We ground rye. Then nobody came. \\[laughter\\]
"""
    assert read(turns * 3)[:5] == snapshot(
        [
            ('Ada Finn: The mill stood still for a year.', (1,)),
            ('Ada Finn: So that is why we sold it.', (1,)),
            ('Ada Finn: The weir_gate is shut.', (1,)),
            ('Jonas Orme: We ground rye.', (3,)),
            ('Jonas Orme: Then nobody came.', (3,)),
        ]
    )


def test_what_looks_like_a_mark_of_a_conversation_stands_where_nobody_speaks() -> None:
    example = '\nExample: `gate open <name>` opens it.\n\nIt is shut at dusk by the keeper.\n'
    text = 'The name may be `<required>` or `[optional]`, as the keepers said (see {the network}).\n' + 4 * example
    assert read(text)[0][0] == 'The name may be <required> or [optional], as the keepers said (see {the network}).'


def test_labels_of_a_form_speak_of_nothing_below_them():
    fields = ('Place: Marn', 'Craft: Heron', 'Master: Ada Orme', 'Owner: Carl Weir', 'Loss: None', 'Keeper: Bo Ek')
    page = '\n\n'.join([*fields, 'The bureau tells what it finds out within a year.'])
    assert read(page)[-1][0] == 'The bureau tells what it finds out within a year.'


@pytest.mark.parametrize('line', ['Bug: _XiCheck must drop the lock.', 'Changed: *args are passed on to the gate.'])
def test_names_behind_a_label_keep_their_marks(line: str):
    assert read(line) == [(line, (1,))]


def test_a_sound_of_assent_says_nothing():
    turns = ['Ada: We shut the gate of the mill at night.', 'Bob: Mm - hmm .', 'Ada: Carl keeps the key of the gate.']
    last = ['Ada: ' + 'The miller of Marn has gone to see the fair in the town on the river. ' * 4, 'Bob: Mm-hmm.']
    summary = Summarizer(make(), model=ExtractiveModel()).summarize_sync(
        '\n\n'.join([*turns, 'Bob: Uh-huh, hm.', *last]), focus_areas='Who keeps the key?', max_output_tokens=60
    )
    assert summary.text.splitlines() == snapshot(
        [
            'Ada: We shut the gate of the mill at night.',
            'Ada: Carl keeps the key of the gate.',
            'Ada: The miller of Marn has gone to see the fair in the town on the river.',
        ]
    )


def test_who_speaks_in_a_list_says_all_of_an_item() -> None:
    items = ['Ada: The wheel stands. Nobody knows why.', 'Karl: It broke.', 'Ada: Mend it.', 'Ada: We need rye.']
    assert [text for text, _ in read('\n'.join(f'* {item}' for item in items))][:2] == snapshot(
        ['Ada: The wheel stands.', 'Ada: Nobody knows why.']
    )


def test_who_speaks_may_stand_above_as_in_plays() -> None:
    said = ['ADA.', '[To KARL.] The wheel stands.', 'KARL.', 'Since when?', 'ADA.', 'It broke on Monday.']
    title = ['London: Weir & Sons, 1912', 'The action takes place at a mill in Marn.']
    found = [text for text, _ in read('\n\n'.join([*title, *said, *said, *said, 'KARL.', 'I will mend it.']))]
    assert found[:4] == snapshot(
        [
            'London: Weir & Sons, 1912',
            'The action takes place at a mill in Marn.',
            'ADA: [To KARL.] The wheel stands.',
            'KARL: Since when?',
        ]
    )
    assert found[-1] == 'KARL: I will mend it.'


def test_who_spoke_when_may_stand_above() -> None:
    turns = [('Ada Orme', 'We have forty crowns.'), ('Bo Brook', 'Mend the gate first.')] * 3 + [('Cal Finn', 'No.')]
    text = '\n\n'.join(f'{name} (00:0{at}:12)\n{said}' for at, (name, said) in enumerate(turns))
    assert [said for said, _ in read(text)] == [f'{name}: {said}' for name, said in turns]


def test_each_line_of_a_quotation_is_of_who_wrote_it() -> None:
    mail = 'On Wed, 11 Feb 2026 at 09:12, Karl Brandt wrote:\n> The price is 329 crowns.\n> We will not pay.\n'
    assert read(mail) == [('Karl Brandt: The price is 329 crowns.', (2, 1)), ('Karl Brandt: We will not pay.', (3, 1))]


def test_a_signature_below_its_mark_is_no_statement():
    mail = 'We meet on Friday in Bonn.\n\n--\nJohn Doe\nHead of Procurement\nAcme Corp, 12 Main Street, Marn'
    assert read(mail) == [('We meet on Friday in Bonn.', (1,))]


def test_who_says_one_thing_in_a_play_begins_a_line_and_remarks_of_a_scribe_are_none_of_it():
    play = """
ORME: The mill stands still.
QUILL: Who has broken the axle?
Scene: THE LOCK
GUARD: The miller is here, as ordered.
ORME: (Applause.) We were away in May.
QUILL: The axle is sold.
ORME: Then we buy another one.
"""
    assert [text for text, _ in read(play)] == snapshot(
        [
            'ORME: The mill stands still.',
            'QUILL: Who has broken the axle?',
            'Scene: THE LOCK',
            'GUARD: The miller is here, as ordered.',
            'ORME: We were away in May.',
            'QUILL: The axle is sold.',
            'ORME: Then we buy another one.',
        ]
    )


def test_what_stands_in_brackets_before_a_sentence_that_nobody_speaks_belongs_to_it():
    assert read('(Deprecated.) The flag opens the old gate at night.') == snapshot(
        [('(Deprecated.) The flag opens the old gate at night.', (1,))]
    )


def test_a_line_that_ends_amid_a_sentence_is_no_title():
    assert read(
        'The wheel is mended with\nOak from the forest of Marn, which is dried for three years before.'
    ) == snapshot(
        [('The wheel is mended with Oak from the forest of Marn, which is dried for three years before.', (1, 2))]
    )


def test_a_title_above_a_longer_line_is_none_of_it():
    text = 'Kangaroos are wanted abroad\nThe demand for meat is high, and processors in the south cannot keep up with it.\n'
    assert [said for said, _ in read(text)] == snapshot(
        [
            'Kangaroos are wanted abroad',
            'The demand for meat is high, and processors in the south cannot keep up with it.',
        ]
    )
