"""What repeats over the documents of a job is sent once, and no fact of a page goes with it."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from summarizer_tool import Document, Settings, Summarizer, Summary, prompts
from summarizer_tool.documents.chunking import STRATEGIES, chunk
from summarizer_tool.documents.cutting import chunks_of, cut
from summarizer_tool.documents.repeats import Repeat, find
from summarizer_tool.text import tokens
from summarizer_tool.text.blocks import blocks, normal
from tests.support.texts import CHRONICLE, HARBOUR

MENU = '[Home](/) | [Zones](/zones) | [Quests](/quests) | [Log in](/login)'
COOKIES = 'We use cookies to keep you logged in and to count visits. Accept all / Reject'
LICENCE = 'Content is available under the Open Lore Licence 2.0 unless otherwise noted.'
SHARE = 'Share this page: Copy link · Email · Print'
ABOUT = 'About | Privacy policy | Contact us'
CREATURES = {
    'Gnash': 'guards the northern gate of Ashgate with two wolves',
    'Edda': 'sells arrows and rope beside the well of Bellwater',
    'Morn': 'collects the toll of the Salt League on the Lower Quay',
    'Ilse': 'wrote the harbour chronicle in 1852 and never left Marn',
    'Vael': 'owns fourteen barges and a tavern on the river Orme',
    'Quarry': 'digs for copper under the hill of the old minster',
}


def page(name: str) -> Document:
    text = f"""\
{MENU}

{COOKIES}

# {name}

{name} {CREATURES[name]}.

{SHARE}

## Stats

- Level: 20
- Faction: Horde

An orc of the Horde.

## Drops

| Item | Chance |
| --- | --- |
| Copper Ring | 12% |

The following is sold, too:

A rope, an arrow and a lantern of the kind that the guards carry with them at night.

{LICENCE}

{ABOUT}
"""
    return Document(text, title=name, url=f'https://wiki.example/{name}')


PAGES = [page(name) for name in CREATURES]


class Provider:
    """A model that counts how often it has been sent each line, and answers with the sentences among them."""

    def __init__(self, status: int = 0) -> None:
        self.status = status
        self.sent: Counter[str] = Counter()
        self.targets: list[int | None] = []
        self.order: list[str] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if self.status:
            raise ModelHTTPError(status_code=self.status, model_name='scripted')
        content = messages[0].parts[-1].content
        assert isinstance(content, str)
        request = prompts.parse(content)
        lines = [line for source in request.sources for line in source.lines]
        if not request.merges:
            self.sent.update(line.text for line in lines)
            self.order += [line.text for line in lines]
            self.targets.append(request.target_tokens)
        facts = [{'text': line.text, 'evidence': [line.number]} for line in lines if line.text.endswith('.')]
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, json.dumps({'facts': facts}))])

    def summarize(self, documents: list[Document], strategy: str = 'semantic', budget: int = 450) -> Summary:
        settings = Settings.load(
            llm_model='extractive',
            default_chunk_size_tokens=400,
            default_chunk_overlap_tokens=0,
            max_concurrent_llm_calls=1,
        )
        model = FunctionModel(self, model_name='scripted')
        return Summarizer(settings, model=model).summarize_sync(documents, max_output_tokens=budget, strategy=strategy)


def left_out(documents: list[Document]) -> list[list[str]]:
    """The text of what each document does not say again."""
    return [
        [document.text[repeat.start : repeat.end].strip() for repeat in found]
        for document, found in zip(documents, find(documents), strict=True)
    ]


@pytest.mark.parametrize('strategy', STRATEGIES)
def test_menu_notice_and_licence_of_six_pages_are_sent_once_and_every_fact_of_each(strategy: str) -> None:
    provider = Provider()
    summary = provider.summarize(PAGES, strategy)
    assert [provider.sent[line] for line in (MENU, COOKIES, SHARE, LICENCE, ABOUT)] == [1] * 5
    for name, deed in CREATURES.items():
        assert provider.sent[f'# {name}'] == provider.sent[f'{name} {deed}.'] == 1
    of_each = ('- Level: 20', '- Faction: Horde', 'An orc of the Horde.', '| Copper Ring | 12% |', '## Stats')
    assert [provider.sent[line] for line in of_each] == [6] * 5
    assert provider.sent['A rope, an arrow and a lantern of the kind that the guards carry with them at night.'] == 6
    names = [line[2:] for line in provider.order if line.startswith('# ')]
    assert names == list(CREATURES)
    assert summary.state == 'complete'


def test_every_segment_is_accounted_for_and_says_where_it_is_kept() -> None:
    summary = Provider().summarize(PAGES)
    for document in PAGES:
        parts = [part for part in summary.parts if part.source_id == document.id]
        numbers = [number for part in parts for number in range(part.first_segment, part.last_segment + 1)]
        assert numbers == list(range(1, len(document.segment_starts) + 1))
    second = [part for part in summary.parts if part.source_id == PAGES[1].id]
    assert [(part.first_line, part.last_line, part.state, part.reason) for part in second] == snapshot(
        [
            (1, 3, 'repeated', 'as in src_db470189861b lines 1-3'),
            (5, 7, 'summarized', ''),
            (9, 9, 'repeated', 'as in src_db470189861b line 9'),
            (11, 26, 'summarized', ''),
            (28, 30, 'repeated', 'as in src_db470189861b lines 28-30'),
        ]
    )
    assert summary.stats.tokens_in == tokens.count('\n\n'.join(document.text for document in PAGES))
    assert summary.stats.repeated_tokens == snapshot(405)
    assert summary.degraded == []


def test_the_budget_is_shared_by_what_is_sent() -> None:
    page, copy = Document(CHRONICLE), Document(CHRONICLE)
    alone, twice = Provider(), Provider()
    one = alone.summarize([page], budget=2000)
    two = twice.summarize([page, copy], budget=2000)
    assert (twice.sent, twice.targets) == (alone.sent, alone.targets)
    assert two.text == one.text
    assert two.stats.repeated_tokens == one.stats.tokens_in
    assert [(part.state, part.reason) for part in two.parts][-1] == snapshot(
        ('repeated', 'as in src_a38d82508f6c lines 1-47')
    )


def test_when_every_call_fails_the_original_is_all_of_it() -> None:
    summary = Provider(status=500).summarize(PAGES)
    assert summary.state == 'original'
    assert summary.text == '\n\n'.join(document.text for document in PAGES)
    assert {part.state for part in summary.parts} == {'failed', 'repeated'}


def test_the_embedded_model_reads_it_once_too() -> None:
    settings = Settings.load(llm_model='extractive', default_chunk_size_tokens=400, default_chunk_overlap_tokens=0)
    summary = Summarizer(settings).summarize_sync(PAGES, max_output_tokens=450)
    assert summary.state == 'complete'
    assert 'repeated' in {part.state for part in summary.parts}
    assert all(deed in summary.text for deed in CREATURES.values())


def test_what_fits_comes_back_as_it_was() -> None:
    provider = Provider()
    summary = provider.summarize(PAGES, budget=5000)
    assert (summary.state, summary.stats.repeated_tokens, provider.sent) == ('unchanged', 0, Counter())
    assert summary.text == '\n\n'.join(document.text for document in PAGES)


def test_a_single_document_keeps_what_it_repeats() -> None:
    assert find([Document(f'{MENU}\n\n# A\n\nAda sails.\n\n{MENU}\n\n{LICENCE}\n\n{LICENCE}\n')]) == [[]]
    twice = Document(f'# A\n\n{LICENCE}\n\nAda sails.\n\n{LICENCE}\n')
    assert left_out([twice, Document(f'# B\n\nMorn sails.\n\n{LICENCE}\n')]) == [[], [LICENCE]]


def test_where_nothing_repeats_nothing_changes() -> None:
    documents = [Document(HARBOUR), Document(CHRONICLE), Document('# Stats\n\n- Level: 20\n\nAda sails.')]
    found = cut(documents, 200, 0, 'semantic')
    assert chunks_of(found, documents) == chunk(documents, size=200, overlap=0)
    assert (found.repeats, found.repeated_tokens) == ([[], [], []], 0)


def test_white_space_does_not_count_but_words_do() -> None:
    wrapped = LICENCE.replace(' unless', '\n  unless').replace(' the ', '\tthe  ')
    other = LICENCE.replace('2.0', '2.1')
    documents = [
        Document(f'# {name}\n\nX.\n\n{end}\n') for name, end in zip('ABC', (LICENCE, wrapped, other), strict=True)
    ]
    assert left_out(documents) == [[], [wrapped], []]


FACTS = [
    'Level: 20',
    '**Faction:** Horde',
    '- Level: 20\n- Faction: Horde\n- Race: Orc',
    '| Level | 20 |\n| Race | Orc |',
    'Level 20',
    'Horde',
    '**Drops**',
    'An orc of the Horde.',
    'Orc | Warrior | Horde',
    'Hostile to players of every level who enter the camp of the Salt League by night.',
    'It was built by Ada Brook in 1840, burned down by Morn Keld in 1852 and built again by the Tide Guild.',
    '- [Sneed](/sneed)\n- [Cookie](/cookie)\n- [Gilnid](/gilnid)\n- [Mack](/mack)\n- [Morn](/morn)',
    '```\nLevel: 20\n\n© 2024 Marn. All rights reserved.\n```',
]


@pytest.mark.parametrize('fact', FACTS)
def test_what_may_be_a_fact_of_each_page_stays_wherever_it_stands(fact: str) -> None:
    names = list(CREATURES)
    first = [Document(f'{fact}\n\n## {name}\n\n{name} sails.\n', title=name) for name in names]
    under_its_heading = [Document(f'# {name}\n\n{name} sails.\n\n## Stats\n\n{fact}\n') for name in names]
    alone = [Document(f'# {name}\n\n{fact}\n') for name in names]
    between = [Document(f'# {name}\n\n{name} sails.\n\n{fact}\n\nEnd of {name}.\n') for name in names]
    before_the_end = [Document(f'# {name}\n\n{name} sails.\n\n{fact}\n\n{LICENCE}\n') for name in names]
    for documents in (first, under_its_heading, alone, between):
        assert left_out(documents) == [[]] * 6
    assert left_out(before_the_end) == [[], *[[LICENCE]] * 5]


def test_headings_stay_and_what_a_colon_announces() -> None:
    same = f'## Licence\n\nOur pages end with:\n\n{LICENCE}\n\n## Notes\n\n{COOKIES}\n'
    documents = [Document(f'# {name}\n\n{name} sails.\n\n{same}') for name in CREATURES]
    assert left_out(documents) == [[], *[[COOKIES]] * 5]


def test_what_stands_before_the_heading_of_a_page_is_its_site() -> None:
    navigation = '- Shipwrights\n- Harbours\n- Guilds of the south'
    motto = 'All that is known of the sea'
    documents = [Document(f'{motto}\n\n{navigation}\n\n# {name}\n\n{name} sails.\n') for name in ('Gnash', 'Edda')]
    assert left_out(documents) == [[], [f'{motto}\n\n{navigation}']]
    # What follows the menu may be the page's own, unless three pages begin with it.
    documents = [Document(f'{navigation}\n\n{motto}\n\n# {name}\n\n{name} sails.\n') for name in CREATURES]
    assert left_out(documents[:2]) == [[], [navigation]]
    assert left_out(documents[:3]) == [[], *[[f'{navigation}\n\n{motto}']] * 2]
    # No page begins after a heading that all of them have, nor after one of a lower level.
    for heading in ('# Creatures', '## {}'):
        text = f'{navigation}\n\n{heading}\n\n{{}} sails.\n'
        assert left_out([Document(text.replace('{}', name), title=name) for name in CREATURES]) == [[]] * 6


def test_documents_that_an_earlier_one_contains() -> None:
    whole = f'# Marn\n\n{"Marn is a harbour of the south. " * 8}\n\n- Level: 20\n\n## Ships\n\nNone.\n'
    section = whole[: whole.index('## Ships')]

    def repeated(*documents: Document) -> list[int]:
        return [index for index, found in enumerate(find(list(documents))) if found and found[0].start == 0]

    assert repeated(Document(whole, title='a'), Document(whole, title='b')) == [1]
    assert repeated(Document(whole), Document(section), Document(whole)) == [1, 2]
    assert repeated(Document(section), Document(whole)) == []
    assert find([Document(f'Before.\n\n{whole}'), Document(section)])[1] == [
        Repeat(start=0, end=len(section), first_segment=1, last_segment=3, kept_in=0, kept_first=2, kept_last=4)
    ]
    # A few words are about what their title or the text before them is about.
    scrap = '- Level: 20'
    assert repeated(Document(scrap, title='Gnash'), Document(scrap, title='Gnash')) == [1]
    assert repeated(Document(scrap, title='Gnash'), Document(scrap, title='Edda')) == []
    assert repeated(Document('# Gnash'), Document(scrap), Document('# Edda'), Document(scrap)) == []
    assert repeated(Document(whole), Document(scrap)) == []
    assert repeated(Document(f'{whole}{scrap}'), Document('# Edda\n\n- Level: 20')) == []


words = st.sampled_from(['Ada', 'Morn', 'sails', 'the sea', 'Level: 20', '|', '-', '#', '##', '```', '©', ':', '1840'])
odd = st.lists(words, min_size=1, max_size=6).map(' '.join)
shared = st.sampled_from(
    [MENU, COOKIES, LICENCE, ABOUT, *FACTS, '# Gnash', '## Stats', '---', 'Sold here:', '```', 'An end\n===']
)
texts = st.lists(st.one_of(shared, odd), max_size=9).map('\n\n'.join)


@hypothesis_settings(max_examples=50)
@given(st.lists(st.builds(Document, texts, title=st.sampled_from(['', 'A'])), max_size=5), st.sampled_from(STRATEGIES))
def test_every_block_is_sent_at_least_once_and_every_segment_is_accounted_for(
    documents: list[Document], strategy: str
) -> None:
    found = cut(documents, 100, 0, strategy)
    pieces = [piece for each in chunks_of(found, documents) for piece in each.pieces]
    sent: set[str] = set()
    said: set[str] = set()
    for document, repeats in zip(documents, found.repeats, strict=True):
        runs = [run for piece in pieces if piece.document is document for run in piece.segment_runs]
        numbers = {number for first, last in runs for number in range(first, last + 1)}
        repeated = {number for each in repeats for number in range(each.first_segment, each.last_segment + 1)}
        assert not numbers & repeated
        assert numbers | repeated == set(range(1, len(document.segment_starts) + 1))
        for each in repeats:
            holder = documents[each.kept_in]
            starts = [*holder.segment_starts, len(holder.text)]
            kept = holder.text[starts[each.kept_first - 1] : starts[each.kept_last]]
            assert holder is not document
            assert normal(kept) == normal(document.text[each.start : each.end])
        for block in blocks(document.text, document.segment_starts):
            text = normal(document.text[block.start : block.end])
            said.add(text)
            if {document.segment_at(block.start), document.segment_at(block.end - 1)} <= numbers:
                sent.add(text)
    assert sent == said
