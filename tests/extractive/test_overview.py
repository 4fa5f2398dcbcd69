"""What a summary says of a text of which nothing was asked."""

import pytest
from inline_snapshot import snapshot

from summarizer_tool import ExtractiveModel, Summarizer
from summarizer_tool.extractive import gist
from summarizer_tool.extractive.choosing import summarize_sources
from summarizer_tool.extractive.statement import Statement
from summarizer_tool.prompts import Focus, NumberedLine, ParsedRequest, PromptSource
from summarizer_tool.text import tokens
from tests.support.map_models import make

ARTICLE = """
# Turm von Marn wieder offen

Der Turm von Marn ist seit dem 3. Mai wieder für Besucher geöffnet. Die Stadt hat ihn vier Jahre lang für zwei \
Millionen Kronen erneuern lassen. Zuvor war bei einem Sturm das Dach eingestürzt.

Damit hatte der Rat lange gerechnet. Das ist auch der Grund, aus dem er das Geld schon vorher bereit hielt.

## Der Bau

Ada Finn leitete die Arbeiten mit sechzig Leuten, von denen die meisten aus den Dörfern am Fluss kamen und im Winter \
in der Stadt wohnten. Das Holz des Daches stammt aus dem Wald von Aldern. Die Glocke, die der Sturm verschont hatte, \
wurde im Herbst aus dem Turm gehoben und in der Werkstatt von Karl Brandt gestimmt. Sie wiegt drei Tonnen.

## Der Betrieb

Der Turm ist an jedem Tag von zehn bis sechs Uhr geöffnet, im Winter nur bis vier. Wer hinauf will, zahlt zwei Kronen \
und muss gut zu Fuß sein, denn die Treppe hat 312 Stufen. Kinder gehen frei hinauf. Für Gruppen gibt es Führungen, die \
bei der Stadt bestellt werden können.
"""


def test_an_article_begins_with_its_lead_and_fills_a_small_budget() -> None:
    summary = Summarizer(make(), model=ExtractiveModel()).summarize_sync(ARTICLE, max_output_tokens=100)
    assert tokens.count(summary.text) / 100 > 0.9
    assert summary.text.splitlines() == snapshot(
        [
            'Der Turm von Marn ist seit dem 3. Mai wieder für Besucher geöffnet.',
            'Die Stadt hat ihn vier Jahre lang für zwei Millionen Kronen erneuern lassen.',
            'Zuvor war bei einem Sturm das Dach eingestürzt.',
            '## Der Betrieb',
            'Der Turm ist an jedem Tag von zehn bis sechs Uhr geöffnet, im Winter nur bis vier.',
            'Kinder gehen frei hinauf.',
        ]
    )


@pytest.mark.parametrize('pointing', ['This gate is shut.'])
def test_what_points_elsewhere_is_worth_less_to_an_overview(pointing: str) -> None:
    assert gist.share_of_gist(Statement(pointing, (1,), 0), hangs_together=False) < 1


def test_what_a_text_says_of_its_licence_is_no_part_of_an_overview() -> None:
    legal = 'This document is free; you can redistribute it under the terms of version 2 of the GNU licence.'
    said = ['The mill ground rye for the town of Marn.', *(f'Wheel {at} was mended by the guild.' for at in range(9))]
    lines = [NumberedLine(at, text, blank_after=True) for at, text in enumerate([legal, *said], 1)]
    request = ParsedRequest([PromptSource(lines)], Focus(), merges=False, target_tokens=60)
    assert legal not in [fact.text for fact in summarize_sources(request, 60).facts]


def test_titles_of_clauses_are_no_part_of_an_overview() -> None:
    clauses = [
        '1. FEES. The keeper pays 40 crowns a year.',
        '2. ENTIRE AGREEMENT. Nothing else was agreed upon by them.',
    ]
    lines = [NumberedLine(at, text, blank_after=True) for at, text in enumerate(clauses, 1)]
    request = ParsedRequest([PromptSource(lines)], Focus(), merges=False, target_tokens=60)
    assert [fact.text for fact in summarize_sources(request, 60).facts] == snapshot(
        ['The keeper pays 40 crowns a year.', 'Nothing else was agreed upon by them.']
    )
