"""Noisy tool output with planted facts: what a summary of it should still say.

Each generator takes a seed, a size and a number of facts, and returns the text and the facts in it. A fact survives
in a summary if all of its needles stand there, as whole words.
"""

import json
import random
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 14, 2, 0, tzinfo=UTC)


class Fact:
    """Something that a reader of the output should learn: its needles."""

    def __init__(self, *needles: str) -> None:
        self.needles = needles

    def survives(self, text: str) -> bool:
        return all(re.search(rf'(?<!\w){re.escape(needle)}(?!\w)', text) for needle in self.needles)


Noise = tuple[str, Sequence[Fact]]


def surviving(facts: Sequence[Fact], text: str) -> float:
    """The share of the facts that survive in a text."""
    return sum(fact.survives(text) for fact in facts) / len(facts)


def _hex(rng: random.Random, length: int) -> str:
    return ''.join(rng.choice('0123456789abcdef') for _ in range(length))


# Logs -----------------------------------------------------------------------------------------------------------------

_SERVICES = ('berth-api', 'crane-scheduler', 'manifest-store', 'tide-feed')
_ROUTINE = (
    'INFO  [{service}] request {req} handled path=/berths/{n}/slots status=200 duration={ms}ms',
    'INFO  [{service}] manifest {req} saved bytes={big} shard={shard}',
    'DEBUG [{service}] cache lookup key=berth:{n} hit={flag}',
    'INFO  [{service}] crane {n} moved container MSKU{big} in {ms} ms',
    'INFO  [{service}] tide reading station={n} level={level}m',
    'DEBUG [{service}] heartbeat from worker-{shard} lag={shard}',
    'WARN  [{service}] slow query took {ms}ms on table slots for request {req}',
)
_LOG_ERRORS = (
    'ERROR [manifest-store] checksum mismatch in manifest {id}: stored page is damaged',
    'ERROR [berth-api] could not reserve berth for vessel {id}: quota of the operator is used up',
    'ERROR [crane-scheduler] spreader lock of crane unit {id} did not confirm within 30s',
    'FATAL [tide-feed] lost connection to gauge {id}, giving up after 5 attempts',
    'ERROR [berth-api] customs gateway rejected declaration {id}: tariff code unknown',
    'ERROR [manifest-store] write to volume {id} failed: no space left on device',
    'ERROR [crane-scheduler] plan {id} has a cycle between jobs',
)
_LOG_ODD = (
    'INFO  [crane-scheduler] operator override accepted for yard {id}',
    'INFO  [tide-feed] switching to backup gauge {id}',
    'INFO  [berth-api] leader election won by node {id}',
    'INFO  [manifest-store] compaction skipped for segment {id} because a reader holds it',
)
_LOG_SETTINGS = (
    'INFO  [berth-api] starting with pool.max_connections={n} (default 100)',
    'INFO  [crane-scheduler] starting with plan.horizon_minutes={n} (default 240)',
    'INFO  [tide-feed] starting with poll.interval_seconds={n} (default 15)',
)
_LOG_COUNTS = (
    'WARN  [tide-feed] gauge {n} answered with stale reading',
    'ERROR [berth-api] upstream tariff-service refused the connection from 10.4.{shard}.{n}',
    'WARN  [manifest-store] replica {shard} is behind by {n} entries',
)


def logs(seed: int, kilobytes: int, facts: int) -> Noise:
    """The log of four services over some hours.

    Args:
        seed: Of the random numbers.
        kilobytes: Size of the text, about.
        facts: Number of facts planted.
    """
    rng = random.Random(seed)
    planted: list[Fact] = []
    special: list[str] = []
    makers = (_log_error, _log_count, _log_error, _log_odd, _log_setting, _log_metric, _log_error)
    for number in range(facts):
        fact, lines = makers[number % len(makers)](rng, number // len(makers))
        planted.append(fact)
        special.extend(lines)
    body: list[str] = []
    size = sum(map(len, special)) + 26 * len(special)
    while size < kilobytes * 1000:
        line = rng.choice(_ROUTINE).format(
            service=rng.choice(_SERVICES),
            req=_hex(rng, 8) + '-' + _hex(rng, 4),
            n=rng.randint(1, 240),
            ms=round(rng.lognormvariate(3.5, 0.5)),
            big=rng.randint(1_000_000, 9_999_999),
            shard=rng.randint(0, 7),
            flag=rng.choice(('true', 'false')),
            level=round(rng.uniform(0.4, 5.2), 2),
        )
        body.append(line)
        size += len(line) + 26
    for lines in special:
        body.insert(rng.randint(0, len(body)), lines)
    moment = START
    out: list[str] = []
    for line in body:
        moment += timedelta(milliseconds=rng.randint(1, 5000))
        out.append(f'{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z {line}')
    return '\n'.join(out) + '\n', planted


def _log_error(rng: random.Random, turn: int) -> tuple[Fact, list[str]]:
    ident = f'{rng.choice("QRVX")}{rng.randint(10_000, 99_999)}'
    line = rng.choice(_LOG_ERRORS).format(id=ident)
    words = re.sub(r'^\w+ +\[[\w-]+\] ', '', line).split(ident)
    kept = tuple(piece.strip(' :,') for piece in words if len(piece.strip(' :,')) > 3)
    lines = [line]
    if turn % 2:
        lines[0] += (
            '\nTraceback (most recent call last):\n  File "/srv/harbour/loop.py", line 88, in run\n    step()\n'
            f'  File "/srv/harbour/store.py", line {rng.randint(100, 900)}, in step\n    raise Damaged(ident)\n'
            f'harbour.errors.DamagedError: {ident}'
        )
    return Fact(ident, kept[0]), lines


def _log_odd(rng: random.Random, turn: int) -> tuple[Fact, list[str]]:
    ident = f'{rng.choice(("north", "south", "quay", "mole"))}-{rng.randint(10, 99)}'
    line = _LOG_ODD[(turn + rng.randint(0, 3)) % len(_LOG_ODD)].format(id=ident)
    said = re.sub(r'^\w+ +\[[\w-]+\] ', '', line).split(ident)[0].strip()
    return Fact(ident, said), [line]


def _log_setting(rng: random.Random, turn: int) -> tuple[Fact, list[str]]:
    value = rng.randint(301, 999)
    line = _LOG_SETTINGS[(turn + rng.randint(0, 2)) % len(_LOG_SETTINGS)].format(n=value)
    name = re.search(r'with ([\w.]+)=', line)
    assert name
    return Fact(name[1], str(value)), [line]


def _log_metric(rng: random.Random, turn: int) -> tuple[Fact, list[str]]:
    value, request = rng.randint(30_000, 60_000), _hex(rng, 8) + '-' + _hex(rng, 4)
    line = f'INFO  [berth-api] request {request} handled path=/berths/17/slots status=200 duration={value}ms'
    return Fact(f'{value}ms', request), [line]


def _log_count(rng: random.Random, turn: int) -> tuple[Fact, list[str]]:
    form = _LOG_COUNTS[turn % len(_LOG_COUNTS)]
    count = rng.randint(21, 89)
    lines = [form.format(n=rng.randint(1, 240), shard=rng.randint(0, 7)) for _ in range(count)]
    said = {0: 'answered with stale reading', 1: 'tariff-service refused the connection', 2: 'is behind by'}
    return Fact(str(count), said[turn % 3]), lines


# Lists of objects -----------------------------------------------------------------------------------------------------


def json_list(seed: int, items: int, facts: int) -> Noise:
    """A page of shipments as an API returns it: objects in an envelope.

    Args:
        seed: Of the random numbers.
        items: Objects.
        facts: Number of facts planted; the first ones are counts.
    """
    rng = random.Random(seed)
    shipments = [_shipment(rng, number) for number in range(items)]
    free = rng.sample(range(items), items)
    planted: list[Fact] = []
    for status in ('held_by_customs', 'damaged')[: max(1, facts // 8)]:
        count = rng.randint(21, 77)
        for at in (free.pop() for _ in range(count)):
            shipments[at]['status'] = status
        planted.append(Fact(status, str(count)))
    kinds = ('error', 'odd', 'setting', 'metric', 'identifier', 'error')
    while len(planted) < facts:
        planted.append(_spoil(rng, shipments[free.pop()], kinds[len(planted) % len(kinds)], len(planted)))
    text = json.dumps({'items': shipments, 'metadata': {'total': items, 'page': 1, 'continue': None}}, indent=1)
    return text, planted


def _shipment(rng: random.Random, number: int) -> dict[str, object]:
    booked = START + timedelta(minutes=7 * number)
    return {
        'id': f'shp-{number + 40_000}',
        'uid': f'{_hex(rng, 8)}-{_hex(rng, 4)}-{_hex(rng, 12)}',
        'status': rng.choices(('delivered', 'in_transit', 'booked'), (70, 20, 10))[0],
        'carrier': rng.choice(('Gull Line', 'Petrel Freight', 'Skua Cargo')),
        'booked_at': booked.isoformat(),
        'weight_kg': round(rng.gauss(1200, 150), 1),
        'route': {'from': rng.choice(('Kelder', 'Wick', 'Fen Mouth')), 'legs': rng.randint(1, 4)},
        'policy': {'insured': True, 'max_delay_hours': 48, 'temperature': 'ambient'},
        'handling_minutes': round(rng.lognormvariate(3, 0.4)),
        'error': None,
    }


def _spoil(rng: random.Random, shipment: dict[str, object], kind: str, number: int) -> Fact:
    """Make one shipment unlike the others."""
    ident = str(shipment['id'])
    if kind == 'error':
        message = (
            f'seal {_hex(rng, 6)} does not match the bill of lading',
            f'scanner refused tag T{rng.randint(1000, 9999)}',
            f'no crane free in window {rng.randint(10, 99)}',
        )[number % 3]
        shipment['error'] = message
        return Fact(ident, message)
    if kind == 'odd':
        status = ('lost_at_sea', 'returned', 'abandoned', 'seized')[number % 4]
        shipment['status'] = status
        return Fact(ident, status)
    if kind == 'setting':
        policy = shipment['policy']
        assert isinstance(policy, dict)
        hours = rng.randint(100, 400)
        policy['max_delay_hours'] = hours
        return Fact(ident, str(hours))
    if kind == 'metric':
        minutes = rng.randint(3000, 9000)
        shipment['handling_minutes'] = minutes
        return Fact(ident, str(minutes))
    carrier = f'Charter {rng.randint(100, 999)}'
    shipment['carrier'] = carrier
    return Fact(ident, carrier)


# Tables ---------------------------------------------------------------------------------------------------------------


def pods(seed: int, number: int, facts: int) -> Noise:
    """What `kubectl get pods -A -o wide` prints.

    Args:
        seed: Of the random numbers.
        number: Pods.
        facts: Number of facts planted; the first ones are counts.
    """
    rng = random.Random(seed)
    apps = ('ledger', 'quay-web', 'tide', 'customs', 'beacon', 'winch')
    rows: list[dict[str, str]] = []
    for _ in range(number):
        app = rng.choice(apps)
        rows.append(
            {
                'NAMESPACE': f'{app}-{rng.choice(("prod", "stage"))}',
                'NAME': f'{app}-{_hex(rng, 9)}-{"".join(rng.choices("bcdfghjklmnpqrstvwxz2456789", k=5))}',
                'READY': '2/2',
                'STATUS': 'Running',
                'RESTARTS': rng.choices(('0', '1', '2'), (95, 4, 1))[0],
                'AGE': f'{rng.randint(2, 40)}d',
                'IP': f'10.{rng.randint(8, 11)}.{rng.randint(0, 255)}.{rng.randint(1, 254)}',
                'NODE': f'node-{rng.randint(1, 24):02d}',
            }
        )
    free = rng.sample(range(number), number)
    planted: list[Fact] = []
    for status in ('CrashLoopBackOff', 'Completed')[: max(1, facts // 8)]:
        count = rng.randint(21, 59)
        for at in (free.pop() for _ in range(count)):
            rows[at] |= {'STATUS': status, 'READY': '1/2' if status == 'CrashLoopBackOff' else '0/2'}
        planted.append(Fact(status, str(count)))
    while len(planted) < facts:
        row = rows[free.pop()]
        planted.append(_sicken(rng, row, len(planted)))
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) + 3 for name in rows[0]}
    lines = [{name: name for name in rows[0]}, *rows]
    return '\n'.join(
        ''.join(f'{row[name]:<{widths[name]}}' for name in widths).rstrip() for row in lines
    ) + '\n', planted


def _sicken(rng: random.Random, row: dict[str, str], number: int) -> Fact:
    name = row['NAME']
    turn = number % 4
    if turn == 0:
        status = ('ImagePullBackOff', 'Evicted', 'OOMKilled', 'CreateContainerConfigError')[number // 4 % 4]
        row |= {'STATUS': status, 'READY': '0/2'}
        return Fact(name, status)
    if turn == 1:
        restarts = rng.randint(120, 900)
        row |= {'RESTARTS': f'{restarts} ({rng.randint(2, 50)}m ago)'}
        return Fact(name, str(restarts))
    if turn == 2:
        row |= {'STATUS': 'Pending', 'NODE': '<none>', 'IP': '<none>', 'READY': '0/2'}
        return Fact(name, 'Pending')
    node = f'spare-{rng.randint(100, 999)}'
    row |= {'NODE': node}
    return Fact(name, node)


def table(seed: int, rows: int, facts: int) -> Noise:
    """A markdown table of a database's settings, per tenant.

    Args:
        seed: Of the random numbers.
        rows: Lines of the table.
        facts: Number of facts planted.
    """
    rng = random.Random(seed)
    cells = [
        {
            'tenant': f'tenant-{number:04d}',
            'plan': rng.choice(('basic', 'basic', 'plus')),
            'max_conn': '200',
            'timeout_s': '30',
            'ssl': 'on',
            'region': rng.choice(('north', 'south')),
            'p95_ms': str(round(rng.gauss(40, 6))),
            'rows': str(rng.randint(10_000, 90_000)),
        }
        for number in range(rows)
    ]
    free = rng.sample(range(rows), rows)
    planted: list[Fact] = []
    count = rng.randint(23, 57)
    for at in (free.pop() for _ in range(count)):
        cells[at]['plan'] = 'legacy'
    planted.append(Fact('legacy', str(count)))
    while len(planted) < facts:
        row = cells[free.pop()]
        turn = len(planted) % 4
        name, field, value = row['tenant'], '', ''
        if turn == 0:
            field, value = 'max_conn', str(rng.randint(900, 5000))
        elif turn == 1:
            field, value = 'p95_ms', str(rng.randint(4000, 9000))
        elif turn == 2:
            field, value = 'ssl', 'off'
        else:
            field, value = 'region', f'isle-{rng.randint(10, 99)}'
        row[field] = value
        planted.append(Fact(name, value))
    names = list(cells[0])
    lines = [f'| {" | ".join(names)} |', f'|{"---|" * len(names)}']
    lines += [f'| {" | ".join(row.values())} |' for row in cells]
    return '\n'.join(lines) + '\n', planted
