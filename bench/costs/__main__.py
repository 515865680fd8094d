"""Measures what answers cost: bytes of this server's, before and now, of `rg -n` and of peers.

    python -m bench.costs --root TREE --data FOLDER [--before CHECKOUT] [--peers FOLDER] [--record]

TREE is the standard library of CPython 3.11, without tests of others' packages. CHECKOUT is this
repository at an older commit with its compiled extension; without it the recorded figures of the
state before are kept, as are those of peers without `--peers`, the folder where they are installed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from bench.costs.peers import PEERS, measure
from bench.costs.server import Server

HERE: Final = Path(__file__).resolve().parents[2]
RESULT: Final = HERE / "bench" / "results" / "costs.json"
_POLL: Final = 0.5
_START: Final = "import sys; from repo_mcp.server import main; sys.exit(main())"
_LINES: Final = 25
_CALLS: Final[tuple[tuple[str, str, dict[str, Any]], ...]] = (
    ("10 passages: parse http headers", "repo.search", {"query": "parse http headers"}),
    ("10 passages: JSONEncoder", "repo.search", {"query": "JSONEncoder"}),
    ("10 passages: thread pool shutdown", "repo.search", {"query": "thread pool shutdown"}),
    *(
        (
            f"{_LINES} lines: {text}",
            "repo.search",
            {"query": text, "mode": "literal", "top_k": _LINES},
        )
        for text in ("raise NotImplementedError", "shutil.rmtree", "os.environ[")
    ),
    ("outline: json/decoder.py", "repo.outline", {"path": "json/decoder.py"}),
    ("outline: textwrap.py", "repo.outline", {"path": "textwrap.py"}),
    ("outline: queue.py", "repo.outline", {"path": "queue.py"}),
    ("files of the repository", "repo.list_files", {}),
    (
        "100 lines: json/decoder.py",
        "repo.open_file",
        {"path": "json/decoder.py", "start_line": 1, "end_line": 100},
    ),
    (
        "bundle",
        "repo.build_context_bundle",
        {"prompt": "json decoder gives a wrong line number for control characters in strings"},
    ),
)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    root = args.root.resolve()
    kept = json.loads(RESULT.read_text("utf-8")) if RESULT.exists() else {}
    with start(HERE, root, args.data / "now") as server:
        found: dict[str, Any] = {"now": sizes(server)}
    found["rg"] = ripgrep(root)
    found["files"] = {
        label: (root / arguments["path"]).stat().st_size
        for label, tool, arguments in _CALLS
        if tool == "repo.outline"
    }
    found["before"] = kept.get("before", {})
    if args.before:
        with start(args.before.resolve(), root, args.data / "before") as server:
            found["before"] = sizes(server)
    found["peers"] = kept.get("peers", {})
    if args.peers:
        found["peers"] = {peer.name: measure(peer, args.peers.resolve(), root) for peer in PEERS}
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    print(text)
    if args.record:
        RESULT.write_text(text, "utf-8", newline="\n")


def start(checkout: Path, root: Path, data: Path) -> Server:
    """A server of this checkout whose index is complete."""
    command = [sys.executable, "-c", _START, "serve", "--no-watch"]
    command += ["--repo-root", str(root), "--data-dir", str(data)]
    server = Server(command, checkout, {**os.environ, "PYTHONPATH": str(checkout)})
    while not server.call("repo.refresh_index", {}).data["result"]["complete"]:
        time.sleep(_POLL)
    return server


def sizes(server: Server) -> dict[str, Any]:
    """Bytes of the list of tools and of each call."""
    tools, size = server.tools()
    calls = {label: server.call(tool, given).sizes for label, tool, given in _CALLS}
    return {
        "tools": tools,
        "tools_bytes": size,
        "calls": {label: found._asdict() for label, found in calls.items()},
    }


def ripgrep(root: Path) -> dict[str, int]:
    """Bytes that `rg -n` takes for the same lines."""
    found = {}
    for label, _, given in _CALLS:
        if given.get("mode") == "literal":
            command = ["rg", "-n", "-F", "--no-heading", "--sort", "path", given["query"], "."]
            done = subprocess.run(command, cwd=root, capture_output=True, check=False)
            rows = done.stdout.split(b"\n")[:_LINES]
            found[label] = sum(len(row.removeprefix(b"./")) + 1 for row in rows)
    return found


if __name__ == "__main__":
    main()
