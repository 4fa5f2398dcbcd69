"""The outline of source code whose language the name of its file says, and what is told of it to those who ask."""

import pytest
from inline_snapshot import snapshot

from summarizer_tool.extractive.outline import outlined
from summarizer_tool.extractive.statement import Kind
from tests.extractive.test_outline import numbered


@pytest.mark.parametrize(
    ('name', 'code', 'shown'),
    [
        (
            'store.py',
            """
            # Copyright 2024 The Harbour. All rights reserved.

            MAX_CRATES = 8
            \"\"\"Crates that one store may hold.\"\"\"

            class Store(
                Base,
            ):
                limit: Annotated[
                    int,
                    # as counted
                    Field(gt=0),
                ] = 3
                \"\"\"What it may hold at once. It is a guess.\"\"\"
                _spare = 0
                \"\"\"Not for others.\"\"\"
                crates: int = 0
            """,
            snapshot(['class Store( Base, ):']),
        ),
        (
            'store.cs',
            """
            // Licensed under the terms of the harbour.
            public class Store
            {
                /* Crates it holds. */
                public int Crates = 3;

                public void Open(string path)
                {
                    // Look it up.
                    Load(path);
                    Read({
                        path: path,
                    });
                }
            }
            """,
            snapshot(
                [
                    'public class Store',
                    'public void Open(string path)',
                ]
            ),
        ),
        (
            'store.hpp',
            """
            class Landing;

            // -- Stores --
            struct Store {
              /** Crates it holds. */
              int crates;

              static inline
              const Landing *
              landing(int number);
            };
            """,
            snapshot(['Stores. struct Store', 'landing(int number);']),
        ),
        (
            'Gate.java',
            """
            class Gate {
              /** Opens it. */
              public synchronized long open(long height) {
                synchronized (this) {
                  return height;
                }
              }
            }
            """,
            snapshot(['class Gate', 'Opens it. public synchronized long open(long height)']),
        ),
        ('one.js', 'const limit = 3\n\nfunction open(path) {\n  return limit\n}', snapshot(['function open(path)'])),
    ],
    ids=['python', 'csharp', 'cpp', 'java', 'javascript'],
)
def test_what_is_declared_in_a_file_of_a_known_name(name: str, code: str, shown: list[str]):
    said, _ = outlined(numbered(code), [name])
    assert [each.text for each in said if each.kind is Kind.DECLARATION] == shown
