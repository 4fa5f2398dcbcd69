"""What the sources name, and how much of it a text says."""

import asyncio

from inline_snapshot import snapshot

from summarizer_tool import Document, RequestOptions, Summarizer
from summarizer_tool.extractive.model import ExtractiveModel
from summarizer_tool.mapreduce import audit
from summarizer_tool.mapreduce.request import SummarizeRequest
from tests.support.map_models import failing, good, make, model_of
from tests.support.texts import CHRONICLE, HARBOUR

LEDGER = """# The ledger

Barrels were sold by Mara Quill, and the barrels were full. Mara Quill wrote "The Salt Road" on 3 May 1871.
She owed 1,200 crowns to J. P. Orme; see entry_17 and "what he called" a debt. Orme burned it in 1880.
"""


def test_what_a_source_names_by_kind_and_with_its_lines() -> None:
    document = Document(LEDGER)
    taken = audit.take([document], ())
    assert [(item.kind, item.text, item.times) for item in taken.items] == snapshot(
        [
            ('name', 'Mara Quill', 2),
            ('title', 'Salt Road', 1),
            ('date', '3 May 1871', 1),
            ('number', '1,200', 1),
            ('name', 'J. P. Orme', 1),
            ('name', 'Orme', 1),
            ('date', '1880', 1),
            ('identifier', 'entry_17', 1),
        ]
    )
    text = 'On May 3, 1871 Mara Quill owed Orme 1200 crowns (entry_17).'
    said = audit.kept([item.text for item in taken.items], text)
    report = audit.report(taken, said, [document])
    assert {kind: (each.kept, each.total) for kind, each in report.by_kind.items()} == snapshot(
        {'date': (1, 2), 'identifier': (1, 1), 'name': (2, 3), 'number': (1, 1), 'title': (0, 1)}
    )
    assert [(lost.text, lost.times, lost.line) for lost in report.losses] == snapshot(
        [('Salt Road', 1, 3), ('J. P. Orme', 1, 4), ('1880', 1, 4)]
    )


def test_words_on_different_lines_are_no_name() -> None:
    assert audit.kept(['Mara Quill', '3 May 1871'], 'Mara Orme fell.\nA quill of 3 May.') == [False, False]


def test_what_repeats_is_counted_once_and_too_much_is_said(monkeypatch) -> None:  # pyright: ignore[reportMissingParameterType]
    home = Document('In Marn lives Ada Brook.')
    documents = [home, home, Document('Wren Hale sells oil.')]
    taken = audit.take(documents, {1: 0})
    assert [(item.text, item.times, item.documents) for item in taken.items] == snapshot(
        [('Marn', 1, (0,)), ('Ada Brook', 1, (0,)), ('Wren Hale', 1, (2,))]
    )
    monkeypatch.setattr(audit, 'MAX_ITEMS', 2)
    assert audit.take(documents, ()).is_partial


def test_a_summary_says_what_it_covers() -> None:
    documents = [Document(HARBOUR, title='Harbour'), Document(CHRONICLE, title='Chronicle')]
    coverage = Summarizer(make(), model=model_of(good)).summarize_sync(documents, max_output_tokens=400).coverage
    assert coverage is not None
    assert sum(each.total for each in coverage.by_kind.values()) == coverage.total > coverage.kept > 0
    assert [each.title for each in coverage.by_document] == ['Harbour', 'Chronicle']
    assert coverage.losses[0].source_id in {document.id for document in documents}


def test_no_stock_is_taken_where_nobody_looks_at_it(monkeypatch) -> None:  # pyright: ignore[reportMissingParameterType]
    summarizer, request = Summarizer(make(), model=ExtractiveModel()), SummarizeRequest(max_output_tokens=400)
    audited = asyncio.run(summarizer.run(CHRONICLE, request))
    monkeypatch.setattr(audit, 'take', None)
    unaudited = asyncio.run(summarizer.run(CHRONICLE, request, RequestOptions(is_audited=False)))
    assert (unaudited.text, unaudited.coverage) == (audited.text, None)


def test_what_comes_back_as_it_is_has_no_coverage() -> None:
    assert Summarizer(make()).summarize_sync(HARBOUR, max_output_tokens=500).coverage is None
    assert Summarizer(make(), model=model_of(failing(401))).summarize_sync(CHRONICLE).coverage is None
