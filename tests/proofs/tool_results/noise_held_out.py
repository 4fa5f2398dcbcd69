"""More noisy tool output, of other tools in other words: nothing in the digest was chosen by looking at it."""

import json
import random
from collections.abc import Iterator
from datetime import timedelta

from tests.proofs.tool_results.noise import START, Fact, FactKind, Noise


def cases() -> Iterator[tuple[str, Noise]]:
    """Twelve outputs with their names."""
    yield 'access log', access_log(101, 2200, 16)
    yield 'access log, long', access_log(102, 3000, 16)
    yield 'logfmt', logfmt(103, 2000, 16)
    yield 'logfmt, long', logfmt(104, 3000, 16)
    yield 'java log', java_log(105, 1800, 16)
    yield 'json log', json_log(106, 1500, 16)
    yield 'deployments', deployments(107, 250, 16)
    yield 'deployments, many', deployments(108, 400, 16)
    yield 'flags', flags(109, 1200, 16)
    yield 'inventory', inventory(110, 2000, 16)
    yield 'processes', processes(111, 1500, 16)
    yield 'klog', klog(112, 2000, 16)


def _word(rng: random.Random) -> str:
    return ''.join(rng.choice(('ba', 'ke', 'ro', 'mi', 'tu', 'sel', 'dor', 'an')) for _ in range(3))


def _spread(rng: random.Random, usual: list[str], special: list[str]) -> list[str]:
    for line in special:
        usual.insert(rng.randint(0, len(usual)), line)
    return usual


def access_log(seed: int, lines: int, facts: int) -> Noise:
    rng = random.Random(seed)
    agents = ('"Mozilla/5.0 (X11; Linux x86_64)"', '"curl/8.4.0"', '"okhttp/4.12"')
    usual = [
        f'"{rng.choice(("GET", "GET", "POST"))} /{rng.choice(("mill", "barn", "orchard"))}/{rng.randint(1, 900)}'
        f'{rng.choice(("", "?page=" + str(rng.randint(1, 9))))} HTTP/1.1" {rng.choices((200, 304), (9, 1))[0]}'
        f' {rng.randint(300, 9000)} "-" {rng.choice(agents)} {round(rng.gammavariate(3, 0.02), 3)}'
        for _ in range(lines)
    ]
    planted: list[Fact] = []
    special: list[str] = []
    for number in range(facts):
        target = f'{_word(rng)}-{rng.randint(100, 999)}'
        if number == 0:
            count = rng.randint(23, 60)
            special += [
                f'"GET /granary/{rng.randint(1, 50)} HTTP/1.1" 404 153 "-" "curl/8.4.0" 0.004' for _ in range(count)
            ]
            planted.append(
                Fact('count', ('404', str(count)), 'How many requests for the granary were not found?', str(count))
            )
        elif number % 3 == 0:
            status = (500, 502, 503, 504)[number // 3 % 4]
            special.append(f'"POST /mill/{target} HTTP/1.1" {status} 612 "-" "okhttp/4.12" 0.{rng.randint(100, 400)}')
            planted.append(Fact('error', (target, str(status)), f'Which request ended with {status}?', target))
        elif number % 3 == 1:
            seconds = f'{rng.randint(31, 119)}.{rng.randint(100, 999)}'
            special.append(f'"GET /barn/{target} HTTP/1.1" 200 {rng.randint(300, 9000)} "-" "curl/8.4.0" {seconds}')
            planted.append(Fact('metric', (target, seconds), 'Which request was very slow?', target))
        else:
            special.append(f'"DELETE /orchard/{target} HTTP/1.1" 204 0 "-" "python-requests/2.31" 0.011')
            planted.append(Fact('odd', (target, 'DELETE'), 'What was deleted?', target))
    moment = START
    out: list[str] = []
    for line in _spread(rng, usual, special):
        moment += timedelta(seconds=rng.randint(0, 5))
        address = f'172.{rng.randint(16, 20)}.{rng.randint(0, 99)}.{rng.randint(1, 250)}'
        out.append(f'{address} - - [{moment:%d/%b/%Y:%H:%M:%S} +0000] {line}')
    return '\n'.join(out), planted


def logfmt(seed: int, lines: int, facts: int) -> Noise:
    rng = random.Random(seed)
    people = [_word(rng) for _ in range(60)]

    def one() -> str:
        trace = f'trace={rng.getrandbits(64):016x}'
        return rng.choice(
            (
                f'level=info msg="rendered page" user={rng.choice(people)} took={rng.randint(5, 80)}ms {trace}',
                f'level=info msg="job done" queue={rng.choice(("mail", "thumb", "index"))} attempts=1 {trace}',
                f'level=debug msg="cache refill" keys={rng.randint(10, 99)} backend=main {trace}',
                f'level=info msg="login" user={rng.choice(people)} method=password {trace}',
            )
        )

    planted: list[Fact] = []
    special: list[str] = []
    for number in range(facts):
        ident = f'{rng.getrandbits(48):012x}'
        name = _word(rng)
        if number == 0:
            count = rng.randint(22, 70)
            special += [
                f'level=warn msg="retrying webhook" target={rng.choice(people)}.example attempt={rng.randint(2, 4)}'
                for _ in range(count)
            ]
            planted.append(
                Fact('count', ('retrying webhook', str(count)), 'How many webhooks were retried?', str(count))
            )
        elif number % 5 == 0:
            special.append(
                f'level=error msg="invoice could not be rendered" invoice={ident} err="template {name} has no footer"'
            )
            planted.append(
                Fact('error', (ident, f'template {name} has no footer'), f'What about invoice {ident}?', name)
            )
        elif number % 5 == 1:
            special.append(f'level=info msg="job done" queue=index attempts={rng.randint(40, 90)} trace={ident}')
            planted.append(Fact('metric', (ident,), 'Which job took many attempts?', ident))
        elif number % 5 == 2:
            special.append(f'level=info msg="login" user={name} method=recovery_code trace={ident}')
            planted.append(Fact('odd', (name, 'recovery_code'), 'Who logged in with a recovery code?', name))
        elif number % 5 == 3:
            special.append(f'level=info msg="feature flag {name} switched on by hand"')
            planted.append(Fact('setting', (name, 'switched on by hand'), 'Which flag was switched?', name))
        else:
            special.append(f'level=error msg="signature of upload does not verify" upload={ident} owner={name}')
            planted.append(Fact('error', (ident, name, 'signature of upload does not verify'), 'Which upload?', ident))
    moment = START
    out: list[str] = []
    for line in _spread(rng, [one() for _ in range(lines)], special):
        moment += timedelta(milliseconds=rng.randint(1, 900))
        out.append(
            f'ts={moment.isoformat(timespec="milliseconds")} caller=web/{rng.choice(("a", "b"))}.go:{rng.randint(10, 12)} {line}'
        )
    return '\r\n'.join(out), planted


def java_log(seed: int, lines: int, facts: int) -> Noise:
    rng = random.Random(seed)
    usual = [
        rng.choice(
            (
                f'INFO  o.m.Kiln - Fired batch {rng.randint(1000, 9999)} at {rng.randint(900, 1100)} degrees',
                f'INFO  o.m.Glaze - Mixed {rng.randint(2, 9)}.{rng.randint(0, 9)} litres for order O-{rng.randint(100, 999)}',
                f'DEBUG o.m.Shelf - Slot {rng.randint(1, 60)} free',
                f'WARN  o.m.Kiln - Draft is weak ({rng.randint(10, 20)} Pa)',
            )
        )
        for _ in range(lines)
    ]
    planted: list[Fact] = []
    special: list[str] = []
    for number in range(facts):
        batch = f'B{rng.randint(20_000, 99_999)}'
        place = rng.randint(100, 999)
        if number % 4 == 0:
            special.append(
                f'ERROR o.m.Kiln - Batch {batch} is lost\norg.mill.FiringException: thermocouple {place} is silent\n'
                + ''.join(f'\tat org.mill.Kiln.step{step}(Kiln.java:{step + 40})\n' for step in range(6))
                + f'Caused by: java.io.IOException: bus read of {batch} gave nothing\n\tat org.mill.Bus.read(Bus.java:{place})\n\t... 9 more'
            )
            planted.append(
                Fact('error', (batch, f'bus read of {batch} gave nothing', f'Bus.java:{place}'), 'Why?', 'bus')
            )
        elif number % 4 == 1:
            special.append(f'WARN  o.m.Gate - Badge {batch} opened the east gate after closing time')
            planted.append(Fact('identifier', (batch, 'after closing time'), 'Who opened the gate?', batch))
        elif number % 4 == 2:
            special.append(
                f'INFO  o.m.Boot - property kiln.{_word(rng)}.limit was overridden on the command line: {place}'
            )
            planted.append(Fact('setting', (special[-1].split()[5], str(place)), 'Which property?', str(place)))
        else:
            special.append(f'INFO  o.m.Kiln - Fired batch {batch[1:]} at {rng.randint(3000, 5000)} degrees')
            planted.append(Fact('metric', (special[-1].split()[-2],), 'Which batch was too hot?', batch))
    moment = START
    out: list[str] = []
    for line in _spread(rng, usual, special):
        moment += timedelta(milliseconds=rng.randint(100, 4000))
        out.append(f'{moment:%Y-%m-%d %H:%M:%S},{rng.randint(0, 999):03d} [worker-{rng.randint(1, 8)}] {line}')
    return '\n'.join(out), planted


def json_log(seed: int, lines: int, facts: int) -> Noise:
    rng = random.Random(seed)
    entries: list[dict[str, object]] = [
        {
            'level': 'info',
            'message': 'stall opened',
            'stall': rng.randint(1, 300),
            'elapsed': round(rng.uniform(0.1, 0.9), 3),
        }
        if rng.random() < 0.5
        else {
            'level': 'info',
            'message': 'sale booked',
            'receipt': f'{rng.getrandbits(40):010x}',
            'amount': rng.randint(1, 400),
        }
        for _ in range(lines)
    ]
    planted: list[Fact] = []
    for number in range(facts):
        ident = f'{rng.getrandbits(40):010x}'
        at = rng.randint(0, len(entries))
        if number % 4 == 0:
            entries.insert(
                at,
                {'level': 'error', 'message': 'till does not balance', 'till': ident, 'difference': rng.randint(5, 90)},
            )
            planted.append(Fact('error', (ident, 'till does not balance'), 'Which till?', ident))
        elif number % 4 == 1:
            entries.insert(
                at,
                {'level': 'info', 'message': 'sale booked', 'receipt': ident, 'amount': rng.randint(90_000, 120_000)},
            )
            planted.append(Fact('metric', (ident,), 'Which sale was huge?', ident))
        elif number % 4 == 2:
            entries.insert(
                at, {'level': 'info', 'message': 'sale booked', 'receipt': ident, 'amount': 12, 'voided_by': _word(rng)}
            )
            planted.append(Fact('odd', (ident, str(entries[at]['voided_by'])), 'Which sale was voided?', ident))
        else:
            entries.insert(
                at,
                {
                    'level': 'warning',
                    'message': 'scale out of calibration',
                    'stall': ident,
                    'drift_g': rng.randint(20, 70),
                },
            )
            planted.append(Fact('identifier', (ident, 'scale out of calibration'), 'Which scale?', ident))
    moment = START
    for entry in entries:
        moment += timedelta(seconds=rng.randint(0, 9))
        entry['timestamp'] = moment.isoformat()
    return '\n'.join(map(json.dumps, entries)), planted


def deployments(seed: int, number: int, facts: int) -> Noise:
    """Nested objects as the API of a cluster returns them, as text content of an MCP server."""
    rng = random.Random(seed)
    items: list[dict[str, object]] = []
    names = [f'{_word(rng)}-{_word(rng)}-{place}' for place in range(number)]
    for name in names:
        wanted = rng.choice((1, 2, 3))
        items.append(
            {
                'apiVersion': 'apps/v1',
                'metadata': {
                    'name': name,
                    'generation': rng.randint(1, 30),
                    'labels': {'app': name, 'team': rng.choice(('red', 'blue'))},
                },
                'spec': {
                    'replicas': wanted,
                    'strategy': 'RollingUpdate',
                    'containers': [
                        {
                            'image': f'registry.example/{name}:1.{rng.randint(0, 9)}',
                            'pullPolicy': 'IfNotPresent',
                            'memory': '512Mi',
                        }
                    ],
                },
                'status': {
                    'readyReplicas': wanted,
                    'conditions': [{'type': 'Available', 'status': 'True'}, {'type': 'Progressing', 'status': 'True'}],
                },
            }
        )
    free = rng.sample(range(number), number)
    planted: list[Fact] = []
    for turn in range(facts):
        at = free.pop()
        name, spec, status = names[at], items[at]['spec'], items[at]['status']
        assert isinstance(spec, dict)
        assert isinstance(status, dict)
        if turn % 4 == 0:
            status['readyReplicas'] = 0
            status['conditions'][0] |= {'status': 'False', 'message': f'quota of pool {_word(rng)} is spent'}
            planted.append(
                Fact('error', (name, status['conditions'][0]['message']), f'Why is {name} not available?', 'quota')
            )
        elif turn % 4 == 1:
            spec['strategy'] = 'Recreate'
            planted.append(Fact('setting', (name, 'Recreate'), 'Which deployments are recreated?', name))
        elif turn % 4 == 2:
            spec['containers'][0]['memory'] = f'{rng.randint(20, 60)}Gi'
            planted.append(Fact('metric', (name, spec['containers'][0]['memory']), 'Which wants much memory?', name))
        else:
            spec['containers'][0]['image'] = f'attic.example/{name}:latest'
            planted.append(Fact('odd', (name, 'attic.example'), 'Which image is from elsewhere?', name))
    inner = json.dumps({'kind': 'DeploymentList', 'items': items})
    return json.dumps([{'type': 'text', 'text': inner}]), planted


def flags(seed: int, number: int, facts: int) -> Noise:
    """Settings with their defaults, keyed by name."""
    rng = random.Random(seed)
    table: dict[str, dict[str, object]] = {}
    for place in range(number):
        value = rng.choice(('on', 'off', '64', '128', '4096', '30s', '5m', 'auto'))
        table[f'{_word(rng)}.{_word(rng)}_{place}'] = {
            'value': value,
            'default': value,
            'source': 'builtin',
            'restart_required': rng.random() < 0.3,
        }
    planted: list[Fact] = []
    for turn, name in enumerate(rng.sample(sorted(table), facts)):
        entry = table[name]
        if turn % 2:
            entry['value'] = str(rng.randint(5000, 9999))
            planted.append(Fact('setting', (name, str(entry['value'])), f'What is {name} set to?', str(entry['value'])))
        else:
            entry['source'] = f'/etc/{_word(rng)}.conf'
            planted.append(
                Fact('odd', (name, str(entry['source'])), f'Where does {name} come from?', str(entry['source']))
            )
    return json.dumps({'server': 'grain-db 14.2', 'settings': table}, indent=2), planted


def inventory(seed: int, number: int, facts: int) -> Noise:
    """Comma separated values of an export."""
    rng = random.Random(seed)
    rows = [
        [f'SKU{rng.randint(10**7, 10**8 - 1)}', f'{_word(rng)} {rng.choice(("bowl", "jug", "tile"))}', str(rng.randint(0, 400)),
         f'{rng.uniform(3, 60):.2f}', rng.choice(('hall-1', 'hall-2')), f'2026-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}', 'ok']
        for _ in range(number)
    ]  # fmt: skip
    planted: list[Fact] = []
    free = rng.sample(range(number), number)
    count = rng.randint(25, 66)
    for at in (free.pop() for _ in range(count)):
        rows[at][6] = 'chipped'
    planted.append(Fact('count', ('chipped', str(count)), 'How many are chipped?', str(count)))
    while len(planted) < facts:
        row = rows[free.pop()]
        turn = len(planted) % 4
        place = (2, 3, 4, 6)[turn]
        row[place] = (
            f'-{rng.randint(3, 99)}',
            f'{rng.randint(9000, 20_000)}.00',
            f'yard-{rng.randint(3, 99)}',
            f'recall {rng.randint(100, 999)}',
        )[turn]
        kind: FactKind = ('metric', 'metric', 'odd', 'error')[turn]  # pyright: ignore[reportAssignmentType]
        planted.append(Fact(kind, (row[0], row[place]), f'What is unusual about {row[0]}?', row[place]))
    return '\n'.join(map(','.join, [['sku', 'title', 'stock', 'price', 'hall', 'checked', 'state'], *rows])), planted


def processes(seed: int, number: int, facts: int) -> Noise:
    """What `ps aux` prints."""
    rng = random.Random(seed)
    rows: list[list[str]] = [
        [rng.choice(('www', 'miller')), str(1000 + 3 * place), f'{rng.uniform(0, 3):.1f}', f'{rng.uniform(0, 2):.1f}',
         str(rng.randint(10_000, 90_000)), '?', 'S', '02:00', f'0:{rng.randint(0, 59):02d}', f'/opt/mill/worker --slot {place % 64}']
        for place in range(number)
    ]  # fmt: skip
    planted: list[Fact] = []
    for turn, at in enumerate(rng.sample(range(number), facts)):
        row = rows[at]
        if turn % 4 == 0:
            row[2] = f'{rng.randint(180, 390)}.0'
            planted.append(Fact('metric', (row[1], row[2]), 'Which process takes much CPU?', row[1]))
        elif turn % 4 == 1:
            row[6] = 'Z'
            planted.append(Fact('odd', (row[1], 'Z'), 'Which process is a zombie?', row[1]))
        elif turn % 4 == 2:
            row[0] = _word(rng)
            planted.append(Fact('identifier', (row[1], row[0]), f'What does {row[0]} run?', row[1]))
        else:
            row[9] = f'/tmp/.{_word(rng)}/x'
            planted.append(Fact('odd', (row[1], row[9]), 'Which process runs from /tmp?', row[1]))
    head = 'USER         PID %CPU %MEM    RSS TTY STAT START   TIME COMMAND'
    lines = [
        f'{r[0]:<10} {r[1]:>5} {r[2]:>4} {r[3]:>4} {r[4]:>6} {r[5]:<3} {r[6]:<4} {r[7]:<5} {r[8]:>6} {r[9]}'
        for r in rows
    ]
    return '\n'.join([head, *lines]), planted


def klog(seed: int, lines: int, facts: int) -> Noise:
    rng = random.Random(seed)
    usual = [
        rng.choice(
            (
                f'I {{t}} 1 sync.go:{rng.choice((88, 91))}] Synced field "{_word(rng)}/{_word(rng)}" in {rng.randint(2, 40)}.{rng.randint(0, 9)}ms',
                f'I {{t}} 1 watch.go:203] Watch closed, {rng.randint(0, 60)} items received',
                f'I {{t}} 1 lease.go:17] Renewed lease, resource version {rng.randint(10**6, 10**7)}',
            )
        )
        for _ in range(lines)
    ]
    planted: list[Fact] = []
    special: list[str] = []
    for number in range(facts):
        name = f'{_word(rng)}/{_word(rng)}'
        size = rng.randint(200, 900)
        if number == 0:
            count = rng.randint(21, 48)
            special += [
                f'W {{t}} 1 gate.go:55] Throttled for {rng.randint(1, 9)}.{rng.randint(0, 9)}s, request: GET:/fields/{_word(rng)}'
                for _ in range(count)
            ]
            planted.append(Fact('count', ('Throttled for', str(count)), 'How often was it throttled?', str(count)))
        elif number % 3 == 0:
            special.append(f'E {{t}} 1 sync.go:120] "Unhandled" err="field {name}: no parcel with number {size}"')
            planted.append(Fact('error', (name, f'no parcel with number {size}'), f'What about {name}?', str(size)))
        elif number % 3 == 1:
            special.append(f'I {{t}} 1 sync.go:88] Synced field "{name}" in {size}0.5ms')
            planted.append(Fact('metric', (name, f'{size}0.5ms'), 'Which field took long?', name))
        else:
            special.append(
                f'I {{t}} 1 main.go:30] Flag --{name.replace("/", "-")}-burst={size} differs from what the cluster has'
            )
            planted.append(Fact('setting', (name.replace('/', '-'), str(size)), 'Which flag differs?', str(size)))
    moment = START
    out: list[str] = []
    for line in _spread(rng, usual, special):
        moment += timedelta(milliseconds=rng.randint(1, 3000))
        out.append(f'{line[0]}{moment:%m%d %H:%M:%S.%f}' + line.split('{t}', 1)[1])
    return '\n'.join(out), planted


def later_cases() -> Iterator[tuple[str, Noise]]:
    """Six more, written when the digest was as it is."""
    yield 'syslog', syslog(201, 2400, 16)
    yield 'plain output', plain_output(202, 2000, 16)
    yield 'issues', issues(203, 600, 16)
    yield 'query result', query_result(204, 2000, 16)
    yield 'containers', containers(205, 900, 16)
    yield 'metrics', metrics(206, 1500, 16)


def syslog(seed: int, lines: int, facts: int) -> Noise:
    rng = random.Random(seed)
    usual = [
        rng.choice(
            (
                f'sshd[{rng.randint(900, 9999)}]: Accepted publickey for {_word(rng)} from 192.0.2.{rng.randint(1, 250)} port {rng.randint(30000, 60000)}',
                f'CRON[{rng.randint(900, 9999)}]: (root) CMD (/usr/lib/rotate --quiet)',
                f'kernel: [{rng.randint(1000, 9999)}.{rng.randint(100000, 999999)}] IN=eth0 SRC=198.51.100.{rng.randint(1, 250)} LEN={rng.randint(40, 1500)} PROTO=TCP',
                f'systemd[1]: Finished dairy-sync.service, took {rng.randint(1, 9)}.{rng.randint(100, 999)}s',
            )
        )
        for _ in range(lines)
    ]
    planted: list[Fact] = []
    special: list[str] = []
    for number in range(facts):
        name = f'{_word(rng)}{rng.randint(10, 99)}'
        code = rng.randint(3, 120)
        if number == 0:
            count = rng.randint(25, 80)
            special += [
                f'sshd[{rng.randint(900, 9999)}]: Failed password for invalid user {_word(rng)} from 203.0.113.9 port {rng.randint(30000, 60000)}'
                for _ in range(count)
            ]
            planted.append(
                Fact('count', ('Failed password', str(count), '203.0.113.9'), 'How many logins failed?', str(count))
            )
        elif number % 3 == 0:
            special.append(f'systemd[1]: {name}.service: Main process exited, code=exited, status={code}/n/a')
            planted.append(Fact('error', (f'{name}.service', f'{code}/n/a'), f'How did {name} end?', str(code)))
        elif number % 3 == 1:
            special.append(
                f'kernel: [{rng.randint(1000, 9999)}.{rng.randint(100000, 999999)}] Out of memory: Killed process {code} ({name}) total-vm:{code}kB'
            )
            planted.append(Fact('error', (name, 'Out of memory'), 'Which process was killed?', name))
        else:
            special.append(f'useradd[{code}]: new account {name} in group wheel')
            planted.append(Fact('odd', (name, 'new account'), 'Which account is new?', name))
    moment = START
    out: list[str] = []
    for line in _spread(rng, usual, special):
        moment += timedelta(seconds=rng.randint(0, 20))
        out.append(f'{moment:%b %d %H:%M:%S} dairy-{rng.randint(1, 3)} {line}')
    return '\n'.join(out), planted


def plain_output(seed: int, lines: int, facts: int) -> Noise:
    """What a build prints: no times, no levels, colours."""
    rng = random.Random(seed)
    usual = [
        f'\x1b[32m  CC\x1b[0m  src/{_word(rng)}/{_word(rng)}.o'
        if rng.random() < 0.7
        else f'[{rng.randint(1, 99)}%] Linking target lib{_word(rng)}.so'
        for _ in range(lines)
    ]
    planted: list[Fact] = []
    special: list[str] = []
    for number in range(facts):
        name, line = _word(rng), rng.randint(10, 999)
        if number % 3 == 0:
            special.append(
                f'\x1b[31msrc/{name}.c:{line}:7: error: too few arguments to function \u2018{name}_open\u2019\x1b[0m'
            )
            planted.append(
                Fact('error', (f'src/{name}.c', f'{name}_open'), f'What about {name}.c?', 'too few arguments')
            )
        elif number % 3 == 1:
            special.append(f'src/{name}.h:{line}: warning: macro {name.upper()}_MAX redefined')
            planted.append(Fact('identifier', (f'src/{name}.h', f'{name.upper()}_MAX'), 'Which macro?', name))
        else:
            special.append(f'  configure: using bundled {name} {line}.1 because the system has none')
            planted.append(Fact('setting', (f'bundled {name}', f'{line}.1'), 'Which library is bundled?', name))
    return '\n'.join(_spread(rng, usual, special)), planted


def issues(seed: int, number: int, facts: int) -> Noise:
    """Objects with long texts in them."""
    rng = random.Random(seed)
    items: list[dict[str, object]] = [
        {
            'number': 5000 + place,
            'title': f'{_word(rng)} {_word(rng)} {_word(rng)}',
            'body': ' '.join(_word(rng) for _ in range(40)),
            'state': rng.choice(('open', 'closed')),
            'user': {'login': _word(rng), 'type': 'User', 'site_admin': False},
            'comments': rng.randint(0, 30),
            'locked': False,
            'assignee': None,
            'milestone': {'title': rng.choice(('spring', 'autumn')), 'due_on': '2026-09-01T00:00:00Z'},
        }
        for place in range(number)
    ]
    planted: list[Fact] = []
    for turn, at in enumerate(rng.sample(range(number), facts)):
        item = items[at]
        ident = str(item['number'])
        user = item['user']
        assert isinstance(user, dict)
        if turn % 4 == 0:
            item |= {'locked': True, 'active_lock_reason': f'heated about {_word(rng)}'}
            planted.append(Fact('odd', (ident, str(item['active_lock_reason'])), 'Why is it locked?', 'heated'))
        elif turn % 4 == 1:
            item['comments'] = rng.randint(700, 2000)
            planted.append(Fact('metric', (ident, str(item['comments'])), 'Which has many comments?', ident))
        elif turn % 4 == 2:
            user |= {'login': f'{_word(rng)}[bot]', 'type': 'Bot'}
            planted.append(Fact('identifier', (ident, 'Bot'), 'Which was opened by a bot?', ident))
        else:
            del item['milestone']
            planted.append(Fact('odd', (ident, 'milestone'), 'Which has no milestone?', ident))
    return json.dumps(items), planted


def query_result(seed: int, number: int, facts: int) -> Noise:
    """Columns and rows apart, as drivers of databases return them."""
    rng = random.Random(seed)
    rows: list[list[object]] = [
        [
            place,
            f'ewe-{rng.randint(10**5, 10**6)}',
            rng.choice(('hill', 'vale')),
            round(rng.gauss(60, 5), 1),
            'healthy',
            None,
        ]
        for place in range(number)
    ]
    planted: list[Fact] = []
    for turn, at in enumerate(rng.sample(range(number), facts)):
        row = rows[at]
        if turn % 3 == 0:
            row[4] = f'quarantine {_word(rng)}'
            planted.append(Fact('odd', (str(row[1]), str(row[4])), 'Which is in quarantine?', str(row[1])))
        elif turn % 3 == 1:
            row[3] = round(rng.uniform(400, 900), 1)
            planted.append(Fact('metric', (str(row[1]), str(row[3])), 'Which is too heavy?', str(row[1])))
        else:
            row[5] = f'seen near {_word(rng)} ford'
            planted.append(Fact('identifier', (str(row[1]), str(row[5])), 'Which was seen?', str(row[1])))
    return f'{number} rows\n' + json.dumps(
        {'columns': ['id', 'tag', 'meadow', 'weight', 'state', 'note'], 'rows': rows, 'elapsed_ms': 12}
    ), planted


def containers(seed: int, number: int, facts: int) -> Noise:
    """What `docker ps -a` prints."""
    rng = random.Random(seed)
    rows = [
        [f'{rng.getrandbits(48):012x}', f'brewery/{rng.choice(("mash", "hop"))}:2.1', '"/run.sh"', f'{rng.randint(2, 9)} weeks ago',
         f'Up {rng.randint(2, 9)} days', '8080/tcp', f'{_word(rng)}_{_word(rng)}_{place}']
        for place in range(number)
    ]  # fmt: skip
    planted: list[Fact] = []
    for turn, at in enumerate(rng.sample(range(number), facts)):
        row = rows[at]
        if turn % 3 == 0:
            row[4] = f'Exited ({rng.randint(2, 140)}) {rng.randint(2, 20)} hours ago'
            planted.append(Fact('error', (row[6], row[4]), f'How did {row[6]} end?', row[4]))
        elif turn % 3 == 1:
            row[1] = f'cellar/{_word(rng)}:latest'
            planted.append(Fact('odd', (row[6], row[1]), 'Which image is unknown?', row[6]))
        else:
            row[5] = f'0.0.0.0:{rng.randint(20000, 40000)}->22/tcp'
            planted.append(Fact('setting', (row[6], row[5]), 'Which port is open?', row[5]))
    titles = ['CONTAINER ID', 'IMAGE', 'COMMAND', 'CREATED', 'STATUS', 'PORTS', 'NAMES']
    widths = [max(map(len, column)) + 3 for column in zip(titles, *rows, strict=True)]
    return '\n'.join(
        ''.join(f'{cell:<{width}}' for cell, width in zip(row, widths, strict=True)).rstrip() for row in [titles, *rows]
    ), planted


def metrics(seed: int, number: int, facts: int) -> Noise:
    """Tab separated values."""
    rng = random.Random(seed)
    rows = [
        [
            f'probe-{place:04d}',
            f'{rng.gauss(21, 1):.2f}',
            f'{rng.gauss(55, 4):.1f}',
            str(rng.randint(80, 100)),
            'v3.2',
            'true',
        ]
        for place in range(number)
    ]
    planted: list[Fact] = []
    for turn, at in enumerate(rng.sample(range(number), facts)):
        row = rows[at]
        place = (1, 3, 4, 5)[turn % 4]
        row[place] = (f'{rng.randint(300, 800)}.25', str(rng.randint(1, 3)), f'v{rng.randint(10, 99)}.0-beta', 'false')[
            turn % 4
        ]
        planted.append(
            Fact('metric' if place < 4 else 'setting', (row[0], row[place]), f'What about {row[0]}?', row[place])
        )
    return '\n'.join(
        map('\t'.join, [['probe', 'celsius', 'humidity', 'battery', 'firmware', 'enabled'], *rows])
    ), planted
