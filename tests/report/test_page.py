"""The page of a report: what it is told, what it shuts out, and that it is complete in itself."""

import base64
import hashlib
import json
import re
from typing import Any

from inline_snapshot import snapshot

from summarizer_tool import Audit, Document, Evidence, SourcedFact, Stats, Summarizer, Summary, render_report
from summarizer_tool.schemas import Coverage, DroppedFacts, LostItem, Part

HOSTILE = '</script><img src=x onerror=alert(1)><!-- <script>\u2028{{script}}'
HARBOUR = Document('# Harbour\n\nThe gate opens at 5.\n\n\nAda Thornby keeps it.\n', title='Harbour')
MARKET = Document('- Eels cost 3 pence.\n', title='Market', url='https://market.example/eels')


def fact(text: str, *places: tuple[Document, int]) -> SourcedFact:
    evidence = [
        Evidence(source_id=document.id, segment=number, line=document.segment(number).line)
        for document, number in places
    ]
    return SourcedFact(text=text, importance=3, names=[], evidence=evidence)


def part(document: Document, state: str, reason: str = '') -> Part:
    last = len(document.segment_starts)
    return Part.model_validate(
        {
            'source_id': document.id,
            'title': document.title,
            'first_segment': 1,
            'last_segment': last,
            'first_line': 1,
            'last_line': document.segment(last).line,
            'state': state,
            'reason': reason,
        }
    )


def summary(text: str, *facts: SourcedFact, **rest: Any) -> Summary:
    stats = Stats(tokens_in=30, tokens_out=12, budget=20, map_calls=2, facts_in=4, facts_out=2, model='extractive',
                  dropped=DroppedFacts(over_budget=2))  # fmt: skip
    return Summary.model_validate({'text': text, 'state': 'complete', 'facts': list(facts), 'stats': stats, **rest})


def told(page: str) -> dict[str, Any]:
    """What stands in the page's block of data."""
    [block] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(block)


def test_the_pages_of_a_text_that_has_some() -> None:
    printed = Document(
        'The gate opens at 5.\n\n\f\n\nAda Thornby keeps it.\nShe is 40.\n\n\f\n\nIt closes at 9.\n', title='Printed'
    )
    [source] = told(render_report(summary('', fact('It closes at 9.', (printed, 4))), [printed]))['sources']
    assert source['pages'] == snapshot([3, 8])


def test_what_the_page_is_told() -> None:
    made = summary(
        '# Harbour\nAda Thornby keeps it.\n# Market\nEels cost 3 pence.\nAlso named: Westfall.',
        fact('Ada Thornby keeps it.', (HARBOUR, 1), (HARBOUR, 3)),
        fact('- Eels  cost 3 pence.', (MARKET, 1)),
        parts=[part(HARBOUR, 'summarized'), part(MARKET, 'degraded', 'timed out')],
        warnings=['one part took too long'],
    )
    lost = LostItem(**made.facts[0].evidence[0].model_dump(), text='5', kind='number', times=2)
    made.coverage = Audit(kept=1, total=2, by_kind={'number': Coverage(kept=1, total=2)}, losses=[lost])
    page = told(render_report(made, [HARBOUR, MARKET]))
    assert page.pop('stats')['dropped'] == {'unsupported': 0, 'duplicate': 0, 'superseded': 0, 'over_budget': 2}
    assert page == snapshot(
        {
            'state': 'complete',
            'warnings': ['one part took too long'],
            'text': ['# Harbour', 0, '# Market', 1, 'Also named: Westfall.'],
            'facts': [
                ['Ada Thornby keeps it.', [[0, 1, 1, 'src_c5524ac089d3'], [0, 3, 6, 'src_c5524ac089d3']]],
                ['- Eels cost 3 pence.', [[1, 1, 1, 'src_fa1d275b9ef6']]],
            ],
            'sources': [
                {
                    'id': 'src_c5524ac089d3',
                    'title': 'Harbour',
                    'url': '',
                    'segments': [[1, '# Harbour'], [3, 'The gate opens at 5.'], [6, 'Ada Thornby keeps it.']],
                    'parts': [[1, 3, 1, 6, 'summarized', '']],
                    'pages': [],
                },
                {
                    'id': 'src_fa1d275b9ef6',
                    'title': 'Market',
                    'url': 'https://market.example/eels',
                    'segments': [[1, '- Eels cost 3 pence.']],
                    'parts': [[1, 1, 1, 1, 'degraded', 'timed out']],
                    'pages': [],
                },
            ],
            'tables': [
                [
                    'Kept of what the sources name',
                    ['Of', 'Distinct ones', 'Share'],
                    [['all', '1 of 2', '50%'], ['numbers', '1 of 2', '50%']],
                ],
                [
                    'Not said, the most frequent first',
                    ['What', 'Kind', 'Times', 'First'],
                    [['5', 'number', '2', [0, 1, 1, 'src_c5524ac089d3']]],
                ],
            ],
        }
    )


def test_a_fact_is_shown_as_the_text_says_it() -> None:
    made = summary(
        '## Keeper\nShe is 40.\n--late says when.\n(src_0123456789ab: a tale]\n'
        'Harbour: The gate opens at 5.\nEels cost 3 pence.',
        fact('Keeper: She is 40.', (HARBOUR, 3)),
        fact('--late says when.', (HARBOUR, 1)),
        fact('[src_0123456789ab: a tale]', (HARBOUR, 1)),
        fact('Nobody writes this.', (HARBOUR, 2)),
        fact('The gate opens at 5.', (HARBOUR, 2)),
        fact('- Eels cost 3 pence.', (MARKET, 1)),
    )
    page = told(render_report(made, [HARBOUR, MARKET]))
    assert page['text'] == ['## Keeper', 0, 1, 2, 4, 5, 3]
    assert [said for said, _ in page['facts']] == snapshot(
        [
            'Keeper: She is 40.',
            '--late says when.',
            '[src_0123456789ab: a tale]',
            'Nobody writes this.',
            'Harbour: The gate opens at 5.',
            '- Eels cost 3 pence.',
        ]
    )


def test_hostile_text_stays_data() -> None:
    document = Document(f'{HOSTILE}\n\ud800\n', title=HOSTILE, url=f'javascript:{HOSTILE}')
    made = summary(
        HOSTILE, fact(HOSTILE, (document, 1)), warnings=[f'{HOSTILE}\ud800'], parts=[part(document, 'failed', HOSTILE)]
    )
    page = render_report(made, [document])
    assert page.count('</script>') == 2
    assert not re.search(r'<img|<!--|\u2028|[\ud800-\udfff]', page)
    data = told(page)
    assert data['sources'][0]['segments'][0] == [1, HOSTILE]
    assert data['warnings'] == [f'{HOSTILE}\ud800']
    assert page.encode()


def test_the_policy_lets_only_its_own_script_and_style_work() -> None:
    page = render_report(summary('Short.', state='unchanged'), [Document('Short.')])
    [policy] = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    digests = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in re.findall(r'<(?:script|style)>(.*?)</(?:script|style)>', page, re.DOTALL)
    ]
    style, script = digests
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    assert page.index('Content-Security-Policy') < page.index('<style>')
    assert not re.search(r'(src|href)=|innerHTML|style="|\son\w+=', page)


def test_all_lines_and_facts_are_there() -> None:
    """Lines of a real summary; of a long line the sentences, which facts point to."""
    text = '\n\n'.join(
        f'In {year} the miner Ada Thornby found {year} silver coins in the Deadmines below Westfall.  ' * 8
        for year in range(1000, 1040)
    )
    documents = [Document(f'\n \n{text}', title='Mines'), Document('No coins were found in Redridge.\r\nNone.')]
    made = Summarizer().summarize_sync(documents, max_output_tokens=300)
    page = told(render_report(made, [*documents, documents[0]]))
    assert [source['id'] for source in page['sources']] == [document.id for document in documents]
    for source, document in zip(page['sources'], documents, strict=True):
        lines: dict[int, str] = {}
        for line, words in source['segments']:
            lines[line] = lines.get(line, '') + words
        whole = document.text.split('\n')
        assert {number: line.strip() for number, line in lines.items()} == {
            number: line.strip() for number, line in enumerate(whole, 1) if line.strip()
        }
    assert [line for line in page['text'] if isinstance(line, int)] == list(range(len(made.facts)))
    assert [said for said, _ in page['facts']] == [fact.text for fact in made.facts]
    for (_, where), each in zip(page['facts'], made.facts, strict=True):
        assert [tuple(place[1:]) for place in where] == [(e.segment, e.line, e.source_id) for e in each.evidence]
        assert all(page['sources'][place[0]]['id'] == place[3] for place in where)


def test_a_text_that_is_the_sources_is_not_shown_twice_and_missing_sources_are_named() -> None:
    assert told(render_report(summary('Short.', state='unchanged'), [Document('Short.')]))['text'] == []
    alone = told(render_report(summary('[BRIEF]', fact('Eels cost 3 pence.', (MARKET, 1))), []))
    assert alone['text'] == ['[BRIEF]', 0]
    assert alone['facts'] == [['Eels cost 3 pence.', [[-1, 1, 1, MARKET.id]]]]
