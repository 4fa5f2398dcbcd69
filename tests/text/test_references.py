"""Entries of reference lists."""

import pytest
from inline_snapshot import snapshot

from summarizer_tool import Settings, Summarizer
from summarizer_tool.text.references import is_reference, opens_references

ENTRIES = [
    'Brook AN, Orme JS. Silting of harbours. In vitro assessment of salt. J Tides. 1988;82(6):1826.',
    '3. Finn K, Brandt O, et al. Lamps and oil: a randomized trial. Coast Med. 2013;31:5339-48.',
    'Quill, M. A., & Vant, O. (1999). The dyke and its keepers. Fen Press. https://doi.org/10.1016/j.fen.2013.09',
    'Harrow Y (2004), "Tar", in Marsh Studies, vol. 3, pp. 12–19.',
    '[12] J. Sedgewick et al., “Bells under water,” arXiv:2201.01234, 2022.',
]
STATEMENTS = [
    'Brook et al. found in 1988 that the harbour had silted up.',
    'The Salt Guild was founded on 3 May 1871 by Ada Brook and Jonas Orme.',
    'Osmer Vant (1402–1461) built the first dyke; he died on 3 Amber 1461.',
    'Table 3 lists 20 keepers, 12 of whom had left by 1900.',
    'Sources of the Heron: it springs at Orme and at Morn.',
    'Sources: nytimes.com and reuters.com report that 12 people died in the fire on the hill.',
    'In 2004 she published Tar, and in 2009 its sequel, with J. Sedgewick.',
]


@pytest.mark.parametrize('line', ENTRIES)
def test_an_entry(line: str):
    assert is_reference(line)


@pytest.mark.parametrize('line', STATEMENTS)
def test_a_statement_with_names_and_years(line: str):
    assert not is_reference(line)


@pytest.mark.parametrize('heading', ['References', '7. REFERENCES', 'Literaturverzeichnis', '参考文献', 'Works cited:'])
def test_headings_of_such_lists(heading: str):
    assert opens_references(heading)
    assert not opens_references(f'{heading} of Ada Brook')


def test_a_summary_has_the_abstract_and_no_entries():
    entry = '{n}. Brook AN, et al. Silting of harbour {n}. J Tides. 19{n};8({n}):1–9.'
    entries = '\n'.join(entry.format(n=n) for n in range(50, 70))
    page = f"""# Silt in harbours

## Abstract

We measured the silt of nine harbours between 1990 and 2004. It grew by 3 cm a year where no river entered.

## References

### Of particular interest

{entries}

## Funding

The Salt Guild paid for the boats."""
    text = Summarizer(Settings.load(llm_model='extractive')).summarize_sync(page, max_output_tokens=120).text
    assert text.splitlines() == snapshot(
        [
            '## Abstract',
            'We measured the silt of nine harbours between 1990 and 2004.',
            '## Funding',
            'The Salt Guild paid for the boats.',
        ]
    )
