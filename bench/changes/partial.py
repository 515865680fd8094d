"""Compares reviews in a partial clone with those in a whole one.

    python -m bench.changes.partial REPOSITORY --keep FOLDER [--commits N] [--record]

REPOSITORY is a folder with a `.git`, or a bare one. It is cloned twice: as a whole, and with
`--filter=blob:none`, so that of old commits no file is there but those that HEAD has. Each of the
last commits without merges is reviewed in both. To conclude: how many are answered in the partial
clone, and the shares of the files that differ and of the files of tests that it names of those
which the whole one names.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from bench import machine
from repo_mcp.app import App
from repo_mcp.settings import read_options

_RESULT: Final = "changes-partial"
_MOST_CHARS: Final = 1_000_000
_MOST_WAITS: Final = 50


def main() -> None:
    """Print the figures of a repository."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=40)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    source: Path = options.repository.resolve()
    name = source.parent.name if source.name == "repo" else source.name
    keep = options.keep.resolve() / name
    whole, part = keep / "whole", keep / "partial"
    _clone(source, whole)
    _clone(whole, part, "--filter=blob:none", "--no-local")
    reviews = [_Reviews(root, keep / "data" / root.name) for root in (whole, part)]
    lines = _git(whole, "rev-list", "--no-merges", f"-n{options.commits}", "HEAD").split()
    figures = _figures([[item.review(rev) for item in reviews] for rev in lines])
    print(name, figures)
    if options.record:
        machine.keep(_RESULT, dict(sorted({**machine.stored(_RESULT), name: figures}.items())))
    sys.stdout.flush()
    os._exit(0)  # threads of the servers keep the process


class _Reviews:
    """Asks for reviews of one clone."""

    def __init__(self, root: Path, data: Path) -> None:
        given = {
            "repo_root": root,
            "data_dir": data,
            "max_total_bytes_per_response": _MOST_CHARS,
        }
        self._app = App(read_options([(name, str(value)) for name, value in given.items()]))
        for _ in range(_MOST_WAITS):
            self._ask("repo.refresh_index", {})
            found = self._ask("repo.changes", {}) or {}
            if not any("still being linked" in note for note in found.get("notes", ())):
                break

    def review(self, rev: str) -> dict[str, Any] | None:
        """The answer about a commit; None where there is none."""
        return self._ask("repo.changes", {"rev": rev, "max_chars": _MOST_CHARS})

    def _ask(self, tool: str, arguments: dict[str, object]) -> dict[str, Any] | None:
        answer = self._app.call(tool, arguments, lambda: False)["structuredContent"]
        found: dict[str, Any] | None = answer["result"] if answer["ok"] else None
        return found


def _figures(rows: list[list[dict[str, Any] | None]]) -> dict[str, float]:
    """The conclusion over all commits that the whole clone answers about."""
    asked = [(one, other) for one, other in rows if one is not None]
    answered = [(one, other) for one, other in asked if other is not None]
    files = sum(one["files"] for one, _ in asked)
    tests = [(_tests(one), set() if other is None else _tests(other)) for one, other in asked]
    named = sum(len(one) for one, _ in tests)
    return {
        "commits": len(asked),
        "answered": len(answered),
        "files": round(sum(other["files"] for _, other in answered) / max(files, 1), 3),
        "files of tests": round(sum(len(one & other) for one, other in tests) / max(named, 1), 3),
        "right": round(
            sum(len(one & other) for one, other in tests)
            / max(sum(len(other) for _, other in tests), 1),
            3,
        ),
    }


def _tests(answer: dict[str, Any]) -> set[str]:
    return {entry["path"] for entry in answer.get("tests", ())}


def _clone(source: Path, target: Path, *options: str) -> None:
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if options:  # a server of git says itself whether it gives parts
        _git(source, "config", "uploadpack.allowFilter", "true")
    _git(target.parent, "clone", "-q", *options, f"file://{source}", str(target))


def _git(root: Path, *line: str) -> str:
    command = ["git", *line]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
