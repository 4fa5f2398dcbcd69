"""The outline of source code."""

import textwrap
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool import Settings, Summarizer
from summarizer_tool.extractive.outline import outlined
from summarizer_tool.extractive.statement import Kind
from summarizer_tool.prompts import NumberedLine

PYTHON = '''
"""Keeps what a harbour has landed."""
import json

LIMIT = 3

class Store(Base):
    """Keeps crates. One may be lost.

    It is a class that counts.
    """

    def read(
        self,
        crate: int,
    ) -> str:
        """Read one crate."""
        def inner():
            return 1
        # The crate may be gone.
        return json.dumps(crate)

    def _hide(self):
        return 'def not_one(): pass'

def open_store(path: str) -> Store:
    return Store(path)
'''


def numbered(text: str) -> list[NumberedLine]:
    lines = textwrap.dedent(text).strip('\n').splitlines()
    blank = [*(not line.strip() for line in lines[1:]), False][: len(lines)]
    return [
        NumberedLine(place, line, after)
        for place, (line, after) in enumerate(zip(lines, blank, strict=True), 1)
        if line
    ]


def declared(lines: Sequence[NumberedLine]) -> list[str]:
    return [each.text for each in outlined(lines)[0] if each.kind is Kind.DECLARATION]


def test_what_python_declares():
    assert [(each.kind.form, each.text, each.evidence) for each in outlined(numbered(PYTHON))[0]] == snapshot(
        [
            ('comment', 'Keeps what a harbour has landed.', (1,)),
            ('declaration', 'class Store(Base): """Keeps crates.', (6, 7)),
            ('comment', 'One may be lost.', (7,)),
            ('comment', 'It is a class that counts.', (9,)),
            ('declaration', 'def read( self, crate: int, ) -> str: """Read one crate.', (12, 13, 14, 15, 16)),
            ('comment', 'def inner():', (17,)),
            ('comment', 'The crate may be gone.', (19,)),
            ('comment', 'def _hide(self):', (22,)),
            ('declaration', 'def open_store(path: str) -> Store:', (25,)),
        ]
    )


@pytest.mark.parametrize(
    ('code', 'shown'),
    [
        (
            """
            /** Keeps crates. More of it. */
            export class Store extends Base {
              /** Reads one. */
              async read(id: string): Promise<Crate> {
                if (id) {
                  return this.get(id);
                }
              }
              #count() {
                return 1;
              }
            }
            """,
            snapshot(
                ['Keeps crates. export class Store extends Base', 'Reads one. async read(id: string): Promise<Crate>']
            ),
        ),
        (
            """
            package store

            // Open opens a store. It may fail.
            func Open(path string) (*Store, error) {
                return load(path)
            }

            type Store struct {
                crates int
            }
            """,
            snapshot(['Open opens a store. func Open(path string) (*Store, error)', 'type Store struct']),
        ),
        (
            """
            /// Opens a store.
            pub fn open(path: &Path) -> Result<Store> {
                load(path)
            }

            pub struct Store {
                crates: u8,
            }
            """,
            snapshot(['Opens a store. pub fn open(path: &Path) -> Result<Store>', 'pub struct Store']),
        ),
        (
            """
            /* Opens a store. */
            int open_store(const char *path, int limit)
            {
              return load(path);
            }

            struct store {
              int crates;
            };
            """,
            snapshot(['Opens a store. int open_store(const char *path, int limit)', 'struct store']),
        ),
        (
            """
            #include "store.h"
            /* ====== Stores ======
             * Counts what a store has left for those who
             * come to it by boat.
             *
             * The count is a guess. */
            int count_store(const struct store *from)
            {
              struct tm now;
              return guess(from, &now);
            }

            #define LIMIT 8
            struct landing {
              int crates; /* as landed */
            };
            """,
            snapshot(
                [
                    'Counts what a store has left for those who come to it by boat. int count_store(const struct store *from)',
                    'struct landing',
                ]
            ),
        ),
        (
            """
            # Keeps crates.
            class Store < Base
              # Reads one.
              def read(id)
                get(id)
              end
            end
            """,
            snapshot(['Keeps crates. class Store < Base', 'Reads one. def read(id)']),
        ),
        (
            """
            import {
              open,
            } from './gate.js';
            export function lift(gate) {
              return open(gate);
            }
            export function lower(gate) {
              return gate.down();
            }
            """,
            snapshot(['export function lift(gate)', 'export function lower(gate)']),
        ),
        (
            """
            # Opens a store.
            open_store () {
                if test -z "$1"
                then
                    load "$path"
                fi
            }
            close_store() {
                rm "$path"
            }
            """,
            snapshot(['Opens a store. open_store ()', 'close_store()']),
        ),
        (
            """
            def store(path, *, limit):
                \"\"\"Store what is at a path.\"\"\"
                crates, at = load(path)
                limit -= len(crates)
                crates[at] = limit
                at, crates = crates, at
            def load(path): ...
            """,
            snapshot(['def store(path, *, limit): """Store what is at a path.', 'def load(path): ...']),
        ),
    ],
    ids=['typescript', 'go', 'rust', 'c', 'long-comments', 'ruby', 'imports', 'shell', 'python'],
)
def test_what_others_declare(code: str, shown: list[str]):
    assert declared(numbered(code)) == shown


@pytest.mark.parametrize(
    'text',
    [
        'The harbour was built in 1872.\nIts class of ships (see below) was new;\nnobody knew the type of wood.',
        '{\n  "class": "a",\n  "def": {\n    "type": 3\n  }\n}',
        '[project]\nname = "a"\ntype = "layers"\n[tool]\nmodule = "b"',
        '# Title\n\n```python\nclass A:\n    def b(self): ...\n    def c(self): ...\n```',
        'Mar 3 10:12:01 host sshd[11]: failed login for (root)\nMar 3 10:12:02 host su(pam)[12]: session opened',
    ],
    ids=['prose', 'json', 'toml', 'markdown', 'log'],
)
def test_what_is_no_code(text: str):
    assert outlined(numbered(text))[0] == []


@given(st.lists(st.sampled_from([*PYTHON.splitlines(), '}', 'fn a(', '"""', '/*', 'a;', 'Prose.']), max_size=30))
def test_evidence_is_of_the_lines(texts: list[str]):
    lines = numbered('\n'.join(texts))
    numbers = {line.number for line in lines}
    shown = ' '.join(' '.join(line.text.split()) for line in lines)
    for each in outlined(lines)[0]:
        assert each.evidence
        assert numbers >= {*each.evidence}
        assert each.text.split()[0].strip('"\'') in shown


def test_a_summary_of_code_is_its_outline():
    body = '\n'.join(f'    total = total + weights[{n}] * crates.pop({n})' for n in range(60))
    code = (
        PYTHON
        + f'\ndef weigh(crates: list) -> int:\n    """Weigh all crates."""\n    total = 0\n{body}\n    return total\n'
    )
    summary = Summarizer(Settings.load(llm_model='extractive')).summarize_sync(code, max_output_tokens=70)
    assert summary.text.splitlines() == snapshot(
        [
            'class Store(Base): """Keeps crates.',
            'One may be lost.',
            'def read( self, crate: int, ) -> str: """Read one crate.',
            'def inner():',
            'def _hide(self):',
            'def open_store(path: str) -> Store:',
            'def weigh(crates: list) -> int: """Weigh all crates.',
        ]
    )


def test_a_documented_field_is_named():
    code = 'import json\n\nMOST = 3\n"""Crates of a store."""\n\nclass Store:\n    size: int = 4\n    """In feet."""\n'
    found = outlined(list(map(NumberedLine, range(1, 9), code.splitlines())), ('store.py',))[0]
    assert [each.text for each in found] == snapshot(
        ['MOST = 3 """Crates of a store.', 'class Store:', 'size: int = 4 """In feet.']
    )
