"""The research package: briefs that people read, whatever strangers have written, and JSON that programs read."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from dirty_equals import IsFloat
from inline_snapshot import snapshot
from pydantic_ai import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from researcher_integration import (
    Configuration,
    Package,
    Research,
    ResearchRequest,
    ResearchSettings,
    load_tiers,
    load_topics,
)
from researcher_integration.lore.extraction.typed_extraction import Extraction
from researcher_integration.lore.material import TOPIC_IDS
from researcher_integration.lore.package import Extracted, write_to

pytestmark = pytest.mark.anyio


FILES = {
    'guide.md': '# Mirefold\n\nMirefold is a zone in Sallow (levels 30-35). Odile Sarn serves the Tide Guild.\n',
    'circle.md': '# The Ash Circle\n\nOdile Sarn leads the Ash Circle, a faction. It burned the Reed Bell in 412.\n',
}


ANSWERS: Mapping[str, object] = {
    'ZoneDataRecords': [{'name': 'Mirefold', 'region': 'Sallow', 'level_range': '30-35', 'sources': [1]}],
    'NPCDataRecords': [
        {'name': 'Odile Sarn', 'faction': 'Tide Guild', 'sources': [1], 'confidence': 0.9},
        {'name': 'Odile Sarn', 'faction': 'the Ash Circle', 'sources': [2], 'confidence': 0.9},
        {'name': 'Nobody Knows', 'sources': [1]},
    ],
    'FactionDataRecords': [
        {
            'name': 'The Ash Circle',
            'leader': 'Odile Sarn',
            'sources': [2],
            'relations': [{'kind': 'destroyed', 'target': 'Reed Bell', 'detail': 'in 412', 'sources': [2]}],
        }
    ],
}


CONFLICT = {
    'subject': 'Odile Sarn', 'attribute': 'faction', 'first': 'Tide Guild', 'first_source': 1,
    'second': 'the Ash Circle', 'second_source': 2,
}  # fmt: skip


def answer(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Reports what it was given, and extracts what stands in `ANSWERS`."""
    if not info.output_tools:
        return ModelResponse(parts=[TextPart('Odile Sarn stands between two camps [1][2].')])
    [tool] = info.output_tools
    fields = tool.parameters_json_schema.get('$defs', {})
    answers = {**ANSWERS, 'FoundConflictRecords': [CONFLICT]}
    found = next((answers[f'{name}Records'] for name in fields if f'{name}Records' in answers), [])
    return ModelResponse(parts=[ToolCallPart(tool.name, {'records': found})])


def research(folder: Path, model: FunctionModel | None = None, files: Mapping[str, str] = FILES) -> Research:
    for name, text in files.items():
        (folder / name).write_text(text, encoding='utf-8')
    return Research(
        ResearchRequest(zone='Mirefold', places=tuple(str(folder / name) for name in files)),
        Configuration(load_topics(), load_tiers()),
        ResearchSettings.load(llm_model='extractive'),
        folder / 'package',
        model=model,
    )


def written(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    return json.loads((folder / 'extraction.json').read_text()), json.loads((folder / 'statistics.json').read_text())


async def test_a_small_package(tmp_path: Path) -> None:
    package = await research(tmp_path, FunctionModel(answer)).run()
    folder = tmp_path / 'package'
    assert {path.name: path.read_text() for path in (folder / 'briefs').iterdir()} == package.briefs
    assert list(package.briefs) == snapshot(
        ['01-zone-overview.md', '02-npcs.md', '03-factions.md', '04-lore.md', '05-narrative-items.md', 'conflicts.md']
    )
    assert package.briefs['03-factions.md'] == snapshot("""\
# Factions: Mirefold

1 page, 26 tokens crawled, 54 kept; unchanged.

Report of the researcher:  \n\
Odile Sarn stands between two camps [1][2].  \n\

Of [2] The Ash Circle, unchanged:  \n\

### [2] The Ash Circle

Odile Sarn leads the Ash Circle, a faction. It burned the Reed Bell in 412.

## Sources

- [2] The Ash Circle (circle.md): `src_f71a66775bdb`, primary (0.85), 26 tokens
""")
    assert package.briefs['conflicts.md'] == snapshot("""\
# Conflicts: Mirefold

1 conflict, undecided; of each the claim of the more trusted source comes first.

## Odile Sarn: faction

- [1] Tide Guild (primary)
- [2] the Ash Circle (primary)

## Sources

- [1] Mirefold (guide.md): `src_1b069a78dfd4`, primary (0.85), 30 tokens
- [2] The Ash Circle (circle.md): `src_f71a66775bdb`, primary (0.85), 26 tokens
""")

    assert Package.model_validate_json(package.model_dump_json()) == package

    extraction, statistics = written(folder)
    assert list(extraction) == ['zone', 'sources', 'categories', 'conflicts']
    categories = extraction['categories']
    found = {topic: [record['name'] for record in each['records']] for topic, each in categories.items()}
    assert found == snapshot(
        {
            'zone_overview': ['Mirefold'],
            'npcs': ['Odile Sarn', 'Odile Sarn'],
            'factions': ['The Ash Circle'],
            'lore': [],
            'narrative_items': [],
        }
    )
    assert (categories['npcs']['state'], categories['npcs']['dropped']) == ('extracted', 1)
    assert Extracted.model_validate(extraction) == package.extracted
    assert extraction['conflicts'] == snapshot(
        [
            {
                'subject': 'Odile Sarn',
                'attribute': 'faction',
                'claims': [{'text': 'Tide Guild', 'source': 1}, {'text': 'the Ash Circle', 'source': 2}],
            }
        ]
    )
    assert statistics.pop('seconds') == IsFloat(ge=0)
    statistics['request'].pop('places')
    steps = statistics.pop('steps')
    assert list(steps) == list(TOPIC_IDS)
    assert (steps['npcs']['state'], steps['npcs']['pages'], steps['npcs']['ratio']) == ('empty', 0, 0.0)
    step = steps['factions']
    assert step.pop('seconds') == IsFloat(ge=0)
    assert step.pop('budget') > 0
    for spent in (statistics['extraction'], statistics['total'], step['agent']):
        assert (spent.pop('input_tokens') > 0) == (spent.pop('output_tokens') > 0) == (spent['requests'] > 0)
    assert step == snapshot(
        {
            'state': 'unchanged',
            'pages': 1,
            'tokens_crawled': 26,
            'tokens_kept': 39,
            'ratio': 0.67,
            'model': '',
            'agent': {'requests': 2, 'cost': None},
            'warnings': [],
        }
    )
    assert statistics == snapshot(
        {
            'request': {'zone': 'Mirefold', 'search': False, 'way': 'in-pipeline', 'window_tokens': 25000},
            'summarizer': 'in process',
            'pages': 2,
            'tokens_crawled': 56,
            'tokens_kept': 166,
            'summaries': {'requests': 0, 'input_tokens': 0, 'output_tokens': 0, 'cost': None},
            'extraction': {'requests': 6, 'cost': None},
            'total': {'requests': 16, 'cost': None},
            'failures': [],
            'warnings': [],
            'ratio': 0.34,
            'cost': None,
        }
    )


async def test_what_a_package_has_without_a_model(tmp_path: Path) -> None:
    package = await research(tmp_path).run()
    assert package.briefs['conflicts.md'] == snapshot("""\
# Conflicts: Mirefold

None are listed.

> they were not looked for: that needs a model
""")
    assert {(found.state, found.reason) for found in package.extracted.categories.values()} == snapshot(
        {('failed', 'typed extraction needs a model')}
    )
    assert (package.statistics.total.requests, package.statistics.cost) == (0, None)


async def test_an_answer_that_is_not_whole_says_so(tmp_path: Path) -> None:
    job = research(tmp_path, FunctionModel(answer))
    await job.run()
    checkpoint = job.folder / 'checkpoint.json'
    content = json.loads(checkpoint.read_text())
    content['extractions']['npcs'] |= Extraction(category='npcs', is_partial=True, unread=(2,)).model_dump(
        include={'is_partial', 'unread'}, mode='json'
    )
    content['cross_reference'] |= {'is_partial': True, 'unread': [2]}
    checkpoint.write_text(json.dumps(content))
    package = await job.run(resume=True)
    found = package.extracted.categories['npcs']
    assert (found.state, found.is_partial, found.unread) == ('extracted', True, (2,))
    said = snapshot(
        'the answer was cut off or broken, and only what was complete in it was kept; pages whose text could not be read, so that nothing was held against them: 1'
    )
    assert package.statistics.warnings == [f'Characters: extraction: {said}', f'cross-reference: {said}']
    assert f'\n> {said}\n' in package.briefs['conflicts.md']


async def test_briefs_of_an_earlier_package_go(tmp_path: Path) -> None:
    """Another configuration may have other numbers; what somebody has put there stays."""
    package = await research(tmp_path).run()
    folder = tmp_path / 'package' / 'briefs'
    for name in ('05-lore.md', '07-notes.md', 'lore.md'):
        (folder / name).write_text('old')
    write_to(package, tmp_path / 'package')
    assert {path.name for path in folder.iterdir()} == {*package.briefs, '07-notes.md', 'lore.md'}
