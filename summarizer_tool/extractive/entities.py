"""The names in statements: which mentions are names, and which of them a summary lists."""

from collections import Counter
from collections.abc import Sequence

import regex

from summarizer_tool.extractive.statement import Kind, Statement
from summarizer_tool.text import names, tokens

ENTITY_SHARE = 0.6
"""Entities may take this share of the target: they cost no room in a text whose facts name them anyway."""

_LEADING_ENTITIES = 10


def _mentions(statement: Statement) -> tuple[str, ...]:
    """What a statement mentions; the names of a table's columns are no names."""
    return names.mentions(_COLUMN.sub('', statement.text) if statement.kind is Kind.ROW else statement.text)


_COLUMN = regex.compile(r'(?<=\| )[^|:]{1,40}: ')


def names_seen(found: Sequence[Statement], common: frozenset[str]) -> frozenset[str]:
    """The mentions that are names, dates or numbers: a lone word that only ever opens a sentence or cell is not."""
    certain: set[str] = set()
    opening: Counter[str] = Counter()
    for statement in found:
        is_running = statement.kind is Kind.PROSE
        for mention in _mentions(statement):
            runs_on = is_running and not names.opens_sentence(statement.text, mention)
            if runs_on or mention[0].isdigit() or ' ' in mention:
                certain.add(mention)
            else:
                opening[mention] += 1
    parts = {word for mention in certain for word in mention.split()}
    certain.update(
        m for m in opening if m in parts or (m.lower() not in common and m[1:].lower() == m[1:] and opening[m] > 1)
    )
    return frozenset(certain)


def entities(
    found: Sequence[Statement], is_name: frozenset[str], said: set[str], common: frozenset[str], target_tokens: int
) -> list[str]:
    """The names that matter: the most frequent ones, then those that no fact says, as many as the share allows."""
    times: Counter[str] = Counter()
    spelling: dict[str, str] = {}
    for statement in found:
        if statement.kind in (Kind.CODE, Kind.DECLARATION):
            continue
        for mention in _mentions(statement):
            if mention in is_name and len(mention) > 2 and mention[0].isupper() and mention.lower() not in common:
                times[names.key(mention)] += 1
                spelling.setdefault(names.key(mention), mention)
    parts = {part for key in times if ' ' in key for part in key.split()}
    leading = [key for key, count in times.most_common(_LEADING_ENTITIES) if count > 1]
    unsaid = sorted(
        (key for key in times if key not in said and key not in parts),
        key=lambda key: -(times[key] ** 0.5) / (tokens.count_cached(f' {spelling[key]}') + 1),
    )
    listed: list[str] = []
    room = int(target_tokens * ENTITY_SHARE)
    for key in dict.fromkeys((*leading, *unsaid)):
        room -= tokens.count_cached(f' {spelling[key]}') + 1
        if room < 0:
            break
        listed.append(spelling[key])
    return listed
