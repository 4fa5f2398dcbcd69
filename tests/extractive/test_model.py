"""The embedded model."""

import asyncio
import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic_ai import Agent, ModelRequest, ModelSettings
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import ModelRequestParameters

from summarizer_tool import prompts
from summarizer_tool.extractive import gist
from summarizer_tool.extractive.choosing import summarize_sources
from summarizer_tool.extractive.model import ExtractiveModel
from summarizer_tool.extractive.statement import Statement
from summarizer_tool.mapreduce import grounding
from summarizer_tool.prompts import Focus, NumberedLine, ParsedRequest, PromptSource
from summarizer_tool.schemas import ChunkSummary, Fact
from summarizer_tool.text import tokens
from summarizer_tool.text.relevance import relevances

PAGE = """
# Mara Quill
Mara Quill (1840–1902) was a cooper from Port Ansel.
She founded the Salt Guild on 3 May 1871 with Jonas Orme, who lent her 900 crowns.
The weather was mild that year, and people often spoke of it afterwards.
Ada Finn poisoned Jonas Orme in 1874.
| Ship | Master | Lost |
|---|---|---|
| Heron | Ada Finn | 1872 |
| Gull | Karl Brandt | 1875 |
Share: Post · Send · Copy link
""".strip().splitlines()


def request(texts: list[str], focus: prompts.Focus | None = None) -> prompts.ParsedRequest:
    lines = [NumberedLine(number, text) for number, text in enumerate(texts, 1)]
    return prompts.ParsedRequest([prompts.PromptSource(lines)], focus or prompts.Focus(), None, merges=False)


def test_facts_within_the_target():
    assert summarize_sources(request(PAGE), 60) == snapshot(
        ChunkSummary(
            facts=[
                Fact(text='Mara Quill (1840–1902) was a cooper from Port Ansel.', evidence=[2], importance=5),
                Fact(
                    text='She founded the Salt Guild on 3 May 1871 with Jonas Orme, who lent her 900 crowns.',
                    evidence=[3],
                ),
                Fact(text='Ada Finn poisoned Jonas Orme in 1874.', evidence=[5]),
            ],
            entities=['Jonas Orme', 'Ada Finn', 'Karl Brandt'],
        )
    )


def test_the_focus_decides_what_a_small_summary_says():
    focus = prompts.Focus(focus_areas='Who poisoned Jonas Orme?')
    assert [fact.text for fact in summarize_sources(request(PAGE, focus), 15).facts] == snapshot(
        ['Ada Finn poisoned Jonas Orme in 1874.']
    )
    assert relevances(['Ada Finn poisoned Jonas Orme.', 'The weather was mild.'], focus) == snapshot([1.0, 1.0])
    assert relevances(['anything'], prompts.Focus(schema_hint='people and places')) == [0.0]


def test_every_fact_survives_grounding_with_its_own_evidence():
    asked = request(PAGE)
    summary = summarize_sources(asked, 1000)
    grounded = grounding.ground(summary, asked.sources[0].lines)
    assert (len(grounded.facts), grounded.unsupported, grounded.repaired) == (len(summary.facts), 0, 0)


def test_it_answers_a_prompt_as_any_model_does():
    prompt = prompts.chunk_request(
        [prompts.PromptSource([NumberedLine(1, 'Ada Finn poisoned Jonas Orme.')])], prompts.Focus(), 50
    )
    assert asyncio.run(Agent(ExtractiveModel(), output_type=ChunkSummary).run(prompt)).output == snapshot(
        ChunkSummary(facts=[Fact(text='Ada Finn poisoned Jonas Orme.', evidence=[1])])
    )


def test_max_tokens_bounds_the_answer():
    lines = [NumberedLine(number, text) for number, text in enumerate(PAGE, 1)]
    prompt = prompts.chunk_request([prompts.PromptSource(lines)], prompts.Focus(), 200)
    agent = Agent(ExtractiveModel(), output_type=ChunkSummary)
    run = asyncio.run(agent.run(prompt, model_settings={'max_tokens': 60}))
    assert run.usage.output_tokens <= 60
    assert run.output.facts


def test_it_answers_nothing_else():
    with pytest.raises(UserError, match='numbered lines'):
        asyncio.run(Agent(ExtractiveModel()).run('What is salt?'))


def test_the_same_answer_whatever_the_hash_seed():
    code = (
        'import json, sys\n'
        'from summarizer_tool import prompts\n'
        'from summarizer_tool.extractive.choosing import summarize_sources\n'
        'lines = [prompts.NumberedLine(n, t) for n, t in enumerate(json.loads(sys.argv[1]), 1)]\n'
        'focus = prompts.Focus(schema_hint="who poisoned whom")\n'
        'asked = prompts.ParsedRequest([prompts.PromptSource(lines)], focus, None, False)\n'
        'print(summarize_sources(asked, 80).model_dump_json())\n'
    )
    ran = subprocess.run(  # with another seed than this process has
        [sys.executable, '-c', code, json.dumps(PAGE * 5)],
        env={**os.environ, 'PYTHONHASHSEED': '1'},
        capture_output=True,
        check=True,
        text=True,
    )
    here = summarize_sources(request(PAGE * 5, prompts.Focus(schema_hint='who poisoned whom')), 80)
    assert ran.stdout == here.model_dump_json() + '\n'


LINES = st.lists(
    st.sampled_from(
        ['# Ada Finn', 'She left Port Ansel in 1871.', '- Role: miller', '| a | b |', '|---|---|', '```', 'Born 1840.']
    )
    | st.text(max_size=60).map(lambda text: ' '.join(text.split())),
    min_size=1,
    max_size=12,
)


@settings(max_examples=40)
@given(LINES, st.integers(1, 200))
def test_evidence_exists_and_the_target_holds_roughly(texts: list[str], target: int):
    summary = summarize_sources(request(texts), target)
    assert all(fact.evidence and set(fact.evidence) <= set(range(1, len(texts) + 1)) for fact in summary.facts)


@pytest.mark.parametrize('unit', ['x', '|', '*a ', '(', 'A.', 'A of the ', '1,', '汉'])
def test_a_hostile_line_completes(unit: str):
    summarize_sources(request([unit * 20_000]), 100)


def test_what_binds_its_readers_goes_before_description() -> None:
    talk = 'The harbour crane is green.\n\nA gull sits on the harbour wall.\n\nThe gate of the harbour has two lamps.'
    text = f'{talk}\n\nDogs must be kept on a lead.\n\nWe decided not to sell tickets on board.\n'
    lines = [NumberedLine(number, line, blank_after=True) for number, line in enumerate(text.split('\n\n'), 1)]
    request = ParsedRequest([PromptSource(lines, ())], Focus(), 20, merges=False)
    assert [fact.text for fact in summarize_sources(request, 20).facts] == [
        'Dogs must be kept on a lead.',
        'We decided not to sell tickets on board.',
    ]


@pytest.mark.parametrize(
    ('beginning', 'said'),
    [
        (['# Rules', '', 'Nobody is told.', 'This document defines how gates are kept.'], 'This document defines'),
    ],
)
def test_what_the_text_is_about_is_said(beginning: list[str], said: str) -> None:
    rest = [f'The keeper of gate {number} sees the water of the dyke rise.' for number in range(20)]
    facts = summarize_sources(request([*beginning, '', *rest]), 60).facts
    assert any(said in fact.text for fact in facts)


def test_lines_of_code_say_nothing_of_what_a_text_is_about() -> None:
    page = [
        'A gate opens when it is told to.',
        '```',
        'gate.open(3)',
        'gate = Gate(path="mill")',
        '```',
        'It then closes.',
    ]
    assert [fact.text for fact in summarize_sources(request(page), 200).facts] == snapshot(
        ['A gate opens when it is told to.']
    )
    assert 'gate.open(3)' in str(summarize_sources(request(page[1:5]), 200).facts)


def test_the_gist_is_told_in_the_language_of_most_of_a_text() -> None:
    own: list[str] = [
        '水門は毎朝六時に番人によって開かれ、夕方には必ず閉じられます。',
        '番人は鍵を持ち、その家は川の近くにあります。',
    ]
    left = 'Ada Brook of Port Ansel has opened the sluice since 1871.'
    told = summarize_sources(request([*own, left]), 30)
    assert left not in [fact.text for fact in told.facts]
    assert left in [fact.text for fact in summarize_sources(request([*own, left]), 300).facts]


def test_what_a_text_begins_with_weighs_more():
    said = [Statement(f'The mill ground sack {at} of rye.', (at,), 0, paragraph=at // 2) for at in range(6)]
    assert [round(each.prominence, 2) for each in gist.placed(said)] == snapshot([4.0, 1.99, 1.33, 1.11, 1.04, 1.01])


@pytest.mark.parametrize('said', ['The "mill" of "Marn" has "{}" wheels in "C:\\mill\\{}".', 'Wheel {} of Marn turns.'])
def test_an_answer_is_within_the_tokens_it_may_have(said: str) -> None:
    lines = [NumberedLine(10_000 + at, said.format(at, at), blank_after=True) for at in range(200)]
    request = ModelRequest.user_text_prompt(prompts.chunk_request([PromptSource(lines)], Focus(), 2000))
    answer = asyncio.run(ExtractiveModel().request([request], ModelSettings(max_tokens=1000), ModelRequestParameters()))
    assert tokens.count(answer.text or '') == answer.usage.output_tokens <= 1000
