"""Ask the server with the official client: search, open what was found, gather a context bundle.

    python examples/ask_with_sdk.py --root /path/to/a/repository "where are links resolved?"

It needs the package `mcp` (`python -m pip install "repo-mcp[http]"`). The server is a process of
this one, spoken to over its input and output; the index goes to a temporary folder unless
--data-dir names another.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

HERE = Path(__file__).resolve().parents[1]
QUESTION = "open a file without following links"
# what the command `repo-mcp` does, on a path that no file in the current folder can get into
SERVER = ["-P", "-c", "import sys; from repo_mcp.server import main; sys.exit(main())"]
LINES = 20


async def call(client: Client, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a tool; gives its result, or ends the program with what it says is wrong."""
    called = await client.call_tool(name, arguments)
    envelope = called.structured_content
    if not isinstance(envelope, dict):
        sys.exit(f"{name}: no envelope")
    result: dict[str, Any] = envelope["result"]
    if not envelope["ok"]:
        sys.exit(f"{name}: {result['reason']}. {result['hint']}")
    for warning in envelope["warnings"]:
        print(f"  ({warning})")
    return result


async def ask(root: str, data_dir: str, question: str) -> int:
    """Search, open the best hit, and gather a bundle; gives how many hits there were."""
    arguments = [*SERVER, "serve", "--repo-root", root, "--data-dir", data_dir]
    server = StdioServerParameters(command=sys.executable, args=arguments)
    async with Client(stdio_client(server)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        print(f"{len(names)} tools: {', '.join(names)}")
        await call(client, "repo.refresh_index", {})
        hits = (await call(client, "repo.search", {"query": question, "top_k": 3}))["hits"]
        for hit in hits:
            print(f"found {hit['path']}:{hit['start_line']}-{hit['end_line']}")
        if hits:
            await show(client, hits[0]["path"], hits[0]["start_line"])
        await gather(client, question)
    return len(hits)


async def show(client: Client, path: str, start: int) -> None:
    """Open a file at a line."""
    place = {"path": path, "start_line": start, "end_line": start + LINES - 1}
    print((await call(client, "repo.open_file", place))["text"])


async def gather(client: Client, prompt: str) -> None:
    """Gather the code that a task needs, in one call."""
    budget = {"max_files": 4, "max_total_lines": 80}
    bundle = await call(client, "repo.build_context_bundle", {"prompt": prompt, "budget": budget})
    print(f"bundle {bundle['bundle_id']}: {bundle['used']['lines']} lines")
    for excerpt in bundle["excerpts"]:
        print(f"  {excerpt['citation']}: {excerpt.get('rationale', 'read on')}")


def main() -> int:
    """Exit code 0 when there was an answer."""
    parser = argparse.ArgumentParser(description="Ask a repository through the MCP client.")
    parser.add_argument("question", nargs="?", default=QUESTION)
    parser.add_argument("--root", default=str(HERE), help="the repository; default: this one")
    parser.add_argument("--data-dir", help="where the index is kept; default: nowhere")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="repo-mcp-example-") as temporary:
        data_dir = given.data_dir or temporary
        return 0 if asyncio.run(ask(given.root, data_dir, given.question)) else 1


if __name__ == "__main__":
    sys.exit(main())
