"""A client of the Python SDK, in the environment of either version: lists tools and makes calls.

The argument is JSON: `calls`, `command`, and `roots`, of which the last one is closed before the
calls are made a second time.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from typing import Any


def main() -> None:
    """Make the calls of the argument."""
    asyncio.run(_run(json.loads(sys.argv[1])))


async def _run(given: dict[str, Any]) -> None:
    mcp = importlib.import_module("mcp")
    stdio = importlib.import_module("mcp.client.stdio")
    types = importlib.import_module("mcp.types")
    parameters = mcp.StdioServerParameters(command=given["command"][0], args=given["command"][1:])
    roots = list(given["roots"])

    async def list_roots(_: object) -> Any:  # noqa: ANN401 of the SDK in use
        return types.ListRootsResult(roots=[types.Root(uri=uri) for uri in roots])

    told = {"list_roots_callback": list_roots} if roots else {}
    if hasattr(mcp, "Client"):
        async with mcp.Client(stdio.stdio_client(parameters), **told) as client:
            await _ask(client, client.session, given["calls"], roots)
        return
    async with (
        stdio.stdio_client(parameters) as (reads, writes),
        mcp.ClientSession(reads, writes, **told) as session,
    ):
        await session.initialize()
        await _ask(session, session, given["calls"], roots)


async def _ask(client: Any, session: Any, calls: list[Any], roots: list[str]) -> None:  # noqa: ANN401 of the SDK in use
    print([tool.name for tool in (await client.list_tools()).tools])
    await _make_calls(client, calls)
    if roots:
        roots.pop()
        await session.send_roots_list_changed()
        await _make_calls(client, calls)


async def _make_calls(client: Any, calls: list[Any]) -> None:  # noqa: ANN401 of the SDK in use
    for name, arguments in calls:
        try:
            print(name, await client.call_tool(name, arguments))
        except Exception as error:  # noqa: BLE001 an error of the protocol, which the record has
            print(name, "refused:", error)


if __name__ == "__main__":
    main()
