import pytest
from inline_snapshot import snapshot

from summarizer_tool.digests.digest import digest, machine_output
from summarizer_tool.digests.settings_reading import is_settings, read_settings
from summarizer_tool.formats.reading import plain_text

COMPOSE = """\
# Reached from this machine alone.
services:
  mill:
    image: mill:2.4   # pinned
    restart: unless-stopped
    ports:
      - "127.0.0.1:8007:8007"
    environment:
      GRIND: coarse
      DRY_RUN: false
    # Longer than the grace period of the wheel, which is ten seconds.
    stop_grace_period: 20s
volumes:
  flour:
"""

UNIT = """\
[Unit]
Description=The mill
After=network.target river.target

[Service]
Environment=GRIND=coarse
Environment=STONES=4
ExecStart=/usr/bin/mill \\
  --wheel north
Restart=on-failure
"""


def test_yaml_is_objects_and_lists():
    read = read_settings(COMPOSE)
    assert read is not None
    assert read.value == snapshot(
        {
            'services': {
                'mill': {
                    'image': 'mill:2.4',
                    'restart': 'unless-stopped',
                    'ports': ['127.0.0.1:8007:8007'],
                    'environment': {'GRIND': 'coarse', 'DRY_RUN': False},
                    'stop_grace_period': '20s',
                }
            },
            'volumes': {'flour': None},
        }
    )


def test_what_recurs_in_a_section_is_a_list_and_lines_farther_in_go_on():
    read = read_settings(UNIT)
    assert read is not None
    assert read.value == snapshot(
        {
            'Unit': {'Description': 'The mill', 'After': 'network.target river.target'},
            'Service': {
                'Environment': ['GRIND=coarse', 'STONES=4'],
                'ExecStart': '/usr/bin/mill \\ --wheel north',
                'Restart': 'on-failure',
            },
        }
    )


def test_toml_keeps_fractions_as_they_are_written():
    read = read_settings('[mill]\nrate = 2e-4\nstones = 4\nnames = ["north", "south"]\n')
    assert read is not None
    assert read.value == {'mill': {'rate': '2e-4', 'stones': 4, 'names': ['north', 'south']}}


def test_settings_are_told_by_their_paths_with_their_lines():
    told = digest(COMPOSE, 200)
    assert told.kind == 'json'
    assert [(each.text, each.lines[:1]) for each in told.lines] == snapshot(
        [
            ('services.mill.environment: GRIND=coarse, DRY_RUN=false', (9,)),
            (
                'services.mill: image=mill:2.4, restart=unless-stopped, ports=[127.0.0.1:8007:8007], stop_grace_period=20s',
                (7,),
            ),
            ('volumes.flour: null', (13,)),
        ]
    )


def test_wrapped_comments_leave_settings_as_they_are():
    text = '# ' + 'which the miller sets '.join(['a value '] * 4) + '\n' + COMPOSE
    assert plain_text(text, 'mill.conf') == plain_text(text) == text


@pytest.mark.parametrize(
    'text',
    [
        'Name: the mill\nOwner: Ada Reeve\nIt stands by the river.\n',
        'grind_total{stone="1"} 0\ngrind_total{stone="2"} 4\ngrind_total{stone="3"} 0\n',
        'a: [1, 2\nb:\n  c: d\n',
        '---\ntitle: Mill\ntags:\n  - river\n---\n# The mill\n\nIt stands by the river.\n',
        f'a:\n  b: {"[" * 200}\nc: d\n',
        f'a:\n  {"- " * 200}b\nc: d\n',
    ],
)
def test_what_is_no_settings_or_broken_is_not_read(text: str):
    assert not is_settings(text)


def test_what_is_named_again_and_again_is_not_told_each_time():
    bomb = 'a: &a\n  - x\n  - x\n' + ''.join(
        f'b{n}: &b{n} [*{"a" if not n else f"b{n - 1}"}, *{"a" if not n else f"b{n - 1}"}]\n' for n in range(40)
    )
    assert read_settings(bomb) is None


def test_settings_that_are_prompts_are_prose():
    prompts = 'prompts:\n' + ''.join(
        f'  topic_{n}: Tell who owns the mill on the river, since when, and which of the stones they have sold to whom.\n'
        for n in range(4)
    )
    assert read_settings(prompts) is not None
    assert machine_output(prompts) is None


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    'line', ['-' * 200_000, '[' + ' ' * 200_000, 'a' * 200_000, '- ' * 90, 'a ' * 100_000 + '=', '#' * 200_000]
)
def test_no_line_takes_long(line: str):
    assert not is_settings(f'{line}\na:\n  b: c\n{line}\nd\n')


def test_what_is_nested_as_deep_as_a_text_may_be_is_read_or_refused():
    deep = '\n'.join(f'{" " * at}k{at}:' for at in range(1200)) + ' v\n'
    assert read_settings(deep) is None or digest(deep, 100).text
