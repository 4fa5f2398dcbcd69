"""What is left of the answers of a model that errs: nothing that its source does not say, each with the right line."""

import pytest
from inline_snapshot import snapshot

from summarizer_tool import Document, Settings, Summarizer
from tests.support.erring import STRANGERS, ErringModel
from tests.support.texts import CHRONICLE

SETTINGS = Settings.load(llm_model='extractive', default_chunk_size_tokens=500)
LINES = CHRONICLE.splitlines()


@pytest.mark.parametrize('budget', [150, 400, 1500])
def test_nothing_is_kept_that_the_source_does_not_say(budget: int) -> None:
    erring = ErringModel()
    summary = Summarizer(SETTINGS, model=erring.model).summarize_sync(CHRONICLE, max_output_tokens=budget)
    assert summary.stats.tokens_out <= budget
    assert erring.lies
    assert erring.misplaced
    assert erring.halves
    assert [lie for lie in erring.lies if lie in summary.text] == []
    assert [name for name in STRANGERS if name in summary.text] == []
    assert summary.stats.dropped.unsupported > 0


def test_evidence_is_put_right() -> None:
    """Each name and number of a kept fact stands in the lines that it now has."""
    erring = ErringModel(spoilt=0.7)
    summary = Summarizer(SETTINGS, model=erring.model).summarize_sync(Document(CHRONICLE), max_output_tokens=1500)
    assert len(summary.facts) > 10
    for fact in summary.facts:
        cited = ' '.join(LINES[evidence.line - 1] for evidence in fact.evidence)
        assert [name for name in fact.names if name not in cited] == [], fact


def test_the_same_errors_give_the_same_summary() -> None:
    """However long each answer takes."""
    texts = {
        Summarizer(SETTINGS, model=ErringModel(slowest=slowest).model)
        .summarize_sync(CHRONICLE, max_output_tokens=400)
        .text
        for slowest in (0.0, 0.05)
    }
    assert len(texts) == snapshot(1)
