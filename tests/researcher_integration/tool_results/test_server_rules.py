"""Which rules hold for which server, by whatever name it is known."""

import pytest
from inline_snapshot import snapshot
from mcp.server import MCPServer
from pydantic_ai.mcp import MCPToolset

from researcher_integration.mcp.selection import MCPSelection, SelectMCPServers
from tests.proofs.tool_results.agents import agent, calling, returned, summarizing
from tests.researcher_integration.tool_results.test_capability import STORY

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings('ignore:Found propagated trace context')]


def cluster() -> MCPServer:
    server = MCPServer('cluster')

    @server.tool()
    def pods() -> str:
        return STORY

    return server


@pytest.mark.parametrize('named', ['kubernetes', 'k8s-prod'])
async def test_rules_go_by_the_name_an_operator_gives(named: str, caplog: pytest.LogCaptureFixture) -> None:
    rules = {
        'defaults': {'summarization': {'enabled': False}},
        'mcp_servers': {
            named: {
                'summarization': {'enabled': True, 'size_threshold_tokens': 300, 'summary_max_token_limit': 120},
            }
        },
    }
    selection = SelectMCPServers[None](
        MCPSelection(servers={'kubernetes': ()}), servers={'kubernetes': MCPToolset(cluster(), id='k8s-prod')}
    )
    run = await agent(calling('pods'), summarizing(rules=rules), selection).run('Go')
    [seen] = returned(run.all_messages())
    assert seen.metadata['summarization']['state'] == 'complete'
    assert str(seen.content).startswith(f'[{named}/pods: ')
    assert not [record for record in caplog.records if 'rules' in record.getMessage()]


async def test_rules_and_servers_that_do_not_meet_are_said_at_the_start(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level('INFO', 'researcher_integration')
    for rules in ({'kubernets': {}}, {}, {'kubernetes': {}}):
        capability = summarizing(rules={'mcp_servers': rules})
        for _ in range(2):
            toolsets = [MCPToolset(cluster(), id='kubernetes'), MCPToolset(cluster(), id='tickets').prefixed('t')]
            await agent(calling(), capability, toolsets=toolsets).run('Go')
    told = [
        (record.levelname, record.getMessage(), record.__dict__.get('rules'), record.__dict__.get('servers'))
        for record in caplog.records
        if 'servers' in record.getMessage()
    ]
    assert told == snapshot(
        [
            ('WARNING', 'rules for tool results name servers that the run has not: kubernets', ['kubernets'], None),
            ('INFO', 'servers have no rules for their results: the defaults hold', None, ['tickets']),
        ]
    )
