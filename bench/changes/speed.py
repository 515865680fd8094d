"""Measures what a review of ten changed files takes in a large tree, in processor time.

    python -m bench.changes.speed CHECKOUT --keep FOLDER [--files N] [--rounds N] [--record]

CHECKOUT is a repository of git, as one made of `bench.corpora.monorepo`; it is restored. In ten of
its Python files a function gets another name. A server that has answered once is asked; then one
of the files is edited again before each question. Beside it are `git status`, and a status of the
server's: of a fresh process, of one that has to compare the folders, and of one whose index has
compared them. Processor time is that of the server and its workers.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from bench import machine
from repo_mcp.app import App
from repo_mcp.budget import Budget
from repo_mcp.history import Histories, working_changes
from repo_mcp.services import services
from repo_mcp.settings import read_options

_RESULT: Final = "changes-speed"
_FUNCTION: Final = re.compile(r"^def (\w+)\(", re.MULTILINE)
_TICKS: Final = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print the figures of a checkout."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--files", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    root: Path = options.root.resolve()
    with _edited(root, options.files) as edit:
        figures = {
            "git status ms": _median(options.rounds, lambda: _git(root, "status", "--porcelain")),
            **_statuses(root, options.keep, options.rounds),
            **_reviews(root, options.keep, options.rounds, edit),
        }
    print(root.name, figures)
    if options.record:
        stored = dict(machine.stored(_RESULT))
        machine.keep(_RESULT, dict(sorted({**stored, root.name: figures}.items())))
    sys.stdout.flush()
    os._exit(0)  # threads of the server keep the process


@contextmanager
def _edited(root: Path, count: int) -> Iterator[Callable[[int], None]]:
    """Rename a function in so many files; gives an edit of one of them, and restores all."""
    paths = [path for path in _git(root, "ls-files", "*.py").split("\n") if path]
    random.Random(1).shuffle(paths)
    texts: dict[Path, str] = {}
    for path in paths:
        text = (root / path).read_text("utf-8")
        if len(texts) < count and _FUNCTION.search(text):
            texts[root / path] = text
    files = [*texts]

    def edit(number: int) -> None:
        file = files[number % len(files)]
        file.write_text(f"{_renamed(texts[file])}\n# edit {number}\n", "utf-8")

    try:
        for number in range(len(files)):
            edit(number)
        yield edit
    finally:
        for file, text in texts.items():
            file.write_text(text, "utf-8")


def _renamed(text: str) -> str:
    return _FUNCTION.sub(r"def \1_changed(", text, count=1)


def _statuses(root: Path, keep: Path, rounds: int) -> dict[str, float | int]:
    """A status of the checkout, without a server."""
    parts = services(_options(root, keep))
    manager = parts.manager
    histories = Histories(manager.parts)
    (history,) = histories.roots.values()

    def ask(*, is_current: bool) -> int:
        checkout = history.checkout(Budget(), is_current=is_current)
        with history.history.reading():
            head = history.history.named("")
            found = working_changes(history.history, head, checkout, lambda: None)
        return len(found.changes)

    try:
        manager.refresh(Budget(), wait_for_writer=True)
        figures: dict[str, float | int] = {
            "files": manager.state().files,
            "status of a fresh process ms": _median(1, lambda: ask(is_current=True)),
            "status that compares folders ms": _median(rounds, lambda: ask(is_current=False)),
            "status of a current index ms": _median(rounds, lambda: ask(is_current=True)),
            "changed files": ask(is_current=True),
        }
    finally:
        histories.close()
        manager.close()
    return figures


def _reviews(
    root: Path, keep: Path, rounds: int, edit: Callable[[int], None]
) -> dict[str, float | bool]:
    """Reviews by a server that has answered once."""
    app = App(_options(root, keep))
    notes: list[str] = []

    def ask() -> None:
        answer = app.call("repo.changes", {}, lambda: False)["structuredContent"]
        if not answer["ok"]:
            raise SystemExit(str(answer))
        notes[:] = answer["result"].get("notes", [])

    def ask_after(number: int) -> Callable[[], None]:
        edit(number)
        return ask

    ask()
    again = _median(rounds, ask)
    edited = [_spent(ask_after(number)) for number in range(rounds)]
    return {
        "review ms": again,
        "review after an edit ms": round(statistics.median(edited), 1),
        "graph of all files": not any("graph of all files" in note for note in notes),
    }


def _options(root: Path, keep: Path) -> Any:  # noqa: ANN401 settings
    given = {"repo_root": root, "data_dir": keep, "index_share": "never", "workers": 1}
    return read_options([(name, str(value)) for name, value in given.items()])


def _git(root: Path, *line: str) -> str:
    command = ["git", "-C", str(root), *line]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def _median(rounds: int, work: Callable[[], object]) -> float:
    return round(statistics.median(_spent(work) for _ in range(rounds)), 1)


def _spent(work: Callable[[], object]) -> float:
    before = _processor_seconds()
    work()
    return (_processor_seconds() - before) * 1000


def _processor_seconds() -> float:
    """Processor time of this process, those it has started, and theirs."""
    spent = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        used = resource.getrusage(who)
        spent += used.ru_utime + used.ru_stime
    parents: dict[int, tuple[int, int]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents[int(file.parent.name)] = int(fields[1]), int(fields[11]) + int(fields[12])
    own = {os.getpid()}
    while more := {pid for pid, (above, _) in parents.items() if above in own} - own:
        own |= more
    return spent + sum(parents[pid][1] for pid in own - {os.getpid()}) / _TICKS


if __name__ == "__main__":
    main()
