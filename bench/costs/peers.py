"""Other servers on the same tree: their list of tools, and what they answer to the same needs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.costs.server import Server

# what a call is for, the tool, and its arguments; ROOT stands for the folder
Need = tuple[str, str, Mapping[str, Any]]


class Peer(NamedTuple):
    """A server: the command that starts it, and the tool that is called."""

    name: str
    command: Sequence[str]
    first: Sequence[Need]
    needs: Sequence[Need]


PEERS: Final = (
    Peer(
        "code-index-mcp",
        ("code-index-mcp",),
        (("", "set_project_path", {"path": "ROOT"}),),
        (
            (
                "lines",
                "search_code_advanced",
                {"pattern": "shutil.rmtree", "max_results": 25, "regex": False},
            ),
            ("outline", "get_file_summary", {"file_path": "textwrap.py"}),
            ("files", "find_files", {"pattern": "*"}),
        ),
    ),
    Peer(
        "server-filesystem",
        ("mcp-server-filesystem", "ROOT"),
        (),
        (
            ("files", "list_directory", {"path": "ROOT"}),
            ("open", "read_text_file", {"path": "ROOT/json/decoder.py", "head": 100}),
        ),
    ),
    # answers by running code of the client's in its own process: nothing to compare
    Peer(
        "serena",
        ("serena", "start-mcp-server", "--project", "ROOT", "--enable-web-dashboard", "false"),
        (),
        (),
    ),
    Peer(
        "semble",
        ("semble",),
        (),
        (("passages", "search", {"query": "parse http headers", "repo": "ROOT"}),),
    ),
)


def measure(peer: Peer, folder: Path, root: Path) -> dict[str, Any]:
    """Sizes by need, or why there are none; `folder` has the programs of peers."""
    program = next(
        (found for found in sorted(folder.rglob(peer.command[0])) if os.access(found, os.X_OK)),
        None,
    )
    if program is None:
        return {"skipped": "not installed"}
    command = [str(program), *(part.replace("ROOT", str(root)) for part in peer.command[1:])]
    # nothing is downloaded: a server that needs that is skipped with its own words
    around = {**os.environ, "HF_HUB_OFFLINE": "1", "PATH": f"{program.parent}:{os.environ['PATH']}"}
    try:
        with Server(command, root, around) as server:
            tools, size = server.tools()
            found: dict[str, Any] = {"tools": tools, "tools_bytes": size, "needs": {}}
            for _, tool, arguments in peer.first:
                server.call(tool, _filled(arguments, root))
            for need, tool, arguments in peer.needs:
                answer = server.call(tool, _filled(arguments, root))
                # some servers say so in an answer that is no error
                if answer.result.get("isError") or answer.text.startswith("Failed"):
                    found["needs"][need] = {"failed": answer.text[:120]}
                else:
                    found["needs"][need] = answer.sizes._asdict()
    except OSError as error:
        return {"skipped": str(error)[:160]}
    return found


def _filled(arguments: Mapping[str, Any], root: Path) -> dict[str, Any]:
    return {
        name: value.replace("ROOT", str(root)) if isinstance(value, str) else value
        for name, value in arguments.items()
    }
