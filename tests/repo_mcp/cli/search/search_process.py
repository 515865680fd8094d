"""The command `search` as a process, for a pipe and for a terminal."""

from __future__ import annotations

import fcntl
import json
import os
import re
import struct
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.repo_mcp.server_process import UNHURRIED
from tests.waiting import HANG

# what this program sends to a terminal by itself: colours, and links to files
OWN_COLOURS = re.compile(r"\x1b\[(?:1;35|36|32|1;31|2|0)m|\x1b\]8;;(?:file://[\w/.%~-]*)?\x1b\\")

TREE: dict[str, str | bytes] = {
    "src/cache.py": "import os\n\n\ndef page_cache_get(key):\n    return os.environ[key]\n",
    "src/other.py": "def unrelated():\n    return 1\n" + "\n" * 300 + "# page cache, once more\n",
    "docs/words.md": "# Words\n\nThe page cache keeps pages.\nTo be or not\nto be: a CACHE.\n",
    "notes.txt": "nothing of interest\n",
}


def places(root: Path, data: Path) -> list[str]:
    return ["--repo-root", str(root), "--data-dir", str(data)]


def search(*given: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*UNHURRIED, "search", *given],
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert "defect" not in done.stderr, done.stderr
    return done


def told(*given: str) -> dict[str, Any]:
    """The answer as one object: hits, matching lines and files in lists."""
    done = search(*given, "--json")
    assert done.returncode in {0, 1}, done.stderr
    assert done.stdout.isascii()
    return joined(done.stdout, done.returncode)


def joined(output: str, code: int) -> dict[str, Any]:
    *records, found = map(json.loads, output.splitlines())
    assert found.pop("type") == "summary"
    assert code == (0 if records else 1)
    lists = {"hits": "hit"} if found["mode"] == "bm25" else {"matches": "match", "per_file": "file"}
    found |= {name: [] for name in lists}
    for record in records:
        kind = record.pop("type")
        (name,) = [name for name, held in lists.items() if held == kind]
        found[name].append(record)
    return dict(found)


def on_terminal(*given: str, columns: int | str = 0, **env: str) -> str:
    """The output to a terminal, its line ends aside."""
    return sent_to_terminal(["search", *given], env, columns=columns)[1]


def sent_to_terminal(
    given: Sequence[str],
    env: Mapping[str, str],
    *,
    columns: int | str = 0,
    cwd: Path | None = None,
    errors: int | None = None,
) -> tuple[int, str]:
    """The exit code of a command at a terminal, and what that is sent, its line ends aside.

    Errors and progress go there, too, or else to a file descriptor.
    """
    terminal, inner = os.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 25, int(columns), 0, 0))
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [*UNHURRIED, *given],
        stdin=subprocess.DEVNULL,
        stdout=inner,
        stderr=inner if errors is None else errors,
        cwd=cwd,
        env={**plain, "TERM": "xterm", **env},
        start_new_session=True,
    )
    os.close(inner)
    with process:
        seen = b"".join(_read(terminal))
    os.close(terminal)
    return process.returncode, seen.decode().replace("\r\n", "\n")


def _read(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            data = os.read(terminal, 1 << 12)
        except OSError:  # what Linux says when nobody has it open any more
            return
        if not data:
            return
        yield data


def lines_of(path: str) -> list[str]:
    text = TREE[path]
    assert isinstance(text, str)
    return text.splitlines()
