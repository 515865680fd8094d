"""Plants breaking changes, and compares the places that a review names with a compiler's errors.

    python -m bench.changes LANGUAGE CHECKOUT --keep FOLDER --below PATH… [--count N] [--seed N]
        [--together N] [--build OPTIONS]… [--fresh N] [--truth-only] [--minutes N]
        [--differences N] [--record SPLIT]

Languages are python (pyright), typescript (tsc), go (go/types), c (gcc) and java (javac);
`FOLDER/node` has pyright and typescript by npm, and `FOLDER/node/jars` what Java code needs. C is
compiled with each of the options of `--build` in turn. A checkout is restored after each change,
and what a checker said is kept in `FOLDER/truth`. `--together N` makes changes of several files at
once. Of each change the lines count that the checker reports, and did not before, outside of the
changed declaration; of the places that are named, those that it reads. Lines that are two apart
are those of one call, as are those where its arguments begin. A name that nothing uses is named
where the review lists it as unused. Of places that mean another declaration now a checker says
nothing where that goes, and they count where it does. `--fresh N` compares checkers that stay up
with ones that start anew, at each Nth change.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench import machine
from bench.changes.checkers import CHECKERS, FRESH, Checked, Checker, Line
from bench.changes.planting import PlantedChange, planted
from bench.changes.reported import Spans, near
from bench.changes.reviewing import Reviewing
from code_graph.paths.path_kinds import is_test
from repo_mcp.changes import BREAKS, MEANS_OTHER, ChangeReview
from repo_mcp.changes.sides import LineChanges

_RESULT: Final = "changes"
_ENDINGS: Final = {"python": ".py", "typescript": ".ts", "go": ".go", "c": ".c", "java": ".java"}
# changes after which what was said is written
_AT_ONCE: Final = 20
# of what the checkers are asked
_VERSIONS: Final = {"python": 2, "typescript": 2, "go": 2}


# changes of different files that are made at once
_Changes = tuple[PlantedChange, ...]


class _Judged(NamedTuple):
    changes: _Changes
    wanted: frozenset[Line]
    # places, each with the lines at which a checker may report it
    named: dict[Line, frozenset[Line]]
    sure: frozenset[Line]
    # named places that the checker does not read
    unread: int
    # places that are said to go on with another declaration, and do
    others: int
    # names that are said to be used no more
    listed: frozenset[Line]
    causes: frozenset[Line]
    reasons: frozenset[tuple[str, int, str]]


def main() -> None:
    """Print the figures of one checkout."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", choices=sorted(CHECKERS))
    parser.add_argument("root", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--below", nargs="+", default=["."], help="folders whose functions change")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--together", type=int, default=1, help="changes that are made at once")
    parser.add_argument("--build", action="append", default=[], help="options of a C compiler")
    parser.add_argument("--fresh", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=math.inf, help="judge no longer")
    parser.add_argument("--truth-only", action="store_true")
    parser.add_argument("--differences", type=int, default=0)
    parser.add_argument("--record", choices=("tune", "held-out"))
    options = parser.parse_args()
    root = options.root.resolve()
    truth = _Truth(options.language, root, options.keep, options.build, options.fresh)
    changes = [*_together(_planted(root, options), options.together)]
    truth.read(changes)
    if options.truth_only:
        return
    judged: list[_Judged] = []
    until = time.monotonic() + 60 * options.minutes
    for item in _Trial(root, options.keep, truth).judged(changes):
        judged.append(item)
        if len(judged) <= options.differences:
            _print_differences(root, item)
        if time.monotonic() > until:
            break
    figures = _figures(judged)
    print(root.name, figures)
    if options.record:
        stored = dict(machine.stored(_RESULT))
        recorded = {"split": options.record, **figures}
        machine.keep(_RESULT, dict(sorted({**stored, root.name: recorded}.items())))
    sys.stdout.flush()
    os._exit(0)  # threads of the server keep the process


def _planted(root: Path, options: argparse.Namespace) -> Iterator[PlantedChange]:
    paths = [
        str(path.relative_to(root))
        for folder in options.below
        for path in sorted((root / folder).rglob(f"*{_ENDINGS[options.language]}"))
        if not is_test(str(path.relative_to(root))) and "node_modules" not in path.parts
    ]
    return islice(planted(root, paths, options.seed), options.count)


def _together(changes: Iterable[PlantedChange], most: int) -> Iterator[_Changes]:
    """The changes in groups of at most so many, each in a file of its own."""
    open_groups: list[dict[str, PlantedChange]] = []
    for change in changes:
        group = next((item for item in open_groups if change.path not in item), None)
        if group is None:
            group = {}
            open_groups.append(group)
        group[change.path] = change
        if len(group) == most:
            open_groups.remove(group)
            yield tuple(group.values())
    yield from (tuple(group.values()) for group in open_groups)


class _Truth:
    """The errors that a checker reports of each change of a tree; they are kept for later runs."""

    def __init__(
        self, language: str, root: Path, keep: Path, builds: Sequence[str], fresh: int
    ) -> None:
        self._language, self._root, self._builds = language, root, builds
        self._tools = keep / "node"
        self._every = fresh
        folder = keep / "truth"
        folder.mkdir(parents=True, exist_ok=True)
        self._place = folder / f"changes-{root.name}-{_VERSIONS.get(language, 1)}.json"
        self._known: dict[str, Any] = {}
        if self._place.exists():
            self._known = json.loads(self._place.read_text())

    def of(self, changes: _Changes) -> Checked:
        """The report of changes; of none, that of before any."""
        found, first = self._known[_key(changes)], self._known[_key(())]
        errors, causes, behind, unused = (
            frozenset(map(tuple, found.get(name, ())))
            for name in ("errors", "causes", "behind", "unused")
        )
        hidden: frozenset[Line] = frozenset(map(tuple, first["hidden"]))
        return Checked(errors, frozenset(first["files"]), hidden, causes, behind, unused)

    def read(self, groups: Sequence[_Changes]) -> None:
        """Ask about changes that nothing was said of yet."""
        left = [item for item in ((), *groups) if _key(item) not in self._known]
        if not left and not self._every:
            return
        check = CHECKERS[self._language](self._root, self._tools, self._builds)
        for number, changes in enumerate(((), *groups)):
            is_compared = self._every and number % self._every == 0
            if changes in left or is_compared:
                with _Applied(self._root, changes):
                    said = self._said(check, is_compared=bool(is_compared))
                # files are those of before any change
                names = ("errors", "causes", "behind", "unused") if changes else Checked._fields
                self._known[_key(changes)] = {name: said[name] for name in names}
                if number % _AT_ONCE == 0:
                    self._keep()
        self._keep()
        if (close := getattr(check, "close", None)) is not None:
            close()

    def _keep(self) -> None:
        part = self._place.with_suffix(".part")
        part.write_text(json.dumps(self._known))
        part.replace(self._place)

    def _said(self, check: Checker, *, is_compared: bool) -> dict[str, Any]:
        found = check()
        fresh = FRESH.get(self._language)
        if is_compared and fresh is not None:
            anew = fresh(self._root, self._tools)
            lacking, more = sorted(anew - found.errors), sorted(found.errors - anew)
            # what depends on a package with errors is not built
            if lacking or (more and self._language != "go"):
                raise SystemExit(f"started anew it says {lacking} more, and not {more}")
        return {name: sorted(getattr(found, name)) for name in found._fields}


class _Applied:
    """Changes that are in the checkout for a while."""

    def __init__(self, root: Path, changes: _Changes) -> None:
        self._new = {root / change.path: change.text for change in changes}
        self._old: dict[Path, bytes] = {}

    def __enter__(self) -> None:
        """Write them."""
        for place, text in self._new.items():
            self._old[place] = place.read_bytes()
            place.write_text(text)

    def __exit__(self, *_: object) -> None:
        """Restore the files."""
        for place, text in self._old.items():
            place.write_bytes(text)


def _key(changes: _Changes) -> str:
    texts = [f"{change.path}\n{change.text}" for change in changes]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:24] if texts else ""


class _Trial:
    """Changes of one checkout."""

    def __init__(self, root: Path, keep: Path, truth: _Truth) -> None:
        self._root = root
        self._truth = truth
        self._reviewing = Reviewing(root, keep / "data" / root.name)

    def judged(self, groups: Iterable[_Changes]) -> Iterator[_Judged]:
        """The changes with what the compiler and the review say."""
        for changes in groups:
            olds = [(self._root / change.path).read_bytes() for change in changes]
            with _Applied(self._root, changes):
                started = time.perf_counter()
                review = self._reviewing.review()
                seconds = time.perf_counter() - started
                spans = Spans(self._root)
                places = {(item.path, item.line): spans.of(item) for item in review.places or ()}
            print(f"{changes[0].name} …: {seconds:.1f} s", file=sys.stderr, flush=True)
            lines = [
                LineChanges(old, change.text.encode())
                for old, change in zip(olds, changes, strict=True)
            ]
            yield self._one(changes, lines, review, places)

    def _one(
        self,
        changes: _Changes,
        lines: Sequence[LineChanges],
        review: ChangeReview,
        places: dict[Line, frozenset[Line]],
    ) -> _Judged:
        before, said = self._truth.of(()), self._truth.of(changes)
        moved = {change.path: item for change, item in zip(changes, lines, strict=True)}
        known = {
            (path, moved[path].new_line(line) if path in moved else line)
            for path, line in before.errors | before.behind | before.unused
        }
        own = {
            (change.path, line)
            for change in changes
            for line in _own_lines(change, moved[change.path])
        }
        wanted = (said.errors | said.behind | said.unused) - known - own
        hidden = {
            (path, moved[path].new_line(line) if path in moved else line)
            for path, line in said.hidden
        }
        read = {
            place: lines
            for place, lines in places.items()
            if place not in own
            and ((place[0] in said.files and place not in hidden) or place in wanted)
        }
        claimed = {(it.path, it.line) for it in review.places or () if it.verdict != MEANS_OTHER}
        named = {place: at for place, at in read.items() if place in claimed or at & wanted}
        sure = {(item.path, item.line) for item in review.places or () if item.verdict == BREAKS}
        return _Judged(
            changes,
            wanted,
            named,
            frozenset(sure & named.keys()),
            len(places.keys() - own) - len(read),
            len(read) - len(named),
            frozenset((item.path, item.line) for item in review.unused or ()),
            said.causes,
            frozenset((item.path, item.line, item.reason) for item in review.places or ()),
        )


def _own_lines(change: PlantedChange, lines: LineChanges) -> Iterator[int]:
    """The new lines of what has changed: the declaration, and other lines that are written anew."""
    for line in range(change.first, change.last + 1):
        if at := lines.new_line(line):
            yield at
    for hunk in lines.hunks:
        yield from range(hunk.new + 1, max(hunk.new_end, hunk.new + 1) + 1)


def _print_differences(root: Path, item: _Judged) -> None:
    for change in item.changes:
        print(f"{change.kind} {change.name} {change.path}:{change.first}")
    texts = {change.path: change.text for change in item.changes}
    reasons = {(path, line): why for path, line, why in item.reasons}
    missed, more = sorted(item.wanted - _reported(item)), sorted({*item.named} - _right(item))
    for name, lines in (("missed", missed), ("more", more)):
        for path, line in lines:
            rows = (texts.get(path) or (root / path).read_text("utf-8")).splitlines()
            text = rows[line - 1].strip()[:110]
            why = reasons.get((path, line), "")
            print(f"  {name} {path}:{line}: {text}  <{why}>", flush=True)


def _reported(item: _Judged) -> frozenset[Line]:
    """The lines at which what is named may be reported."""
    listed = [near(line) for line in item.listed]
    return frozenset().union(*item.named.values(), *listed)


def _right(item: _Judged) -> frozenset[Line]:
    """The named places that are reported."""
    reported = item.wanted | item.causes
    return frozenset(place for place, lines in item.named.items() if lines & reported)


def _figures(judged: Sequence[_Judged]) -> dict[str, object]:
    wanted = sum(len(item.wanted) for item in judged)
    named = sum(len(item.named) for item in judged)
    sure = sum(len(item.sure) for item in judged)
    found = sum(len(item.wanted & _reported(item)) for item in judged)
    fitting = sum(len(_right(item)) for item in judged)
    surely = [frozenset().union(*map(item.named.__getitem__, item.sure)) for item in judged]
    found_surely = sum(len(item.wanted & own) for item, own in zip(judged, surely, strict=True))
    right = sum(len(item.sure & _right(item)) for item in judged)
    return {
        "changes": sum(len(item.changes) for item in judged),
        "lines": wanted,
        "recall": round(found / max(wanted, 1), 3),
        "precision": round(fitting / max(named, 1), 3),
        "precision of breaks": round(right / max(sure, 1), 3),
        "recall of breaks": round(found_surely / max(wanted, 1), 3),
        "missed": wanted - found,
        "more": named - fitting,
        "not read": sum(item.unread for item in judged),
        "mean another": sum(item.others for item in judged),
    }


if __name__ == "__main__":
    main()
