"""Times answers about a very long history, before it is indexed and while it is.

    python -m bench.history.large FOLDER [--commits 1300000] [--record]

The history is made by `git fast-import`, equal for equal arguments, and stays in FOLDER: commits
one after the other, each of which changes lines of one to three files; few files have most of the
changes. A server is started for each question, as a client starts it, with nothing of the disk in
memory where that may be dropped: commits of a file and of a folder, blame of lines, commits by
hash, and of a text, which without an index takes reading every change. Then the index is built
behind; its size is compared with the pack's, and the questions are asked again.
To conclude: seconds until an answer, and what an answer without an index says that it lacks.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final

from bench import machine
from bench.costs.server import Server
from bench.large.servers import IndexedTree, drop_caches

_FOLDERS: Final = 400
_FILES_OF_A_FOLDER: Final = 100
_LINES: Final = 30
_FIRST_SECOND: Final = 1_200_000_000
_SECONDS: Final = 400
# files are drawn by this power of chance, so that few have most of the changes
_SKEW: Final = 3
_PEOPLE: Final = 5_000
_WORDS: Final = ("page", "lock", "queue", "inode", "timer", "buffer", "device", "frame", "node")
_POLL: Final = 5.0


class HistoryStream:
    """Commits for `git fast-import`."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._files: dict[int, list[str]] = {}

    def write(self, stream: IO[bytes], commits: int) -> None:
        """Write so many commits."""
        for number in range(commits):
            files = {self._file() for _ in range(self._chance.choice((1, 1, 2, 3)))}
            message = f"{self._word()}: {self._word()} the {self._word()} of {number}\n"
            person = self._chance.randrange(_PEOPLE)
            when = f"{_FIRST_SECOND + number * _SECONDS} +0000"
            who = f"Person {person} <p{person}@example.org> {when}"
            parts = [f"commit refs/heads/main\ncommitter {who}\ndata {len(message)}\n{message}"]
            parts += [self._change(file, number) for file in sorted(files)]
            stream.write("".join(parts).encode("ascii"))

    def _file(self) -> int:
        return int(self._chance.random() ** _SKEW * _FOLDERS * _FILES_OF_A_FOLDER)

    def _word(self) -> str:
        return self._chance.choice(_WORDS)

    def _change(self, file: int, number: int) -> str:
        lines = self._files.setdefault(file, [f"int {self._word()}_{n};\n" for n in range(_LINES)])
        at = self._chance.randrange(_LINES)
        lines[at] = f"int {self._word()}_{self._word()}_{number};\n"
        text = "".join(lines)
        return f"M 100644 inline {path_of(file)}\ndata {len(text)}\n{text}\n"


def path_of(file: int) -> str:
    """The path of a file by its number."""
    folder, name = divmod(file, _FILES_OF_A_FOLDER)
    return f"part{folder:03}/file{name:02}.c"


def make(root: Path, commits: int) -> None:
    """Make the history, and check its last commit out."""
    run = ["git", "-C", str(root)]
    root.mkdir(parents=True)
    subprocess.run([*run, "init", "-q", "-b", "main"], check=True)
    with subprocess.Popen([*run, "fast-import", "--quiet"], stdin=subprocess.PIPE) as importing:
        assert importing.stdin is not None
        HistoryStream(1).write(importing.stdin, commits)
    if importing.returncode:
        raise subprocess.CalledProcessError(importing.returncode, "git fast-import")
    subprocess.run([*run, "reset", "-q", "--hard", "main"], check=True)


def questions(commits: int) -> Mapping[str, Mapping[str, Any]]:
    """The arguments of `repo.history`, by what is asked for."""
    return {
        "commits of a file": {"path": path_of(_FILES_OF_A_FOLDER)},
        "commits of a file that changes rarely": {"path": path_of(_FOLDERS * 90)},
        "commits of a folder": {"path": "part200"},
        "blame": {"path": path_of(0), "lines": "1-30"},
        "a commit": {"rev": "HEAD~1000"},
        "an old commit": {"rev": f"HEAD~{commits // 2}"},
        "a text": {"text": f"_{commits // 3};"},
        "words": {"words": "lock the inode"},
    }


def ask(tree: IndexedTree, commits: int) -> Iterator[tuple[str, dict[str, object]]]:
    """Ask each question of a server of its own; and what its answer has."""
    for name, arguments in questions(commits).items():
        drop_caches()
        begin = time.perf_counter()
        with tree.start() as server:
            answer = server.call("repo.history", arguments)
            seconds = round(time.perf_counter() - begin, 2)
        result = answer.data.get("result", {})
        lacks = result.get("missing", "") or result.get("verdict", "")
        found = len(result.get("commits", ()) or result.get("lines", ()))
        yield name, {"seconds": seconds, "rows": found, "lacks": lacks}


def _wait_for_index(server: Server) -> float:
    begin = time.perf_counter()
    while server.call("repo.history", {"words": "lock"}).data.get("result", {}).get("missing"):
        time.sleep(_POLL)
    return time.perf_counter() - begin


def _bytes(paths: Iterator[Path]) -> int:
    return sum(path.stat().st_size for path in paths)


def main() -> None:
    """Print the figures of each question, before and after."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commits", type=int, default=1_300_000)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    root, data = given.folder.resolve() / "tree", given.folder.resolve() / "data"
    if not (root / ".git").is_dir():
        make(root, given.commits)
    tree = IndexedTree(root, data)
    figures: dict[str, object] = {"commits": given.commits}
    for name, row in ask(tree, given.commits):
        print(name, json.dumps(row), flush=True)
        figures[name] = row
    with tree.start() as server:
        figures["index_seconds"] = round(_wait_for_index(server), 1)
    pack = _bytes((root / ".git" / "objects" / "pack").glob("*.pack"))
    figures["pack_bytes"] = pack
    figures["index_share"] = round(_bytes(data.glob("history/*")) / pack, 3)
    for name, row in ask(tree, given.commits):
        print(name, json.dumps(row), file=sys.stderr, flush=True)
        figures[f"{name}, indexed"] = row
    print(json.dumps(figures))
    if given.record:
        print(machine.keep("history-large", figures))


if __name__ == "__main__":
    main()
