"""The noisy output of a harbour's tools."""

import json

from tests.proofs.tool_results.noise_forms import Log, Row, Table, aligned

_TRACE = (
    '\nTraceback (most recent call last):\n  File "/srv/harbour/loop.py", line 88, in run\n    step()\n'
    '  File "/srv/harbour/store.py", line <100-900>, in step\n    raise Damaged(ident)\n'
    'harbour.errors.DamagedError: <id>'
)

# Of four services, over some hours.
logs = Log(
    head='%Y-%m-%dT%H:%M:%S.<100-999>Z ',
    usual=(
        'INFO  [<berth-api|tide-feed>] request <hex 8>-<hex 4> handled path=/berths/<1-240>/slots status=200'
        ' duration=<lognormal 3.5 0.5>ms',
        'INFO  [manifest-store] manifest <hex 8>-<hex 4> saved bytes=<1000000-9999999> shard=<0-7>',
        'DEBUG [<berth-api|crane-scheduler>] cache lookup key=berth:<1-240> hit=<true|false>',
        'INFO  [crane-scheduler] crane <1-240> moved container MSKU<1000000-9999999> in <lognormal 3.5 0.5> ms',
        'INFO  [tide-feed] tide reading station=<1-240> level=<0-5>.<10-99>m',
        'DEBUG [<manifest-store|tide-feed>] heartbeat from worker-<0-7> lag=<0-7>',
        'WARN  [berth-api] slow query took <lognormal 3.5 0.5>ms on table slots for request <hex 8>-<hex 4>',
    ),
    often=(
        'WARN  [tide-feed] gauge <1-240> «answered with stale reading»',
        'ERROR [berth-api] upstream «tariff-service refused the connection» from 10.4.<0-7>.<1-240>',
        'WARN  [manifest-store] replica <0-7> «is behind by» <1-240> entries',
    ),
    special=(
        'ERROR [manifest-store] «checksum mismatch in manifest» «<Q|R><10000-99999>»: stored page is damaged',
        'INFO  [berth-api] request «<hex 8>-<hex 4>» handled path=/berths/17/slots status=200 duration=«<30000-60000>ms»',
        'INFO  [crane-scheduler] «operator override accepted for yard» «north-<10-99>»',
        'INFO  [berth-api] starting with «pool.max_connections»=«<301-999>» (default 100)',
        'ERROR [berth-api] «could not reserve berth for vessel» «<id=10000-99999>»: quota of the operator is used up'
        + _TRACE,
        'ERROR [crane-scheduler] «spreader lock of crane unit» «V<10000-99999>» did not confirm within 30s',
        'INFO  [tide-feed] «switching to backup gauge» «mole-<10-99>»',
        'FATAL [tide-feed] «lost connection to gauge» «X<10000-99999>», giving up after 5 attempts',
        'INFO  [crane-scheduler] starting with «plan.horizon_minutes»=«<301-999>» (default 240)',
        'ERROR [berth-api] «customs gateway rejected declaration» «<id=10000-99999>»: tariff code unknown' + _TRACE,
        'INFO  [berth-api] «leader election won by node» «quay-<10-99>»',
        'ERROR [manifest-store] «write to volume» «R<10000-99999>» failed: no space left on device',
        'INFO  [tide-feed] starting with «poll.interval_seconds»=«<301-999>» (default 15)',
        'ERROR [crane-scheduler] «plan» «<id=10000-99999>» has a cycle between jobs' + _TRACE,
        'INFO  [manifest-store] «compaction skipped for segment» «south-<10-99>» because a reader holds it',
    ),
)


def _shipments(rows: list[Row]) -> str:
    """A page as an API returns it: objects in an envelope."""
    items = [
        {
            **{name: row[name] for name in ('id', 'uid', 'status', 'carrier', 'booked_at')},
            'weight_kg': float(row['weight']),
            'route': {'from': row['from'], 'legs': int(row['legs'])},
            'policy': {'insured': True, 'max_delay_hours': int(row['hours']), 'temperature': 'ambient'},
            'handling_minutes': int(row['minutes']),
            'error': row['error'] or None,
        }
        for row in rows
    ]
    return json.dumps({'items': items, 'metadata': {'total': len(rows), 'page': 1, 'continue': None}}, indent=1)


json_list = Table(
    cells={
        'id': 'shp-4<place>',
        'uid': '<hex 8>-<hex 4>-<hex 12>',
        'status': '<delivered|delivered|delivered|delivered|in_transit|booked>',
        'carrier': '<Gull Line|Petrel Freight|Skua Cargo>',
        'booked_at': '2026-03-<14-28>T<10-23>:<10-59>:00+00:00',
        'weight': '<gauss 1200 150>',
        'from': '<Kelder|Wick|Fen Mouth>',
        'legs': '<1-4>',
        'hours': '48',
        'minutes': '<lognormal 3 0.4>',
        'error': '',
    },
    key='id',
    changes=(
        ('hours', '<100-400>'),
        ('minutes', '<3000-9000>'),
        ('error', 'seal <hex 6> does not match the bill of lading'),
        ('status', '<lost_at_sea|returned>'),
        ('carrier', 'Charter <100-999>'),
        ('error', 'scanner refused tag T<1000-9999>'),
        ('status', '<abandoned|seized>'),
        ('error', 'no crane free in window <10-99>'),
    ),
    often=(('status', 'held_by_customs'), ('status', 'damaged')),
    written=_shipments,
)


def _pods(rows: list[Row]) -> str:
    """What `kubectl get pods -A -o wide` prints."""
    for row in rows:
        if row['STATUS'] != 'Running':
            row['READY'] = '1/2' if row['STATUS'] == 'CrashLoopBackOff' else '0/2'
        if row['STATUS'] == 'Pending':
            row['NODE'] = row['IP'] = '<none>'
    return aligned(rows)


pods = Table(
    cells={
        'NAMESPACE': '<app=ledger|quay-web|tide|customs|beacon|winch>-<prod|stage>',
        'NAME': '<app>-<hex 9>-<hex 5>',
        'READY': '2/2',
        'STATUS': 'Running',
        'RESTARTS': '<0|0|0|0|0|0|0|0|0|1>',
        'AGE': '<2-40>d',
        'IP': '10.<8-11>.<0-255>.<1-254>',
        'NODE': 'node-<10-33>',
    },
    key='NAME',
    changes=(
        ('STATUS', '<ImagePullBackOff|Evicted>'),
        ('RESTARTS', '<often=120-900> (<2-50>m ago)', '<often>'),
        ('STATUS', 'Pending'),
        ('NODE', 'spare-<100-999>'),
        ('STATUS', '<OOMKilled|CreateContainerConfigError>'),
    ),
    often=(('STATUS', 'CrashLoopBackOff'), ('STATUS', 'Completed')),
    written=_pods,
)


def _markdown(rows: list[Row]) -> str:
    lines = [f'| {" | ".join(cells)} |' for cells in ([*rows[0]], *(row.values() for row in rows))]
    return '\n'.join([lines[0], f'|{"---|" * len(rows[0])}', *lines[1:]])


# A database's settings, per tenant.
table = Table(
    cells={
        'tenant': 'tenant-<place>',
        'plan': '<basic|basic|plus>',
        'max_conn': '200',
        'timeout_s': '30',
        'ssl': 'on',
        'region': '<north|south>',
        'p95_ms': '<gauss 40 6>',
        'rows': '<10000-90000>',
    },
    key='tenant',
    changes=(
        ('p95_ms', '<4000-9000>'),
        ('ssl', 'off'),
        ('region', 'isle-<10-99>'),
        ('max_conn', '<900-5000>'),
    ),
    often=(('plan', 'legacy'),),
    written=_markdown,
)
