"""Thirty questions across ten repositories of one organisation, beside a search for the word.

    python -m bench.workspace.questions --mirror DIR --keep DIR [--record]

Users of a symbol in other repositories were found by pyright, which had all ten as places of
imports; places of settings by reading. An answer is right if the first call names every file. The
repositories are clones in a mirror, each at the commit that the questions are of.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from bench import machine
from repo_mcp.app import App
from repo_mcp.settings import read_options

_QUESTIONS: Final = Path(__file__).with_name("questions.json")


def main() -> None:
    """Ask all questions, and print which answers are right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    asked = json.loads(_QUESTIONS.read_text("utf-8"))
    folder = given.keep / "roots"
    for name, commit in asked["repositories"].items():
        _check_out(given.mirror, name, commit, folder)
    roots = [("roots", f"{path.name}={path}") for path in sorted(folder.iterdir())]
    app = App(read_options([*roots, ("data_dir", str(given.keep / "data")), ("watch", "off")]))
    app.call("repo.refresh_index", {}, lambda: False)
    app.call("repo.symbol", {"name": "celery.app.base.Celery"}, lambda: False)
    sums: Counter[str] = Counter()
    for question in asked["questions"]:
        text = _ask(app, question)
        missed = [path for path in question["files"] if not _names(text, path)]
        lines = _search(folder, question["word"])
        sums.update(questions=1, right=not missed, bytes=len(text.encode()), bytes_of_rg=len(lines))
        if missed:
            print(f"{question['name']}: {len(missed)} of {len(question['files'])} missed: {missed}")
    right, count = sums["right"], sums["questions"]
    print(f"right at the first call: {right} of {count}, {right / count:.3f}")
    print(f"bytes: {sums['bytes']}, those of rg -nw over the same folders {sums['bytes_of_rg']}")
    if given.record:
        machine.keep("workspace-questions", sums)
    sys.exit(right < 0.9 * count)


def _ask(app: App, question: Mapping[str, Any]) -> str:
    if question["kind"] == "settings":
        answer = app.call("repo.search", {"query": question["name"]}, lambda: False)
    else:
        arguments = {"name": question["name"], "callers_only": True}
        answer = app.call("repo.symbol", arguments, lambda: False)
    text: str = answer["content"][0]["text"]
    return text


def _names(text: str, path: str) -> bool:
    """True if a text has a path as a whole."""
    return re.search(rf"(?<![\w/.-]){re.escape(path)}(?![\w/-])", text) is not None


def _search(folder: Path, word: str) -> bytes:
    command = ["rg", "-nw", "--", word, *(path.name for path in sorted(folder.iterdir()))]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout


def _check_out(mirror: Path, name: str, commit: str, folder: Path) -> None:
    """The files of a commit, from a clone in the mirror."""
    target = folder / name.rpartition("/")[2]
    if target.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    (source,) = [path for path in (mirror / name.replace("/", "+")).iterdir() if path.is_dir()]
    for command in (
        ["git", "clone", "--quiet", str(source), str(target)],
        ["git", "-C", str(target), "checkout", "--quiet", commit],
    ):
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
