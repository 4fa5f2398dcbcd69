"""A noisy MCP server over streamable HTTP, with results as servers have them: huge, structured, binary, failing, leaking."""

import base64
import json
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from mcp.server import MCPServer
from mcp.server.mcpserver import Image
from mcp.server.mcpserver.exceptions import ToolError
from pydantic_ai.mcp import MCPToolset

from tests.proofs.tool_results.noise import json_list, logs
from tests.support.threaded_server import served

LOG, LOG_FACTS = logs(7, 600, 12)
SHIPMENTS, SHIPMENT_FACTS = json_list(7, 500, 12)

PIXEL = base64.b64decode(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
)


def _made(*parts: str) -> str:
    """Put together here, so that no scanner takes this file for a leak."""
    return ''.join(parts)


_KEY_BODY = [
    base64.b64encode(f'berth {number} of the old harbour, north side'.encode()).decode() for number in range(6)
]

SECRETS: dict[str, str] = {
    'aws': _made('AKIA', 'Z7Q2MKXWV5TRNB4L'),
    'github': _made('ghp', '_', 'q8W3nZr5TyLk2Vb7Xc4Mh9Jd6Fs1Gp0Ea3Ru'),
    'slack': _made('xoxb', '-', '263594206564-2343594206574-', 'FGqddMF8t08v8N7Oq4i57vs1'),
    'stripe': _made('sk', '_live_', 'ReTllpYQYfIZu2Jnf2lAPFjD'),
    'jwt': _made(
        'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9',
        '.',
        'eyJzdWIiOiJjcmFuZS03IiwibmFtZSI6IktlbGRlciJ9',
        '.',
        'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
    ),
    'private key': _KEY_BODY[3],
    'url': 'tr0ub4dor-kelder',
    'openai': _made('sk', '-proj-', 'Zk3vYw8QmT5xLr2NbHc7JdPa', 'T3Blbk', 'FJ', 'Uf9GsXe4RiVo6KtWq1My'),
    'google': _made('AIza', 'SyB3xK9mQwE7rT2yU5iO8pL4kJ6hG1fD0sA'),
    'password': 'Gull!Feather-93x',
}
"""What must never be seen, by kind."""

LEAK = '\n'.join(
    [
        f'02:00:01 INFO  [vault] loaded aws_access_key_id={SECRETS["aws"]}',
        f'02:00:02 INFO  [vault] git remote uses token {SECRETS["github"]}',
        f'02:00:03 INFO  [vault] notifier {SECRETS["slack"]}',
        f'02:00:04 INFO  [vault] billing key {SECRETS["stripe"]}',
        f'02:00:05 INFO  [vault] Authorization: Bearer {SECRETS["jwt"]}',
        '02:00:06 INFO  [vault] -----BEGIN RSA PRIVATE KEY-----',
        *_KEY_BODY,
        '-----END RSA PRIVATE KEY-----',
        f'02:00:07 INFO  [vault] postgres://harbour:{SECRETS["url"]}@db.kelder.example:5432/berths',
        f'02:00:08 INFO  [vault] OPENAI_API_KEY={SECRETS["openai"]}',
        f'02:00:09 INFO  [vault] maps key {SECRETS["google"]}',
        f'02:00:10 INFO  [vault] password={SECRETS["password"]}',
        '02:00:11 ERROR [vault] seal of unit V-7731 is broken',
    ]
)


@dataclass
class Noise:
    """The server, and how often each of its tools was called."""

    url: str
    calls: Counter[str] = field(default_factory=Counter[str])

    def toolset(self, name: str | None = 'harbour') -> MCPToolset[None]:
        """A client of it, as an agent has one."""
        return MCPToolset(self.url, id=name)


def _server(calls: Counter[str]) -> MCPServer:
    mcp = MCPServer('harbour')

    @mcp.tool()
    def read_log(service: str = '') -> str:
        calls['read_log'] += 1
        return LOG

    @mcp.tool()
    def list_shipments() -> dict[str, object]:
        calls['list_shipments'] += 1
        return {'cluster': 'kelder', 'count': 500, 'items': json.loads(SHIPMENTS)}

    @mcp.tool()
    def leak_text() -> str:
        calls['leak_text'] += 1
        return LEAK

    @mcp.tool()
    def leak_log() -> str:
        calls['leak_log'] += 1
        middle = len(LOG) // 2
        return f'{LOG[:middle]}\n{LEAK}\n{LOG[middle:]}'

    @mcp.tool()
    def leak_structure() -> dict[str, object]:
        calls['leak_structure'] += 1
        return {'unit': 'V-7731', 'lines': LEAK.split('\n'), 'nested': {'password': SECRETS['password'], 'size': 3}}

    @mcp.tool()
    def leak_error() -> str:
        calls['leak_error'] += 1
        raise ToolError(LEAK)

    @mcp.tool()
    def photo() -> Image:
        calls['photo'] += 1
        return Image(data=PIXEL, format='png')

    @mcp.tool()
    def status() -> str:
        calls['status'] += 1
        return 'all berths are free'

    return mcp


@contextmanager
def serve() -> Generator[Noise]:
    """Run it in a thread, on a free port."""
    calls = Counter[str]()
    with served(_server(calls).streamable_http_app()) as running:
        yield Noise(f'{running.origin}/mcp', calls)
