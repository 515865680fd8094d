"""Ask the server with nothing but the standard library: lines of JSON through two pipes.

    python examples/ask_plain.py --root /path/to/a/repository "where are links resolved?"

It speaks the newer era of the protocol: no handshake, each request says which version it is in.
Progress arrives while the index is built, because the request asks for it by a token. (demo.py
shows the older era, with its handshake.)
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
QUESTION = "open a file without following links"
# what the command `repo-mcp` does, on a path that no file in the current folder can get into
SERVER = [
    *(sys.executable, "-P", "-c"),
    "import sys; from repo_mcp.server import main; sys.exit(main())",
]
WORD = "io.modelcontextprotocol/"
META: dict[str, Any] = {
    f"{WORD}protocolVersion": "2026-07-28",
    f"{WORD}clientCapabilities": {},
    f"{WORD}clientInfo": {"name": "ask_plain", "version": "1"},
}


class Server:
    """The server as a process: one request, one answer, and what it tells in between."""

    def __init__(self, root: str, data_dir: str) -> None:
        """Start it."""
        command = [*SERVER, "serve", "--repo-root", root, "--data-dir", data_dir]
        self._process = subprocess.Popen(  # noqa: S603 our own server
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self._numbers = count(1)

    def request(self, method: str, **params: object) -> dict[str, Any]:
        """Ask, show what is told meanwhile, and give the answer."""
        number = next(self._numbers)
        meta = {**META, "progressToken": number}
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        self._send({**message, "params": {**params, "_meta": meta}})
        while (told := self._receive()).get("id") != number:
            if told.get("method") == "notifications/progress":
                print(f"  ... {told['params'].get('message', told['params']['progress'])}")
        if "error" in told:
            sys.exit(f"{method}: {told['error']['message']}")
        result: dict[str, Any] = told["result"]
        return result

    def tool(self, name: str, **arguments: object) -> dict[str, Any]:
        """Call a tool; gives its result, or ends the program with what it says is wrong."""
        envelope = self.request("tools/call", name=name, arguments=arguments)["structuredContent"]
        result: dict[str, Any] = envelope["result"]
        if not envelope["ok"]:
            sys.exit(f"{name}: {result['reason']}. {result['hint']}")
        return result

    def close(self) -> None:
        """End of input ends it."""
        self._process.communicate(timeout=10)

    def _send(self, message: dict[str, object]) -> None:
        if self._process.stdin:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            sys.exit("the server has ended")
        found: dict[str, Any] = json.loads(line)
        return found


def ask(server: Server, question: str) -> int:
    """Index, search, and open the best hit; gives how many hits there were."""
    known = server.request("server/discover")
    print(f"versions: {', '.join(known['supportedVersions'])}")
    print(f"tools: {', '.join(tool['name'] for tool in server.request('tools/list')['tools'])}")
    print(f"{server.tool('repo.refresh_index')['indexed_files']} files indexed")
    hits = server.tool("repo.search", query=question, top_k=3)["hits"]
    for hit in hits:
        print(f"\n{hit['path']}:{hit['start_line']}-{hit['end_line']}")
        place = {"start_line": hit["start_line"], "end_line": hit["end_line"]}
        print(server.tool("repo.open_file", path=hit["path"], **place)["text"])
    return len(hits)


def main() -> int:
    """Exit code 0 when there was an answer."""
    parser = argparse.ArgumentParser(description="Ask a repository, line by line of JSON.")
    parser.add_argument("question", nargs="?", default=QUESTION)
    parser.add_argument("--root", default=str(HERE), help="the repository; default: this one")
    parser.add_argument("--data-dir", help="where the index is kept; default: nowhere")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="repo-mcp-example-") as temporary:
        server = Server(given.root, given.data_dir or temporary)
        found = ask(server, given.question)
        server.close()
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
