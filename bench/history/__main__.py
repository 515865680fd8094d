"""Compares answers about the past of checkouts with git's, and measures what they take.

    python -m bench.history CHECKOUT… --keep FOLDER [--texts N] [--files N] [--seed N] [--record]

Texts are pieces of lines that some commit has changed. Each is asked as a text (`git log -S`) and
as an expression (`git log -G`), and files are blamed, some with `-w`, some with `-C`. What differs
is printed; what git finds in binary or denied files alone is left out.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from bench import machine
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.history import Histories, HistoryAnswer, HistoryQuestion, ask_histories
from repo_mcp.indexing.keep.pools import PoolUse
from repo_mcp.safety.denylist import Denylist
from repo_mcp.services import Services, services
from repo_mcp.settings import read_options

_RESULT: Final = "history"
_ALL: Final = 1 << 30
_PATIENT: Final = 86_400.0
_BLAMED: Final = re.compile(rb"^([0-9a-f]{40}) \d+ (\d+)", re.MULTILINE)
_WORD: Final = re.compile(r"\w{4,}")
_SPECIAL: Final = re.compile(r"([\\.\[\]{}()*+?^$|])")
_FIRST: Final = 5


def main() -> None:
    """Print what differs, and the figures of each checkout."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("roots", nargs="+", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--texts", type=int, default=100)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    figures = dict(machine.stored(_RESULT)) if options.record else {}
    for root in options.roots:
        trial = _Trial(root.resolve(), options.keep / "history" / root.name, options.seed)
        figures[root.name] = trial.figures(options.texts, options.files)
        print(root.name, figures[root.name])
    if options.record:
        machine.keep(_RESULT, dict(sorted(figures.items())))


class _Trial:
    """The questions to one checkout."""

    def __init__(self, root: Path, data: Path, seed: int) -> None:
        self._root, self._data = root, data
        self._chance = random.Random(seed)
        shutil.rmtree(data, ignore_errors=True)
        given = [("repo_root", str(root)), ("data_dir", str(data)), ("workers", "1")]
        self._parts: Services = services(read_options(given))

    def figures(self, texts: int, files: int) -> dict[str, float | int]:
        """Sizes, times, and how many answers are not git's."""
        histories = Histories(self._parts.manager.parts, _PATIENT)
        try:
            found = self._index(histories)
            asked = [*self._texts(texts)]
            found |= self._compare(histories, asked, "text", self._texts_of_git)
            found |= self._compare(histories, asked, "regex", self._lines_of_git)
            found |= self._blame(histories, files, "blame", [])
            found |= self._blame(histories, files // 2, "blame_w", ["-w"])
            return found | self._blame(histories, files // 2, "blame_c", ["-C"])
        finally:
            histories.close()
            self._parts.manager.close()

    def _index(self, histories: Histories) -> dict[str, float | int]:
        before = _processor_seconds()
        result = self._ask(histories, HistoryQuestion(words="x"))
        self._parts.manager.pools.shrink(PoolUse.INDEXING)
        spent = _processor_seconds() - before
        index = sum(path.stat().st_size for path in (self._data / "history").iterdir())
        packs = [*(self._root / ".git/objects/pack").glob("*.pack")]
        pack = sum(path.stat().st_size for path in packs)
        return {
            "commits": result.result.indexed,
            "index_seconds": round(spent, 1),
            "index_share": round(index / max(pack, 1), 3),
            "worker_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10,
        }

    def _texts(self, count: int) -> Iterator[str]:
        commits = self._git("rev-list", "--no-merges", "HEAD").decode().split()
        while count:
            shown = self._git("show", "--format=", "-U0", self._chance.choice(commits))
            rows = shown.decode("utf-8", "replace").split("\n")
            lines = [row[1:].strip() for row in rows if re.match(r"[+-](?![+-]{2})", row)]
            lines = [line for line in lines if len(line) > 8 and "\ufffd" not in line]
            text = self._part(self._chance.choice(lines)) if lines else ""
            if len(text) > 3 and text == text.strip():
                count -= 1
                yield text

    def _part(self, line: str) -> str:
        kind = self._chance.random()
        if kind < 0.4:
            words: list[str] = _WORD.findall(line)
            return self._chance.choice(words or [""])
        if kind < 0.8:
            begin = self._chance.randrange(len(line))
            return line[begin : begin + self._chance.randrange(6, 40)]
        return line[:60]

    def _compare(
        self,
        histories: Histories,
        texts: Sequence[str],
        name: str,
        git: Callable[[str], list[str]],
    ) -> dict[str, float | int]:
        differ, ours, first, theirs = 0, [], [], []
        for text in texts:
            pattern = text if name == "text" else _SPECIAL.sub(r"\\\1", text)
            started = time.perf_counter()
            expected = git(pattern)
            theirs.append(time.perf_counter() - started)
            question = HistoryQuestion(limit=_FIRST, full_hashes=True)
            started = time.perf_counter()
            self._ask(histories, question._replace(**{name: pattern}))  # type: ignore[arg-type] # a field's name
            first.append(time.perf_counter() - started)
            question = question._replace(limit=_ALL)
            started = time.perf_counter()
            answer = self._ask(histories, question._replace(**{name: pattern}))  # type: ignore[arg-type] # as above
            ours.append(time.perf_counter() - started)
            found = {entry.commit for entry in answer.result.commits}
            expected = [c for c in expected if c in found or self._is_shown(c, name, pattern)]
            if found != set(expected):
                differ += 1
                some = sorted(found ^ set(expected))[:3]
                print(f"  {name} {pattern!r}: {len(found)} here, {len(expected)} of git, {some}")
        return {
            f"{name}_asked": len(texts),
            f"{name}_differ": differ,
            f"{name}_first_ms": _milliseconds(first),
            f"{name}_all_ms": _milliseconds(ours),
            f"{name}_git_ms": _milliseconds(theirs),
        }

    def _is_shown(self, commit: str, name: str, pattern: str) -> bool:
        """True if a commit has a text in a file that is neither binary nor denied."""
        rows = self._git("show", "--numstat", "-z", "--no-renames", "--format=", commit)
        files = [
            row.split("\t", 2) for row in os.fsdecode(rows).split("\0") if row.count("\t") == 2
        ]
        denied = Denylist()
        paths = [path for added, _, path in files if added != "-" and not denied.rule(path)]
        option = f"-S{pattern}" if name == "text" else f"-G{pattern}"
        options = (
            option,
            "--format=%H",
            f"{commit}^!",
            "--",
            *(f":(literal){path}" for path in paths),
        )
        return bool(paths) and bool(self._git("log", *options).strip())

    def _blame(
        self, histories: Histories, count: int, name: str, options: Sequence[str]
    ) -> dict[str, float | int]:
        blanks, copies = "-w" in options, "-C" in options
        paths = self._git("ls-files", "-z").decode().split("\0")[:-1]
        differ, asked, ours, theirs = 0, 0, [], []
        for path in self._chance.sample(paths, len(paths)):
            if asked >= count:
                break
            started = time.perf_counter()
            if (self._root / path).is_dir():  # another repository
                continue
            told = self._git("blame", "--porcelain", *options, "HEAD", "--", path)
            theirs.append(time.perf_counter() - started)
            expected = {int(row[2]): row[1].decode() for row in _BLAMED.finditer(told)}
            question = HistoryQuestion(
                path=path,
                lines="1-99999999",
                rev="HEAD",
                full_hashes=True,
                any_blanks=blanks,
                copies=copies,
            )
            started = time.perf_counter()
            try:
                answer = self._ask(histories, question)
            except Problem as problem:  # empty, a link or denied
                if problem.code == "argument_invalid" or expected:
                    theirs.pop()
                continue
            ours.append(time.perf_counter() - started)
            asked += 1
            found: dict[int, str] = {}
            for entry in answer.result.blame:
                begin, _, end = entry.lines.partition("-")
                found |= dict.fromkeys(range(int(begin), int(end or begin) + 1), entry.commit)
            if found != expected:
                differ += 1
                lines = sum(found.get(n) != c for n, c in expected.items())
                print(f"  {name} {path}: {lines} lines")
        return {
            f"{name}_files": asked,
            f"{name}_differ": differ,
            f"{name}_ms": _milliseconds(ours),
            f"{name}_git_ms": _milliseconds(theirs),
        }

    def _ask(self, histories: Histories, question: HistoryQuestion) -> HistoryAnswer:
        return ask_histories(histories, question, Budget(), _ALL)[0]

    def _texts_of_git(self, text: str) -> list[str]:
        return self._git("log", "--format=%H", f"-S{text}").decode().split()

    def _lines_of_git(self, pattern: str) -> list[str]:
        return self._git("log", "--format=%H", "-E", f"-G{pattern}").decode().split()

    def _git(self, *line: str) -> bytes:
        command = ["git", "-C", str(self._root), *line]
        return subprocess.run(command, capture_output=True, check=True).stdout


def _processor_seconds() -> float:
    own, others = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def _milliseconds(times: Sequence[float]) -> float:
    return round(statistics.median(times) * 1000, 1) if times else 0.0


if __name__ == "__main__":
    main()
