"""Digests of outputs in blocks."""

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
