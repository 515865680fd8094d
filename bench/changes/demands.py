"""Plants changes of members that types demand, and counts what the first review of each names.

    python -m bench.changes.demands [--trees N] [--seed N] [--differences] [--record]

A tree has a type that demands members in each language, and types that are one: directly, below an
abstract one, by a larger type, and with what a base gives. A change is planted in all languages at
once: a member is added to the type, renamed or removed in it, or one that implements it is removed,
renamed or has another signature. The command `changes` is then called once, on a tree whose graph
was linked before the change. What a compiler says of each is known from how the tree is made:
a line that is marked `need` or `call` is one of its errors.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench import machine
from bench.changes.demanding_types import TEMPLATES, Template

_RESULT: Final = "demands"
_MARK: Final = re.compile(r"(?:#|//) (\w+):(\w+)\s*$")
_DECORATOR: Final = re.compile(r"\s*@\w+")
_NAMES: Final = ("save", "load", "count", "close", "render", "parse", "apply", "merge", "visit")
_TYPES: Final = ("Store", "Reader", "Printer", "Shape", "Codec", "Policy", "Engine", "Handler")


class Planted(NamedTuple):
    """A change of one language's files, and the places that break: of each any line will do."""

    language: str
    files: Mapping[str, str]
    wanted: list[frozenset[tuple[str, int]]]


def main() -> None:
    """Print recall and precision of each language and each kind of change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--differences", action="store_true")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for _ in range(options.trees):
        with tempfile.TemporaryDirectory() as folder:
            trial = _Trial(Path(folder), chance)
            for kind in KINDS:
                for name, added in trial.counted(kind, show=options.differences):
                    counts[name] += added
    figures = {name: _figures(found) for name, found in sorted(counts.items())}
    for name, found in figures.items():
        print(name, found)
    if options.record:
        machine.keep(_RESULT, figures)


class _Trial:
    """One tree of all languages, and the changes that are planted in it."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self._root, self._data = folder / "root", folder / "data"
        self._names = chance.sample(_NAMES, 3)
        self._type = chance.choice(_TYPES)
        self._files = {
            item.language: dict(tree_of(item, self._type, self._names)) for item in TEMPLATES
        }
        for files in self._files.values():
            _write(self._root, files)
        for step in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
            author = ["-c", "user.name=x", "-c", "user.email=x@x"]
            command = ["git", *author, *step]
            subprocess.run(command, cwd=self._root, check=True)

    def counted(self, kind: str, *, show: bool) -> Iterator[tuple[str, Counter[str]]]:
        """The counts of one kind of change, by language and for all."""
        self._run("index", "--graph")
        made = [
            planted(kind, item, self._files[item.language], self._names[0]) for item in TEMPLATES
        ]
        for item in made:
            _write(self._root, item.files)
        answer = json.loads(self._run("changes", "--json", "--max-chars", "200000"))
        places = {(row["path"], row["line"]): row["reason"] for row in answer.get("breaking", ())}
        for item in made:
            found = judged(item, places)
            if show:
                _print_differences(kind, item, places)
            for name in (item.language, kind, "all"):
                yield name, found
            _write(self._root, {path: self._files[item.language][path] for path in item.files})

    def _run(self, *words: str) -> str:
        place = ["--root", str(self._root), "--data-dir", str(self._data)]
        command = [sys.executable, "-P", "-m", "repo_mcp", *words, *place]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise SystemExit(done.stderr)
        return done.stdout


def tree_of(template: Template, name: str, members: list[str]) -> Iterator[tuple[str, str]]:
    """The files of one language, for a type of this name and its members."""
    for path, text in template.files.items():
        filled = text.replace("TYPE", name)
        for mark, member in zip("ABC", members, strict=True):
            filled = filled.replace(f"member{mark}", member)
            filled = filled.replace(f"Member{mark}", member.capitalize())
        yield path.replace("TYPE", name), filled


# the kinds of changes, each with the types that lack something by it
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "added": ("Direct", "Whole", "Big", "Heir"),
    "renamed": ("Direct", "Whole", "Big", "Heir"),
    "removed": (),
    "implementation removed": ("Direct",),
    "implementation below an abstract type removed": ("Whole",),
    "implementation renamed": ("Big",),
    "inherited implementation removed": ("Heir",),
    "implementation with another signature": ("Direct",),
    "override of a default removed": (),
}


def planted(kind: str, template: Template, files: Mapping[str, str], member: str) -> Planted:
    """A change of one kind in one language's files."""
    marks = {
        (name, what): (path, number)
        for path, text in files.items()
        for number, row in enumerate(text.split("\n"), 1)
        for name, what in _MARK.findall(row)
    }
    head = marks["demands", "it"]
    if kind == "added":
        changed = _with_rows(files, head, [_row(files, head), template.added])
    elif kind in {"renamed", "removed"}:
        changed = _with_rows(
            files, head, [_renamed(_row(files, head), member)][: kind == "renamed"]
        )
    else:
        owner = "Default" if kind.startswith("override") else _OWNERS.get(kind, KINDS[kind][0])
        at = marks["own", owner]
        row = _row(files, at)
        if kind.endswith("removed"):
            changed = _with_rows(files, at, [])
        elif kind.endswith("renamed"):
            changed = _with_rows(files, at, [_renamed(row, member)])
        else:
            changed = _with_rows(files, at, [row.replace(*template.parameters)])
    now = {**files, **changed}
    return Planted(template.language, changed, [*_wanted(kind, template, now)])


def _renamed(row: str, member: str) -> str:
    return re.sub(rf"\b({member})(?=\()", r"\1Again", row, count=1, flags=re.IGNORECASE)


# the types whose member is changed where others lack it
_OWNERS: Final = {"inherited implementation removed": "Base"}


def _wanted(
    kind: str, template: Template, files: Mapping[str, str]
) -> Iterator[frozenset[tuple[str, int]]]:
    """The places that a compiler reports; of each the lines that will do."""
    lines: dict[tuple[str, str], set[tuple[str, int]]] = defaultdict(set)
    for path, text in files.items():
        for number, row in enumerate(text.split("\n"), 1):
            for what, name in _MARK.findall(row):
                lines[what, name].add((path, number))
    for name in KINDS[kind]:
        own = lines["own", name] if kind.endswith("signature") else set()
        yield frozenset(lines["need", name] | lines["half", name] | own)
    if kind in {"renamed", "removed"}:
        yield frozenset(lines["call", "it"])
    if kind in {"renamed", "removed"} and template.marks_overrides:
        for name in ("Direct", "Whole", "Big", *(("Base",) if template.base_is_one else ())):
            yield frozenset(lines["own", name])


def _row(files: Mapping[str, str], at: tuple[str, int]) -> str:
    return files[at[0]].split("\n")[at[1] - 1]


def _with_rows(
    files: Mapping[str, str], at: tuple[str, int], rows: list[str] | tuple[str, ...]
) -> dict[str, str]:
    """The file with other rows in place of one."""
    path, number = at
    old = files[path].split("\n")
    # a decorator goes with what it is of
    first = number - 1 - (not rows and _DECORATOR.fullmatch(old[number - 2]) is not None)
    return {path: "\n".join([*old[:first], *rows, *old[number:]])}


def judged(item: Planted, places: Mapping[tuple[str, int], Any]) -> Counter[str]:
    """The numbers of places that are wanted, that are found of these, named, and too many."""
    own = {place for place in places if place[0].startswith(f"{item.language}/")}
    right = frozenset().union(*item.wanted) if item.wanted else frozenset()
    return Counter(
        wanted=len(item.wanted),
        found=sum(bool(lines & own) for lines in item.wanted),
        named=len(own),
        more=len([place for place in own if place not in right]),
    )


def _print_differences(kind: str, item: Planted, places: Mapping[tuple[str, int], str]) -> None:
    right = frozenset().union(*item.wanted) if item.wanted else frozenset()
    for lines in item.wanted:
        if not lines & places.keys():
            print(f"missed {item.language}, {kind}: {sorted(lines)}", flush=True)
    for place in sorted(places.keys() - right):
        if place[0].startswith(f"{item.language}/"):
            print(f"more {item.language}, {kind}: {place} {places[place]}", flush=True)


def _figures(counts: Counter[str]) -> dict[str, Any]:
    named, wanted = counts["named"], counts["wanted"]
    return {
        "wanted": wanted,
        "recall": round(counts["found"] / wanted, 3) if wanted else None,
        "more": counts["more"],
        "precision": round(1 - counts["more"] / named, 3) if named else None,
    }


def _write(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


if __name__ == "__main__":
    main()
