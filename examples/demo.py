"""See it work: start the server on a repository, index it, ask a question, print the answer.

    python examples/demo.py --root /path/to/a/repository "where are links resolved?"

The client below is all that talking to the server takes: lines of JSON through a pipe. The index
goes to a temporary folder, so the repository is left as it was.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
QUESTION = "open a file without following links"
# what the program `repo-mcp` does, on a path that no file in the current folder can get into
SERVER = [sys.executable, "-P", "-c", "from repo_mcp.server import main; main()"]


class Client:
    """A client in a few lines: one request, one answer."""

    def __init__(self, arguments: list[str]) -> None:
        """Start the server."""
        command = [*SERVER, "serve", *arguments]
        self._server = subprocess.Popen(  # noqa: S603 our own server
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self._id = 0

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Ask, and wait for the answer."""
        self._id += 1
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        line = self._server.stdout.readline() if self._server.stdout else ""
        answer: dict[str, Any] = json.loads(line) if line else {"error": "the server has ended"}
        if "result" not in answer:
            sys.exit(f"{method}: {answer.get('error')}")
        result: dict[str, Any] = answer["result"]
        return result

    def initialize(self) -> dict[str, Any]:
        """Shake hands."""
        client = {"name": "demo", "version": "1"}
        wanted = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        found = self.request("initialize", wanted)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return found

    def tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool; what comes back is the envelope every tool answers with."""
        called = self.request("tools/call", {"name": name, "arguments": arguments})
        envelope: dict[str, Any] = called["structuredContent"]
        if not envelope["ok"]:
            sys.exit(f"{name}: {envelope['result']['reason']}. {envelope['result']['hint']}")
        for warning in envelope["warnings"]:
            print(f"  ({warning})")
        return envelope

    def close(self) -> None:
        """End of input ends the server."""
        self._server.communicate(timeout=10)

    def _send(self, message: dict[str, Any]) -> None:
        if self._server.stdin:
            self._server.stdin.write(json.dumps(message) + "\n")
            self._server.stdin.flush()


def show_index(client: Client) -> None:
    """Build the index and say what is in it."""
    result = client.tool("repo.refresh_index", {})["result"]
    print(f"{result['indexed_files']} files indexed in {result['duration_seconds']:.2f} s")
    print(f"left out: {result.get('left_out', 'nothing')}")


def show_answer(client: Client, question: str) -> int:
    """Ask the question; gives how many passages were found."""
    started = time.perf_counter()
    hits = client.tool("repo.search", {"query": question, "top_k": 5})["result"]["hits"]
    took = (time.perf_counter() - started) * 1000
    print(f'\n"{question}": {len(hits)} passages in {took:.0f} ms')
    for hit in hits:
        print(f"\n{hit['path']}:{hit['range']}  {hit.get('symbol', '')}".rstrip())
        print("\n".join(f"    {line}" for line in hit["snippet"].split("\n")))
    return len(hits)


def main() -> int:
    """Exit code 0 when there was an answer."""
    parser = argparse.ArgumentParser(description="Index a repository and ask it a question.")
    parser.add_argument("question", nargs="?", default=QUESTION)
    parser.add_argument("--root", default=str(HERE), help="the repository; default: this one")
    parser.add_argument("--data-dir", help="where the index is kept; default: nowhere")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="repo-mcp-demo-") as temporary:
        started = time.perf_counter()
        client = Client(["--repo-root", given.root, "--data-dir", given.data_dir or temporary])
        server = client.initialize()["serverInfo"]
        took = (time.perf_counter() - started) * 1000
        print(f"{server['name']} {server['version']} on {given.root}: ready after {took:.0f} ms")
        show_index(client)
        found = show_answer(client, given.question)
        client.close()
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
