"""Digests of outputs in blocks."""

from inline_snapshot import snapshot

from summarizer_tool.digests.blocks import read_blocks
from summarizer_tool.digests.digest import digest

ASKED = 'Is anything wrong or unusual here?'


def told(text: str) -> str:
    return digest(text, 400, focus=ASKED).text


def test_blocks_of_fields_are_named() -> None:
    pods = [
        f'- kind: Pod\n  metadata:\n    name: vat-{at}\n  spec:\n    node: mill-{at % 4}\n  status:\n'
        f'    phase: {"Failed" if at == 31 else "Running"}\n    restarts: {97 if at == 44 else 0}'
        for at in range(80)
    ]
    found = digest('\n'.join(pods), 400, focus=ASKED)
    assert found.kind == 'blocks'
    assert '255| vat-31: phase: Failed' in found.text
    assert '360| vat-44: restarts: 97' in found.text


def test_blocks_whose_first_lines_are_rows() -> None:
    blocks = [
        f'{at:04x}-{at + 1:04x} {"rwx" if at == 31 else "r-x"} {at} /mill/stone-{at % 5}\nSize: {4 + at % 2} kB\nSwap: 0 kB'
        for at in range(80)
    ]
    assert '94| 001f-0020 rwx 31 /mill/stone-1' in told('\n'.join(blocks))


def test_blocks_below_lines_that_are_less_far_in() -> None:
    sacks = [
        f'sack-{at}\n'
        + ''.join(f'  {("Needs", "Wants")[(each + at) % 2]}: stone-{each}\n' for each in range(at % 4 + 2))
        for at in range(80)
    ]
    sacks[44] = sacks[44] + '  Shuns: vat-9\n'
    text = told(''.join(sacks))
    assert 'blocks: 80 items' in text
    assert 'sack-44: Shuns: vat-9' in text


def test_blocks_between_blank_lines_begin_with_anything() -> None:
    samples = [
        f'{"rook" if at == 70 else ("miller", "sieve", "carter")[at % 13 % 3]} {at} {at}.5: clock\n\t{at:x} turn+0x1\n'
        f'\t{at + 9:x} grind+0x{at % 7}\n'
        for at in range(120)
    ]
    text = told('\n'.join(samples))
    assert '120 items' in text
    assert '281| rook 70 70.5: clock' in text


def test_blocks_are_named_by_the_line_above_them() -> None:
    blocks = [f'boat-{n}:\n  Moored: pier {n % 7}\n  Seen: 1412-05-{n % 9 + 1:02}\n  State: free\n' for n in range(60)]
    blocks[41] = blocks[41].replace('free', 'sunk')
    found = digest(''.join(blocks), 200)
    assert '168| boat-41: State: sunk' in found.text


def test_lines_belong_to_the_heading_above_them_however_it_is_written() -> None:
    headings = [
        *('/mill/cellar', '/mill/a-long-way-down/below-the-sluice', '/mill/Old Papers', '/mill/loft 2/bags', '/mill/z')
    ]
    rows = ''.join(f'-rw-r--r-- 1 ada mill {at} Jun 3 sack\n' for at in range(7))
    listed = [f'{heading}{at}:\ntotal {at}\n{rows}' for at in range(9) for heading in headings]
    listed[22] += '-rw------- 1 ada mill 9 Jun 3 ledger\n'
    blocks = read_blocks('\n'.join(listed).splitlines())
    assert blocks is not None
    assert len(blocks.starts) == len(listed)
    found = digest('\n'.join(listed), 400, focus='Where is the ledger?').text
    assert '/mill/Old Papers4: -rw------- 1 ada mill 9 Jun 3 ledger' in found


def test_of_blocks_that_begin_with_fields_what_they_are_about_is_told():
    said = [
        'Raise the sluice',
        'Grease both wheels (#4)',
        'Note who has the keys',
        'Let the mill stand',
        'Sweep the floor',
    ]
    log = '\n'.join(
        f'commit {at + 10:040x}\nAuthor: Ada <ada@mill.example>\nDate:   Mon Jun {at + 1} 19:12:46 2026 -0400\n\n    {each}\n\n'
        f'diff --git a/mill.py b/mill.py\n--- a/mill.py\n+++ b/mill.py\n+def wheel_{at}(height):\n+    return {at * 7}\n'
        for at, each in enumerate(said)
    )
    told = digest(log, 300)
    assert told.kind == 'blocks'
    assert [each.text for each in told.lines if each.topic == 'values'] == snapshot(
        [
            'commit 0000000000: Raise the sluice',
            'commit 0000000000: Grease both wheels (#4)',
            'commit 0000000000: Note who has the keys',
            'commit 0000000000: Let the mill stand',
            'commit 0000000000: Sweep the floor',
        ]
    )


def test_what_stands_between_and_behind_blocks_of_one_kind_belongs_to_none_of_them():
    blocks = [
        f'  # gate.g{at} will be moved\n  ~ gate "g{at}" {{\n      ~ width = {at} -> {at + 1}\n    }}\n'
        for at in range(40)
    ]
    blocks.insert(20, '  # lock.upper must be replaced\n-/+ lock "upper" {\n      ~ oak = true -> false\n    }\n')
    told = digest(
        '\n'.join(['The following is done:\n', *blocks, 'Plan: 1 to add, 40 to move.']), 400
    ).text.splitlines()
    assert {'103| # lock.upper must be replaced', '208| Plan: 1 to add, 40 to move.'} <= {*told}


def test_what_is_written_in_all_blocks_alike_is_the_title_of_none():
    boats = [f'Name: boat-{at}\nBerth: b{at}\nPapers:\n  What   of whom   since\nState: {at % 2}\n' for at in range(20)]
    boats[7] = boats[7].replace('State: 1', 'State: sunk')
    assert '47| boat-7: State: sunk' in digest('\n'.join(boats), 200).text


def test_a_name_above_lines_that_begin_alike_is_said_with_each() -> None:
    folders = ['.', './mill', './mill/gates', './quay', './quay/ropes', './weir']
    blocks = [
        f'{folder}:\ntotal {at * 8}\n'
        + ''.join(
            f'-rw-r--r-- 1 ada ada {at}{each}7 Mar 14 2026 {name}{at}\n'
            for each, name in enumerate(('sail', 'oil', 'sack', 'wick'))
        )
        for at, folder in enumerate(folders)
    ]
    text = '\n'.join(blocks).replace('-rw-r--r-- 1 ada ada 307', '-rwsrwxrwx 1 otter ada 307')
    found = digest(text, 300, focus='Is anything unusual here?')
    assert found.kind == 'blocks'
    assert '24| ./quay: -rwsrwxrwx 1 otter ada 307 Mar 14 2026 sail3' in found.text
    assert './mill/gates: -rw-r--r-- 1 ada ada 217 Mar 14 2026 oil2' in digest(text, 300, focus='oil2').text
    assert not any(line.endswith('total 0: total 0') for line in found.text.split('\n'))
