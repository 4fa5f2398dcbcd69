"""Facts are held against their lines: true ones stay whatever their wording, invented ones go."""

import time

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.mapreduce import grounding
from summarizer_tool.mapreduce.grounding import MAX_EVIDENCE, Grounding, ground
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.schemas import ChunkSummary, Fact
from summarizer_tool.text.boilerplate_lines import is_boilerplate

SOURCE = """\
The Tide Guild was founded by Ada Brook on 13 March 1963 in Marn.
It had 1,200 members and a treasury of $3.5 million, kept in seven vaults.
**Orsö Vael** of the [Ember Court](/wiki/Ember_Court) opposed it; Vael's brother Morn did not.
In the war of the elves the council sent its general, Edwin
VanCleef, to the Moonbrook pass with forty-two riders.
Harvest golems roam the fields that the farmers left.
The U.S. branch closed in the nineteenth year, on 2001-09-04.
## 1987
In May: Tom Cooper died."""


def lines(text: str = SOURCE) -> list[NumberedLine]:
    return [NumberedLine(number, line) for number, line in enumerate(text.splitlines(), 1)]


def check(text: str, evidence: list[int], source: str = SOURCE, context: str = '') -> tuple[int, ...]:
    """The evidence of a fact after grounding; empty if it was dropped."""
    facts = ground(ChunkSummary(facts=[Fact(text=text, evidence=evidence)]), lines(source), context).facts
    return tuple(facts[0].evidence) if facts else ()


@pytest.mark.parametrize(
    ('text', 'kept'),
    [
        ('12 guards hold the gate.', '12 guards hold the gate.'),
        ('12| Twelve guards hold the gate.', 'Twelve guards hold the gate.'),
        ('12 Twelve guards hold the gate.', 'Twelve guards hold the gate.'),
    ],
)
def test_a_number_is_that_of_its_line_only_where_the_line_goes_on_so(text: str, kept: str) -> None:
    source = [NumberedLine(12, 'Twelve guards hold the gate.')]
    grounded = ground(ChunkSummary(facts=[Fact(text=text, evidence=[12])]), source, '')
    assert [fact.text for fact in grounded.facts] == [kept]


@pytest.mark.parametrize(
    'text',
    [
        'Ada Brook founded the Tide Guild on March 13, 1963.',
        'Ada Brook founded the Tide Guild on 1963-03-13.',
        'Ada Brook founded the Tide Guild on 13/03/1963.',
        'Ada Brook founded the Tide Guild on 13.3.1963.',
        'Ada Brook founded the Tide Guild on the 13th of March 1963.',
        'Ada Brook founded the Tide Guild on Mar. 13th, 1963.',
        'Founded in March 1963, the Tide Guild is in Marn.',
        'The ADA BROOK guild is in Marn.',
        'Guilds such as the Tide Guild were in Marn.',
    ],
)
def test_a_true_fact_stays_however_its_date_is_written(text: str) -> None:
    assert check(text, [1]) == (1,)


@pytest.mark.parametrize(
    ('text', 'evidence'),
    [
        ('The guild had 1200 members.', [2]),
        ('The guild had 1,200 members and $3.5M.', [2]),
        ('The guild had 3.5 million dollars in 7 vaults.', [2]),
        ('The treasury held $3,500,000.', [2]),
        ('Members: 1 200 people.', [2]),
        ('Orso Vael opposed the guild.', [3]),
        ('Vael’s court, the Ember Court, opposed it.', [3]),
        ('Orsö Vael (Ember Court) has a brother, Morn.', [3]),
        ('The general of the Elves was Edwin VanCleef.', [4, 5]),
        ('Edwin VanCleef led 42 riders to Moonbrook Pass.', [4, 5]),
        ('Farmers left the fields to Harvest Golems.', [6]),
        ('The US branch closed in year 19.', [7]),
        ('The U.S. branch closed on September 4, 2001.', [7]),
        ('Tom Cooper died in May 1987.', [8, 9]),
        ('golems are on the fields', [6]),
    ],
)
def test_a_true_fact_stays_however_its_words_are_written(text: str, evidence: list[int]) -> None:
    assert check(text, evidence) == tuple(evidence)


@pytest.mark.parametrize(
    'text',
    [
        'Ada Brook founded the Tide Guild in 1964.',
        'Ada Brook founded the Tide Guild on 14 March 1963.',
        'Ada Brook founded the Tide Guild with Zorblax.',
        'Zorblax founded the Tide Guild.',
        'Ada Cooper founded the Tide Guild.',
        'The guild had 1,300 members.',
        'The treasury held $3.6M.',
        'The treasury held $3.5 billion.',
        'Queen Vael opposed the guild.',
        'The dragon slept on its hoard beneath a distant mountain.',
        'Guild',
        'General VanCleef led 43 riders.',
        '',
        '  \n ',
    ],
)
@pytest.mark.parametrize('evidence', [[], [1], [1, 2, 3, 4, 5, 6, 7, 9]])
def test_what_names_something_invented_is_dropped(text: str, evidence: list[int]) -> None:
    assert check(text, evidence) == ()


@pytest.mark.parametrize(
    ('text', 'line', 'is_kept'),
    [
        ('The mill runs Python 3.1.', 'The mill runs Python 3.10.', False),
        ('The mill runs Python 3.1 and 3.9.', 'The mill runs Python 3.9, 3.10 and 3.11.', False),
        ('The dose is 1.5 tablets.', 'The dose is 1½ tablets a day.', True),
        ('He takes 1½ tablets.', 'The dose is 1½ tablets a day.', True),
        ('The dose is 1 tablet.', 'The dose is 1½ tablets a day.', False),
        ('Add 0.5 cup of rye.', 'Add ½ cup of rye.', True),
        ('Add 1/2 cup of rye.', 'Add ½ cup of rye.', True),
        ('It covers 102 cells.', 'It covers 10² cells.', False),
        ('The odds ratio was 1.5.', 'The odds ratio was 1.50 (95% CI 1.10-2.05).', True),
        ('The p-value was 0.05.', 'It was small (p = 0.050).', True),
        ('The median was 4.20 points.', 'Median 4.2 points.', True),
        ('The OR was 1.5.', 'OR 1.50', True),
        ('Oslo lies at 59.91, 10.75.', 'Oslo lies at 59.91,10.75.', True),
        ('It was 1.5, 2.5 and 3.5.', 'Readings were 1.5,2.5,3.5.', True),
        ('The loss is 1234567.89 Euro.', 'The loss is 1.234.567,89 Euro.', True),
        ('The gate is at 192.168.1.10.', 'The gate is at 192.168.1.1.', False),
        ('Die Flut stieg um 35 Prozent.', 'Die Flut stieg um 3,5 Prozent.', False),
        ('The flood rose by 3.5 percent.', 'Die Flut stieg um 3,5 Prozent.', True),
        ('The wheel costs 3.50 dollars.', 'The wheel costs $3.5.', True),
        ('The wheel costs $3.', 'The wheel costs $3.00.', True),
        ('The loss is 3.500.000 Euro.', 'The loss is 3,5 Mio Euro.', True),
        ('Use 10 mg of resin.', 'Use 10 mcg of resin.', False),
        ('The wheel makes 5 mW.', 'The wheel makes 5 MW.', False),
        ('The wheel makes 5 megawatts.', 'The wheel makes 5 MW.', True),
        ('The pump gives 5 bar.', 'The pump gives 5 psi.', False),
        ('It was 5 degrees in Marn.', 'It was -5 degrees in Marn.', False),
        ('It was -5 degrees in Marn.', 'It was 5 degrees below zero in Marn.', True),
        ('Losses fell by 12 %.', 'Losses changed by -12 %.', True),
        ('The error rate is <5 %.', 'The error rate is >5 %.', False),
        ('The error rate is under 5 %.', 'The error rate is <5 %.', True),
        ('At least 40 people died.', 'At most 40 people died.', False),
        ('In May 2019 the dam broke.', 'On 5 March 2019 the dam broke.', False),
        ('In May the dam broke.', 'In March the dam broke.', False),
        ('In May 2019 the dam broke.', 'The dam broke on 3 May 2019.', True),
        ('بني السد في عام 2019.', 'بني السد في عام ٢٠١٩', True),
        ('बांध 2019 में बना', 'बांध २०१९ में बना', True),
        ('बांध 2018 में बना', 'बांध २०१९ में बना', False),
        ('The mill burned in 103.', 'The mill burned in nineteen eighty-four.', False),
        ('The mill burned in 1984.', 'The mill burned in nineteen eighty-four.', True),
    ],
)
def test_numbers_are_the_same_only_where_they_say_the_same(text: str, line: str, is_kept: bool) -> None:
    assert check(text, [1], line) == ((1,) if is_kept else ())


def test_what_stands_on_lines_that_follow_each_other_is_supported_word_for_word() -> None:
    source = 'def keep(path: str) -> None:\n    """Keep a file, or a folder if it is one."""'
    text = 'def keep(path: str) -> None: """Keep a file, or a folder if it is one.'
    assert check(text, [1, 2], source) == (1, 2)
    assert check(text.replace('if it is one', 'if it is not'), [1, 2], source) == ()


def test_names_that_both_occur_are_not_told_apart() -> None:
    assert check('Morn opposed Ada Brook.', [3]) == (1, 3)


@pytest.mark.parametrize(
    ('cited', 'evidence'),
    [([], (3,)), ([99], (3,)), ([3, 3], (3,)), ([-1, 0, 3], (3,)), ([6], (3,)), ([2, 6], (3,)), ([3, 6], (3, 6))],
)
def test_wrong_evidence_is_corrected(cited: list[int], evidence: tuple[int, ...]) -> None:
    assert check('Morn is the brother of Vael.', cited) == evidence


def test_a_fact_that_cites_everything_keeps_the_lines_with_most_of_its_words() -> None:
    source = '\n'.join(['nothing to see'] * 20 + ['Ada Brook founded the Tide Guild.'])

    evidence = check('Ada Brook founded the Tide Guild.', list(range(1, 22)), source)

    assert len(evidence) == MAX_EVIDENCE
    assert 21 in evidence


@pytest.mark.parametrize(
    ('text', 'fact'),
    [
        ('3| Morn is the brother of Vael.', 'Morn is the brother of Vael.'),
        ('- Morn is the brother of Vael [3].', 'Morn is the brother of Vael.'),
        ('Morn is the brother of Vael. (line 3)', 'Morn is the brother of Vael.'),
        ('Morn is the\n brother  of Vael', 'Morn is the brother of Vael'),
    ],
)
def test_what_a_model_puts_around_a_statement_is_taken_off(text: str, fact: str) -> None:
    grounded = ground(ChunkSummary(facts=[Fact(text=text, evidence=[3])]), lines())

    assert grounded.facts == [Fact(text=fact, importance=3, evidence=[3])]


@pytest.mark.parametrize('text', ['{} stars were counted by Vael', 'Vael counted the stars [{}].'])
def test_a_number_that_is_longer_than_python_reads_is_no_number_of_a_line(text: str) -> None:
    said = text.format('7' * 5000)
    assert ground(ChunkSummary(facts=[Fact(text=said, evidence=[1])]), lines(said)).facts[0].text == said


def test_a_number_that_stands_in_the_lines_is_no_number_of_one() -> None:
    source = '# 3.0.1\n\nThe gate of Orme was removed.'
    fact = Fact(text='3.0.1: The gate of Orme was removed.', evidence=[3, 1])

    assert [each.text for each in ground(ChunkSummary(facts=[fact]), lines(source)).facts] == [fact.text]


def test_a_name_may_come_from_the_headings() -> None:
    source = 'Mobs here: Rhahk\nThe bosses drop 3 keys.'

    assert check('In the Deadmines the boss is Rhahk.', [1], source, 'Westfall The Deadmines') == (1,)
    assert check('Westfall has 3 keys.', [2], source, 'Westfall The Deadmines') == (2,)
    assert check('Duskwood has 3 keys.', [2], source, 'Westfall The Deadmines') == ()


CJK = '首领瓦尔于1963年3月13日建立了余烬王国。\n他的弟弟「莫恩」没有参加，塔里有12名守卫。'
RUSSIAN = 'Ваэль родился в Москве в 1815 году.\nЕго брат служил Гильдии Прилива.'
GREEK = 'Ο Αλέξανδρος έφτασε στην Αθήνα το 1821.'


@pytest.mark.parametrize(
    ('text', 'source', 'evidence'),
    [
        ('「莫恩」没有参加。', CJK, (2,)),
        ('瓦尔建立了余烬王国。', CJK, (1,)),
        ('塔里有12名守卫。', CJK, (2,)),
        ('塔里有14名守卫。', CJK, ()),
        ('「张三丰」没有参加。', CJK, ()),
        ('Founded on March 13, 1963.', CJK, (1,)),
        ('Москва - родина Ваэля.', RUSSIAN, (1,)),
        ('Брат Ваэля служил Гильдии Прилива.', RUSSIAN, (1, 2)),
        ('Наполеон родился в Москве.', RUSSIAN, ()),
        ('Ваэль родился в 1816 году.', RUSSIAN, ()),
        ('Ο Αλεξανδρος ήρθε στην Αθηνα.', GREEK, (1,)),
    ],
)
def test_other_scripts(text: str, source: str, evidence: tuple[int, ...]) -> None:
    assert check(text, [], source) == evidence


def test_everything_is_counted() -> None:
    summary = ChunkSummary(
        facts=[
            Fact(text='Ada Brook founded the Tide Guild.', importance=5, evidence=[1]),
            Fact(text='Morn is a brother of Vael.', importance=2, evidence=[8]),
            Fact(text='Zorblax rules.', evidence=[1]),
        ],
        entities=[
            *('Ada Brook', 'Ada  Brook', 'the Tide Guild', 'ADA BROOK', 'Zorblax', 'Ada Cooper', '', '!?', 'Orso Vael')
        ],
    )

    assert ground(summary, lines()) == snapshot(
        Grounding(
            facts=[
                Fact(text='Ada Brook founded the Tide Guild.', importance=5, evidence=[1]),
                Fact(text='Morn is a brother of Vael.', importance=2, evidence=[3]),
            ],
            entities=['Ada Brook', 'the Tide Guild', 'Orso Vael'],
            unsupported=1,
            repaired=1,
        )
    )


def test_nothing_in_nothing_out() -> None:
    assert ground(ChunkSummary(), []) == Grounding([], [], 0, 0)
    assert ground(ChunkSummary(facts=[Fact(text='Ada', evidence=[1])], entities=['Ada']), []) == Grounding([], [], 1, 0)


WORDS = st.sampled_from(
    ['Ada', 'Brook', 'Marn', 'the', 'of', 'guild', '12', '1,200', 'May', '1963', '瓦尔', 'Москва', 'élan']
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=8).map(' '.join)


@hypothesis_settings(max_examples=50)
@given(st.lists(st.one_of(SENTENCES, st.text(max_size=60)), min_size=1, max_size=6), st.data())
def test_a_line_is_always_a_fact_of_itself(texts: list[str], data: st.DataObject) -> None:
    source = [NumberedLine(number, ' '.join(text.split())) for number, text in enumerate(texts, 1)]
    line = data.draw(st.sampled_from(source))
    grounded = ground(ChunkSummary(facts=[Fact(text=line.text, evidence=[line.number])]), source)

    if grounded.unsupported:
        says_nothing = not any(character.isalnum() for character in line.text) or not line.text.isprintable()
        assert says_nothing or is_boilerplate(line.text) or line.text.startswith('#')
    else:
        assert line.number in grounded.facts[0].evidence or grounded.repaired


@hypothesis_settings(max_examples=50)
@given(st.lists(st.one_of(SENTENCES, st.text())), st.lists(st.one_of(SENTENCES, st.text())), st.lists(st.integers()))
def test_no_text_breaks_it_and_evidence_is_sound(facts: list[str], texts: list[str], evidence: list[int]) -> None:
    source = [NumberedLine(number, text) for number, text in enumerate(texts, 1)]
    grounded = ground(ChunkSummary(facts=[Fact(text=text, evidence=evidence) for text in facts]), source)

    assert len(grounded.facts) + grounded.unsupported == len(facts)
    for fact in grounded.facts:
        assert 1 <= len(fact.evidence) <= MAX_EVIDENCE
        assert list(fact.evidence) == sorted(set(fact.evidence))
        assert set(fact.evidence) <= {line.number for line in source}


def test_each_line_is_read_once_for_many_names_whose_parts_stand_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def sequence(text: str) -> list[str]:
        read.append(text)
        return text.casefold().split()

    monkeypatch.setattr(grounding, 'sequence', sequence)
    source = [NumberedLine(n, ('Vael', 'Morn')[n % 2] + ' went home') for n in range(1, 101)]
    names = [f'Vael Morn{" went" * (n % 7)}{" home" * (n % 5)}' for n in range(500)]
    ground(ChunkSummary(entities=names), source)
    assert len(read) <= len(source) + len({*names})


@pytest.mark.slow
def test_it_grows_with_the_lines_not_with_their_square() -> None:
    def seconds(count: int) -> float:
        source = [
            NumberedLine(n, f'The same old keeper {n} of Marn lit lamp {n * 7} at dusk.') for n in range(1, count + 1)
        ]
        facts = [Fact(text=f'Keeper {n} of Marn lit lamp {n * 7}.', evidence=[1]) for n in range(1, count + 1, 10)]
        start = time.process_time()
        ground(ChunkSummary(facts=facts), source)
        return time.process_time() - start

    seconds(500)
    # Sixteen times the lines; the square would be 256 times the work.
    assert seconds(16_000) < 80 * seconds(1000)


def test_what_rests_on_furniture_alone_is_dropped() -> None:
    lines = [NumberedLine(1, 'Get the Fen Weekly in your inbox. Subscribe.'), NumberedLine(2, 'The Fen is flooded.')]
    facts = [
        Fact(text='The Fen Weekly comes in your inbox.', evidence=[1]),
        Fact(text='The Fen is flooded.', evidence=[2]),
    ]
    found = ground(ChunkSummary(facts=facts), lines)
    assert [fact.text for fact in found.facts] == ['The Fen is flooded.']
    assert found.unsupported == 1


def test_what_cites_furniture_is_looked_for_elsewhere() -> None:
    page = 'Home | Wiki | Log in\nCookie settings\nThe Tide Guild keeps the water out.\n## The Tide Guild'
    assert check('The Tide Guild keeps the water out.', [1, 2], page) == (3,)
    assert check('The Tide Guild', [3], page) == ()
