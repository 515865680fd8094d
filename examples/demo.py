"""See it work: index a repository, start the server on it, ask a question, print the answer.

    python examples/demo.py --root /path/to/a/repository "where are links resolved?"

The client below is all that talking to the server takes: lines of JSON through a pipe. The index
goes to a temporary folder, so the repository is left as it was. Without a question, one is made
from a name that the repository declares.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
QUESTION = "open a file without following links"
# what the program `repo-mcp` does, on a path that no file in the current folder can get into
PROGRAM = [
    sys.executable,
    "-P",
    "-c",
    "import sys; from repo_mcp.server import main; sys.exit(main())",
]
# files whose declarations are looked at for a question
TRIED = 8
CALLED = {"function", "method"}
WORD = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])")


class Client:
    """A client in a few lines: one request, one answer."""

    def __init__(self, arguments: list[str]) -> None:
        """Start the server."""
        command = [*PROGRAM, "serve", *arguments]
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

    def tool(self, name: str, arguments: dict[str, Any]) -> str:
        """Call a tool; its answer as models read it."""
        called = self.request("tools/call", {"name": name, "arguments": arguments})
        return "\n".join(item["text"] for item in called["content"] if item["type"] == "text")

    def close(self) -> None:
        """End of input ends the server."""
        self._server.communicate(timeout=10)

    def _send(self, message: dict[str, Any]) -> None:
        if self._server.stdin:
            self._server.stdin.write(json.dumps(message) + "\n")
            self._server.stdin.flush()


def run(*arguments: str) -> list[dict[str, Any]]:
    """The JSON that a command writes; its progress is shown on standard error."""
    done = subprocess.run(  # noqa: S603 our own program
        [*PROGRAM, *arguments, "--json"], stdout=subprocess.PIPE, encoding="utf-8", check=False
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode > 1:
        sys.exit(f"{arguments[0]}: {found[-1]['error']['message'] if found else 'failed'}")
    return found


def show_index(where: list[str]) -> None:
    """Build the index, which shows its progress, and say what is in it."""
    (found,) = run("index", *where)
    done = found["refresh"]
    files = "1 file" if done["files"] == 1 else f"{done['files']:,} files"
    print(f"{files} indexed in {done['seconds']:.2f} s")
    left_out = ", ".join(f"{count} {reason}" for reason, count in done["left_out"].items())
    print(f"left out: {left_out or 'nothing'}")


def fitting_question(root: str, where: list[str]) -> str:
    """A question that this repository has an answer to: the words of a name it declares."""
    paths = [row["path"] for row in run("files", *where) if row["type"] == "file"]
    likely = [path for path in paths if "test" not in path.lower()] or paths
    step = max(len(likely) // TRIED, 1)
    best: list[str] = []
    for path in likely[::step][:TRIED]:
        (outline,) = run("outline", str(Path(root, path)), *where)
        for symbol in outline["symbols"]:
            if symbol["kind"] not in CALLED:
                continue
            words = [word.lower() for word in WORD.findall(symbol["name"])]
            if len(best) < len(words) <= 4:
                best = words
        if len(best) > 2:
            break
    return " ".join(best) or Path(root).resolve().name


def show_answer(client: Client, question: str) -> None:
    """Ask the question, and print the answer."""
    started = time.perf_counter()
    answer = client.tool("repo.search", {"query": question, "top_k": 5})
    took = (time.perf_counter() - started) * 1000
    print(f'\n"{question}", answered in {took:.0f} ms:\n\n{answer}')


def main() -> int:
    """Exit code 0, also where nothing is found."""
    parser = argparse.ArgumentParser(description="Index a repository and ask it a question.")
    parser.add_argument("question", nargs="?", default="")
    parser.add_argument("--root", default=str(HERE), help="the repository; default: this one")
    parser.add_argument("--data-dir", help="where the index is kept; default: nowhere")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="repo-mcp-demo-") as temporary:
        where = ["--repo-root", given.root, "--data-dir", given.data_dir or temporary]
        show_index(where)
        question = given.question
        if not question:
            own = Path(given.root).resolve() == HERE
            question = QUESTION if own else fitting_question(given.root, where)
        started = time.perf_counter()
        client = Client(where)
        server = client.initialize()["serverInfo"]
        took = (time.perf_counter() - started) * 1000
        print(f"{server['name']} {server['version']} on {given.root}: ready after {took:.0f} ms")
        show_answer(client, question)
        client.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
