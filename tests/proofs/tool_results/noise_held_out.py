"""More noisy tool output, of other tools in other words: nothing in the digest was chosen by looking at it."""

import json
from collections.abc import Iterator

from tests.proofs.tool_results.noise_forms import Log, Noise, Row, Table, aligned, separated


def cases() -> Iterator[Noise]:
    """An output of each of these tools."""
    for seed, (case, size) in enumerate(
        [
            (access_log, 1800), (logfmt, 1800), (java_log, 1200), (json_log, 1000), (klog, 1200), (deployments, 300),
            (flags, 800), (inventory, 1200), (processes, 1000),
            # Written when the digest was as it is:
            (syslog, 1200), (plain_output, 1200), (issues, 400), (query_result, 1200), (containers, 600), (metrics, 1000),
        ],
        101,
    ):  # fmt: skip
        yield case(seed, size, 16)


access_log = Log(
    head='172.<16-20>.<0-99>.<1-250> - - [%d/%b/%Y:%H:%M:%S +0000] ',
    usual=(
        '"<GET|GET|POST> /<mill|barn|orchard>/<1-900><|?page=1|?page=4> HTTP/1.1" <200|200|200|200|304> <300-9000> "-"'
        ' "<Mozilla/5.0 (X11; Linux x86_64)|curl/8.4.0|okhttp/4.12>" 0.<010-160>',
    ),
    often=('"GET /granary/<1-50> HTTP/1.1" «404» 153 "-" "curl/8.4.0" 0.004',),
    special=(
        '"POST /mill/«<word>» HTTP/1.1" «<500|502|503|504>» 612 "-" "okhttp/4.12" 0.<100-400>',
        '"GET /barn/«<word>» HTTP/1.1" 200 <300-9000> "-" "curl/8.4.0" «<31-119>.250»',
        '"«DELETE» /orchard/«<word>-<100-999>» HTTP/1.1" 204 0 "-" "python-requests/2.31" 0.011',
    ),
)

logfmt = Log(
    head='ts=%Y-%m-%dT%H:%M:%S.<100-999>+00:00 caller=web/<a|b>.go:<10-12> ',
    usual=(
        'level=info msg="rendered page" user=<word> took=<5-80>ms trace=<hex 16>',
        'level=info msg="job done" queue=<mail|thumb|index> attempts=1 trace=<hex 16>',
        'level=debug msg="cache refill" keys=<10-99> backend=main trace=<hex 16>',
        'level=info msg="login" user=<word> method=password trace=<hex 16>',
    ),
    often=('level=warn msg="«retrying webhook»" target=<word>.example attempt=<2-4>',),
    special=(
        'level=error msg="invoice could not be rendered" invoice=«<hex 12>» err="«template <word> has no footer»"',
        'level=info msg="job done" queue=index attempts=<40-90> trace=«<hex 12>»',
        'level=info msg="login" user=«<word>» method=«recovery_code» trace=<hex 12>',
        'level=info msg="feature flag «<word>» «switched on by hand»"',
        'level=error msg="«signature of upload does not verify»" upload=«<hex 12>» owner=«<word>»',
    ),
    seconds=0.9,
    end='\r\n',
)

java_log = Log(
    head='%Y-%m-%d %H:%M:%S,<100-999> [worker-<1-8>] ',
    usual=(
        'INFO  o.m.Kiln - Fired batch <1000-9999> at <900-1100> degrees',
        'INFO  o.m.Glaze - Mixed <2-9>.<0-9> litres for order O-<100-999>',
        'DEBUG o.m.Shelf - Slot <1-60> free',
        'WARN  o.m.Kiln - Draft is weak (<10-20> Pa)',
    ),
    special=(
        'ERROR o.m.Kiln - Batch B<id=20000-99999> is lost\n'
        'org.mill.FiringException: thermocouple <no=100-999> is silent\n'
        + ''.join(f'\tat org.mill.Kiln.step{step}(Kiln.java:{step + 40})\n' for step in range(6))
        + 'Caused by: java.io.IOException: «bus read of B<id> gave nothing»\n'
        '\tat org.mill.Bus.read(«Bus.java:<no>»)\n\t... 9 more',
        'WARN  o.m.Gate - Badge «B<20000-99999>» opened the east gate «after closing time»',
        'INFO  o.m.Boot - property «kiln.<word>.limit» was overridden on the command line: «<100-999>»',
        'INFO  o.m.Kiln - Fired batch <20000-99999> at «<3000-5000>» degrees',
    ),
)

json_log = Log(
    head='"%Y-%m-%dT%H:%M:%S+00:00"}',
    usual=(
        '{"level": "info", "message": "stall opened", "stall": <1-300>, "elapsed": 0.<100-900>, "timestamp": @',
        '{"level": "info", "message": "sale booked", "receipt": "<hex 10>", "amount": <1-400>, "timestamp": @',
    ),
    special=(
        '{"level": "error", "message": "«till does not balance»", "till": "«<hex 10>»", "timestamp": @',
        '{"level": "info", "message": "sale booked", "receipt": "«<hex 10>»", "amount": <90000-120000>, "timestamp": @',
        '{"level": "info", "message": "sale booked", "receipt": "«<hex 10>»", "amount": 12, "voided_by": "«<word>»",'
        ' "timestamp": @',
        '{"level": "warning", "message": "«scale out of calibration»", "stall": "«<hex 10>»", "drift_g": <20-70>,'
        ' "timestamp": @',
    ),
)

klog = Log(
    head='%m%d %H:%M:%S.%f',
    usual=(
        'I@ 1 sync.go:<88|91>] Synced field "<word>/<word>" in <2-40>.<0-9>ms',
        'I@ 1 watch.go:203] Watch closed, <0-60> items received',
        'I@ 1 lease.go:17] Renewed lease, resource version <1000000-9999999>',
    ),
    often=('W@ 1 gate.go:55] «Throttled for» <1-9>.<0-9>s, request: GET:/fields/<word>',),
    special=(
        'E@ 1 sync.go:120] "Unhandled" err="field «<word>/<word>»: «no parcel with number <200-900>»"',
        'I@ 1 sync.go:88] Synced field "«<word>/<word>»" in «<2000-9000>.5ms»',
        'I@ 1 main.go:30] Flag --«<word>-<word>»-burst=«<200-900>» differs from what the cluster has',
    ),
    seconds=3,
)

syslog = Log(
    head='%b %d %H:%M:%S dairy-<1-3> ',
    usual=(
        'sshd[<900-9999>]: Accepted publickey for <word> from 192.0.2.<1-250> port <30000-60000>',
        'CRON[<900-9999>]: (root) CMD (/usr/lib/rotate --quiet)',
        'kernel: [<1000-9999>.<100000-999999>] IN=eth0 SRC=198.51.100.<1-250> LEN=<40-1500> PROTO=TCP',
        'systemd[1]: Finished dairy-sync.service, took <1-9>.<100-999>s',
    ),
    often=('sshd[<900-9999>]: «Failed password» for invalid user <word> from «203.0.113.9» port <30000-60000>',),
    special=(
        'systemd[1]: «<word><10-99>.service»: Main process exited, code=exited, status=«<3-120>/n/a»',
        'kernel: [<1000-9999>.<100000-999999>] «Out of memory»: Killed process <900-9999> («<word>») total-vm:<3-120>kB',
        'useradd[<900-9999>]: «new account» «<word><10-99>» in group wheel',
    ),
    seconds=20,
)

# What a build prints: no times, no levels, colours.
plain_output = Log(
    head='',
    usual=(
        '\x1b[32m  CC\x1b[0m  src/<word>/<word>.o',
        '\x1b[32m  CC\x1b[0m  src/<word>/<word>.o',
        '[<1-99>%] Linking target lib<word>.so',
    ),
    special=(
        '\x1b[31m«src/<it=word>.c»:<10-999>:7: error: too few arguments to function ‘«<it>_open»’\x1b[0m',
        '«src/<it=word>.h»:<10-999>: warning: macro «<it>_MAX» redefined',
        '  configure: using «bundled <word>» «<10-999>.1» because the system has none',
    ),
)


def _deployments(rows: list[Row]) -> str:
    """Nested objects as the API of a cluster returns them, as text content of an MCP server."""
    items = [
        {
            'apiVersion': 'apps/v1',
            'metadata': {'name': row['name'], 'labels': {'app': row['name'], 'team': row['team']}},
            'spec': {
                'replicas': int(row['replicas']),
                'strategy': row['strategy'],
                'containers': [{'image': row['image'], 'pullPolicy': 'IfNotPresent', 'memory': row['memory']}],
            },
            'status': {
                'readyReplicas': 0 if row['message'] else int(row['replicas']),
                'conditions': [
                    {'type': 'Available', 'status': 'False', 'message': row['message']}
                    if row['message']
                    else {'type': 'Available', 'status': 'True'},
                    {'type': 'Progressing', 'status': 'True'},
                ],
            },
        }
        for row in rows
    ]
    return json.dumps([{'type': 'text', 'text': json.dumps({'kind': 'DeploymentList', 'items': items})}])


deployments = Table(
    cells={
        'name': '<name=word>-<word>-<place>',
        'team': '<red|blue>',
        'replicas': '<1-3>',
        'strategy': 'RollingUpdate',
        'image': 'registry.example/<name>:1.<0-9>',
        'memory': '512Mi',
        'message': '',
    },
    key='name',
    changes=(
        ('message', 'quota of pool <word> is spent'),
        ('strategy', 'Recreate'),
        ('memory', '<20-60>Gi'),
        ('image', 'attic.example/<word>:latest', 'attic.example'),
    ),
    written=_deployments,
)


def _flags(rows: list[Row]) -> str:
    """Settings with their defaults, keyed by name."""
    table = {row['name']: {name: value for name, value in row.items() if name != 'name'} for row in rows}
    return json.dumps({'server': 'grain-db 14.2', 'settings': table}, indent=2)


flags = Table(
    cells={
        'name': '<word>.<word>_<place>',
        'value': '<value=on|off|64|128|4096|30s|5m|auto>',
        'default': '<value>',
        'source': 'builtin',
        'restart_required': '<yes|no|no>',
    },
    key='name',
    changes=(('source', '/etc/<word>.conf'), ('value', '<5000-9999>')),
    written=_flags,
)

# An export.
inventory = Table(
    cells={
        'sku': 'SKU<10000000-99999999>',
        'title': '<word> <bowl|jug|tile>',
        'stock': '<0-400>',
        'price': '<3-60>.<10-99>',
        'hall': '<hall-1|hall-2>',
        'checked': '2026-0<1-9>-1<0-9>',
        'state': 'ok',
    },
    key='sku',
    changes=(
        ('state', 'recall <100-999>'),
        ('stock', '-<3-99>'),
        ('price', '<9000-20000>.00'),
        ('hall', 'yard-<3-99>'),
    ),
    often=(('state', 'chipped'),),
    written=separated(','),
)

# What `ps aux` prints.
processes = Table(
    cells={
        'USER': '<www|miller>',
        'PID': '1<place>',
        '%CPU': '<0-2>.<0-9>',
        '%MEM': '<0-1>.<0-9>',
        'RSS': '<10000-90000>',
        'STAT': 'S',
        'TIME': '0:<10-59>',
        'COMMAND': '/opt/mill/worker --slot <0-63>',
    },
    key='PID',
    changes=(('%CPU', '<180-390>.0'), ('STAT', 'Z'), ('USER', '<word>'), ('COMMAND', '/tmp/.<word>/x')),
    written=aligned,
)


def _issues(rows: list[Row]) -> str:
    """Objects with long texts in them."""
    return json.dumps(
        [
            {
                'number': int(row['number']),
                'title': row['title'],
                'body': row['body'],
                'state': row['state'],
                'user': {'login': row['login'], 'type': row['type'], 'site_admin': False},
                'comments': int(row['comments']),
                **({'locked': True, 'active_lock_reason': row['reason']} if row['reason'] else {'locked': False}),
                'assignee': None,
                **({'milestone': {'title': row['milestone'], 'due_on': '2026-09-01'}} if row['milestone'] else {}),
            }
            for row in rows
        ]
    )


issues = Table(
    cells={
        'number': '5<place>',
        'title': '<word> <word> <word>',
        'body': ' '.join(['<word>'] * 40),
        'state': '<open|closed>',
        'login': '<word>',
        'type': 'User',
        'comments': '<0-30>',
        'reason': '',
        'milestone': '<spring|autumn>',
    },
    key='number',
    changes=(
        ('reason', 'heated about <word>'),
        ('comments', '<700-2000>'),
        ('type', 'Bot'),
        ('milestone', '', 'milestone'),
    ),
    written=_issues,
)


def _query_result(rows: list[Row]) -> str:
    """Columns and rows apart, as drivers of databases return them."""
    values = [
        [int(row['id']), row['tag'], row['meadow'], float(row['weight']), row['state'], row['note'] or None]
        for row in rows
    ]
    return f'{len(rows)} rows\n' + json.dumps({'columns': list(rows[0]), 'rows': values, 'elapsed_ms': 12})


query_result = Table(
    cells={
        'id': '<place>',
        'tag': 'ewe-<100000-999999>',
        'meadow': '<hill|vale>',
        'weight': '<gauss 60 5>',
        'state': 'healthy',
        'note': '',
    },
    key='tag',
    changes=(('state', 'quarantine <word>'), ('weight', '<400-900>.5'), ('note', 'seen near <word> ford')),
    written=_query_result,
)

# What `docker ps -a` prints.
containers = Table(
    cells={
        'CONTAINER ID': '<hex 12>',
        'IMAGE': 'brewery/<mash|hop>:2.1',
        'COMMAND': '"/run.sh"',
        'CREATED': '<2-9> weeks ago',
        'STATUS': 'Up <2-9> days',
        'PORTS': '8080/tcp',
        'NAMES': '<word>_<word>_<place>',
    },
    key='NAMES',
    changes=(
        ('STATUS', 'Exited (<2-140>) <2-20> hours ago'),
        ('IMAGE', 'cellar/<word>:latest'),
        ('PORTS', '0.0.0.0:<20000-40000>->22/tcp'),
    ),
    written=aligned,
)

metrics = Table(
    cells={
        'probe': 'probe-<place>',
        'celsius': '<gauss 21 1>',
        'humidity': '<gauss 55 4>',
        'battery': '<80-100>',
        'firmware': 'v3.2',
        'enabled': 'true',
    },
    key='probe',
    changes=(('celsius', '<300-800>.25'), ('battery', '<1-3>'), ('firmware', 'v<10-99>.0-beta'), ('enabled', 'false')),
    written=separated('\t'),
)
