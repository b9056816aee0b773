"""Drives `cerberus mcp` with the official Python SDK, with the newer and the older protocol.

Usage: mcp_client.py CERBERUS PROJECT; the project has the rules of tests/cli/project.rs.
"""

import asyncio
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters

TOOLS = 22


def check(what, holds):
    if not holds:
        raise SystemExit(f"failed: {what}")


async def called(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    check(f"{tool} answers: {result}", not result.is_error)
    return result.structured_content


async def use(client, project, era):
    check("it has instructions", "inject_context" in client.instructions)
    tools = (await client.list_tools()).tools
    check(f"{len(tools)} tools", len(tools) == TOOLS)
    hinted = [tool.name for tool in tools if tool.annotations.read_only_hint]
    check(f"read-only: {hinted}", "search_memories" in hinted and "delete_memory" not in hinted)

    found = await called(client, "find_anchor", rule="close the session", hints=["finally"])
    best = found["candidates"][0]
    check(f"best is {best}", best["symbol"] == "request_session")
    kept = await called(
        client, "create_memory", content=f"Pools are drained at night, says {era}", hints=["drain"]
    )
    hits = await called(client, "search_memories", query="drained", includeContent=True)
    check(f"found {hits}", kept["id"] in [hit["id"] for hit in hits["results"]])
    steps = []
    # Only a lost anchor takes long enough to report progress.
    old, new = ("web", "site") if era == "auto" else ("site", "web")
    (project / old).rename(project / new)

    async def progress(done, total, _):
        steps.append((done, total))

    result = await client.call_tool("reanchor_memories", {}, progress_callback=progress)
    check("it follows", result.structured_content["summary"]["moved"] > 0 and steps)

    failed = await client.call_tool("read_memory", {"filename": "no-such"})
    check("a failure is the tool's", failed.is_error and "hint:" in failed.content[0].text)


async def main(cerberus, project):
    server = StdioServerParameters(command=cerberus, args=["mcp", "--project", project])
    for era in ("auto", "legacy"):
        async with Client(server, mode=era) as client:
            check("both sides agree", client.server_info.name == "cerberus")
            await use(client, Path(project), era)
            print(f"{client.protocol_version}: passed")
    print("passed")


asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), timeout=120))
