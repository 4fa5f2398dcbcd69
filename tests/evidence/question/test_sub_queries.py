"""Compound questions in parts that stand alone, single ones whole; and what constraints say about hosts."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from summarizer_tool.evidence.question import hosts_unread, scope_of, without_hosts
from summarizer_tool.evidence.sub_queries import MAX_PARTS, split

SINGLE = [
    'What is the plot of Romeo and Juliet?',
    'How much does Marn spend on research and development?',
    'What is the capital of Trinidad and Tobago?',
    'What is the history of the dam and the weir?',
    'Who founded Marn and why?',
    'When and where was Ilse Quarry born?',
    'How do I install and configure the Kaplan driver?',
    'Find people who build turbines and who live in Marn',
    'What happens when the dam breaks and when the gates are closed?',
    'What is the difference between what the guild does and what the league does?',
    'Who founded Marn, which lies on the coast?',
    'Explain the rise and fall of the Roman Empire',
    'Which gods did the Norse and the Greeks worship?',
    'What does the privacy policy say about cookies?',
    'How did Dr. Brook and Mr. Keld meet?',
    'What are the terms and conditions of the grant?',
    'what are the pros and cons of tidal power',
    'Who wrote The Gull, the Eel and the Otter?',
    'Which languages, frameworks and tools does Acme use?',
    'What are the benefits, e.g. cost and noise, of the plant?',
    'How long does it take to build a dam and to fill it?',
    'Is it true that the dam leaks and is it being repaired?',
    'Did the Salt League and the Tide Guild ever sign a treaty?',
    'kaplan turbine blade count',
    'How does version 1.2.3 of node.js handle time-outs?',
    'I run Acme Router 3000. How do I reset the password?',
    'Was kostet Schwarzbrot mit Butter und Salz in Marn?',
    'Combien coûtent le pain et le sel à Marn ?',
    'ダムはなぜ決壊し、誰が修理したのか',
    'What can and should be done about silting?',
    'Compare Kaplan and Francis turbines on efficiency.',
    'What are the capacity, height and opening year of the Marn dam?',
    'Did Ada Brook lead the guild and did she own a ship?',
    'What does foo(x, a) return when x is zero?',
    'Was the king (aged 12) crowned in Reims?',
    'Is it v2 or v3 (see section 4) that is used?',
    'What does `a; b` mean in bash?',
]


@pytest.mark.parametrize('question', SINGLE)
def test_one_question_stays_one(question: str) -> None:
    assert split(question) == (question,)


def test_a_line_break_ends_no_question() -> None:
    assert split('Which of\nthe two is used?') == ('Which of the two is used?',)


COMPOUND = r"""
Who founded the Tide Guild and when was it dissolved?
    Who founded the Tide Guild?
    When was it dissolved? (Tide Guild)
What is the capital of Marn and how many people live in it?
    What is the capital of Marn?
    How many people live in it? (Marn)
Who wrote the handbook? When was it published? What does chapter 3 say?
    Who wrote the handbook?
    When was it published? (wrote handbook)
    What does chapter 3 say?
How does the garbage collector work and when does it run?
    How does the garbage collector work?
    When does it run? (garbage collector work)
What caused the fire of 1852 and what damage did it do?
    What caused the fire of 1852?
    What damage did it do? (caused fire 1852)
Who is Ilse Quarry? Is she related to Morn Keld?
    Who is Ilse Quarry?
    Is she related to Morn Keld? (Ilse Quarry)
E-4021 error on start-up; how to reset the pump; warranty terms
    E-4021 error on start-up
    how to reset the pump
    warranty terms
I run Acme Router 3000. How do I reset the password? How do I update the firmware?
    How do I reset the password? (Acme Router 3000)
    How do I update the firmware? (Acme Router 3000)
Hello! I have a few questions about the Marn dam. Who built it? How high is it?
    Who built it? (Marn)
    How high is it? (Marn)
About the tidal plant:\n- capacity\n- operator\n- How many turbines does it have?
    capacity (tidal plant)
    operator (tidal plant)
    How many turbines does it have? (tidal plant)
Please answer: (1) who owns the plant, (2) when it was built and (3) what it cost.
    who owns the plant (answer)
    when it was built (answer)
    what it cost. (answer)
a) Who built the weir? b) What did it cost?
    Who built the weir?
    What did it cost? (built weir)
1) Who built the weir? 2) What did it cost?
    Who built the weir?
    What did it cost? (built weir)
1. What is a sluice?\n2. Who invented the tide mill?
    What is a sluice?
    Who invented the tide mill?
Wer hat die Gilde gegründet und wann wurde sie aufgelöst?
    Wer hat die Gilde gegründet?
    Wann wurde sie aufgelöst? (Gilde)
"""


def splits(table: str) -> list[tuple[str, tuple[str, ...]]]:
    """Each question of a table with its parts, which stand indented below it."""
    questions = [each.split('\n    ') for each in re.split(r'\n(?! )', table.strip())]
    return [(question.replace('\\n', '\n'), tuple(parts)) for question, *parts in questions]


@pytest.mark.parametrize(('question', 'parts'), splits(COMPOUND))
def test_compound_questions_in_parts(question: str, parts: tuple[str, ...]) -> None:
    assert split(question) == parts


def test_many_questions_are_five_at_most_and_none_is_lost() -> None:
    parts = split(' '.join(f'What is item {number}?' for number in range(9)))
    assert len(parts) == MAX_PARTS
    assert all(f'item {number}' in ' '.join(parts) for number in range(9))
    assert split('What is a sluice? what is a sluice? What is a weir?') == ('What is a sluice?', 'What is a weir?')


def test_what_is_no_question() -> None:
    assert split('') == split(' \n ') == ()
    assert split('?? ??') == ('?? ??',)
    assert split('word ' * 600) == (' '.join(['word'] * 600),)


JOINTS = ['? ', '. ', '; ', ' vs ', '\n- ', '1. ', ': ']
PIECES = st.sampled_from(['and what is ', 'compare ', 'the dam, ', ' of ', 'who ran ', 'Marn, ', 'it ', *JOINTS])


@example('\xa0')
@given(st.lists(PIECES | st.text(max_size=8), max_size=30).map(''.join))
def test_any_text_gives_a_few_parts_on_one_line(text: str) -> None:
    parts = split(text)
    assert len(parts) <= MAX_PARTS
    assert bool(parts) == bool(text.strip())
    for part in parts:
        assert part == ' '.join(part.split()) != ''


@pytest.mark.parametrize(
    ('constraints', 'only', 'never'),
    [
        ('site:example.org, since 2019', ['example.org'], []),
        ('site:https://www.docs.example.org/ only', ['docs.example.org'], []),
        ('not site:example.com but SITE:Example.ORG', ['example.org'], ['example.com']),
        ('-site:reddit.com -site:quora.com', [], ['reddit.com', 'quora.com']),
        ('site:127.0.0.1:8000 site:[::1]:90', ['127.0.0.1:8000', '[::1]:90'], []),
        ('only docs.example.org, see README.md and https://example.org', [], []),
        *(
            (said.format('site:example.org'), ['example.org'], [])
            for said in ('use only {}.', '({})', '"{}"', '<{}>', '`{}`')
        ),
        ('site:*.example.org|site:"a.org"', ['example.org', 'a.org'], []),
        (
            'do not use anything from site:a.org, (site:b.org) or site:c.org; site:d.org',
            ['d.org'],
            ['a.org', 'b.org', 'c.org'],
        ),
        ('exclude site:a.org but see site:b.org', ['b.org'], ['a.org']),
        ('avoid "site:a.org" - site:b.org', [], ['a.org', 'b.org']),
        ('Without site:a.org, not before 2019, site:b.org', ['b.org'], ['a.org']),
        ('Do not use marketing pages, site:docs.a.org', ['docs.a.org'], []),
        ('avoid site:a.org, site:b.org and site:c.org', [], ['a.org', 'b.org', 'c.org']),
        ('Do not speculate\nsite:a.org', ['a.org'], []),
        ('', [], []),
    ],
)
def test_hosts_in_constraints(constraints: str, only: list[str], never: list[str]) -> None:
    scope = scope_of(constraints)
    assert (list(scope.only), list(scope.never)) == (only, never)


def test_where_links_may_lead() -> None:
    scope = scope_of('site:example.org -site:old.example.org')
    allowed = ('https://www.example.org/a', 'http://docs.example.org:8080/b')
    others = (
        'https://old.example.org/x',
        'https://notexample.org',
        'http://example.org.evil.example',
        'no url',
        'http://[',
    )
    assert [scope.allows(url) for url in (*allowed, *others)] == [True] * 2 + [False] * 5
    scope = scope_of('site:127.0.0.1:8000')
    assert [scope.allows(f'http://127.0.0.1{port}/') for port in (':8000', ':8001', '')] == [True, False, False]
    assert without_hosts('site:docs.example.org since 2019') == 'since 2019'


def test_hosts_without_a_mark_are_told() -> None:
    said = 'only docs.example.org, site:example.com/guide/a.html, not https://a.org/x or me@b.org, e.g. in v1.2 since 3.12.2020'
    assert hosts_unread(said) == ['docs.example.org', 'a.org']
