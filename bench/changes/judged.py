"""Asks for reviews of one checkout, and compares the tests that they choose with those needed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.changes.suites import Suite, Test
from repo_mcp.app import App
from repo_mcp.settings import read_options

_MOST_WAITS: Final = 100
_MOST_TRIES: Final = 4
_MOST_CHARS: Final = 2_000_000
_MOST_SHOWN: Final = 4


class Choice(NamedTuple):
    """The tests that a review chooses, the sure ones of these, and why, by file."""

    tests: frozenset[Test]
    sure: frozenset[Test]
    reasons: dict[Test, list[str]]


class Judged(NamedTuple):
    """One change, the tests that run it, and those that are chosen."""

    name: str
    needed: frozenset[Test]
    choice: Choice
    suite: Suite


class Reviews:
    """Asks for reviews of a checkout."""

    def __init__(self, root: Path, keep: Path) -> None:
        given = {
            "repo_root": root,
            "data_dir": keep / "data" / root.name,
            "max_total_bytes_per_response": _MOST_CHARS,
        }
        self._app = App(read_options([(name, str(value)) for name, value in given.items()]))
        self.refresh()

    def refresh(self) -> None:
        """Index and link the files as they are now."""
        while not self._ask("repo.refresh_index", {}).get("complete"):
            pass
        for _ in range(_MOST_WAITS):  # each waits a while for the graph of all files
            notes = self._ask("repo.changes", {}).get("notes", ())
            if not any("still being linked" in note for note in notes):
                return
        raise SystemExit("the graph of all files is not linked")

    def choice(self, asked: dict[str, object], suite: Suite) -> Choice:
        """The tests of a suite that the review of a change chooses."""
        by_file: defaultdict[str, set[str]] = defaultdict(set)
        for path, name in suite.seconds:
            by_file[path].add(name)
        found: set[Test] = set()
        sure: set[Test] = set()
        reasons: defaultdict[Test, list[str]] = defaultdict(list)
        for entry in self._whole(asked).get("tests", []):
            path, names = entry["path"], {*entry.get("names", ())}
            # a suite that runs file by file knows no names
            those = {
                (path, name)
                for name in by_file.get(path, ())
                if not names or not name or name in names
            }
            found |= those
            sure |= those if entry["sure"] else set()
            for test in those:
                reasons[test] += entry["reasons"]
        return Choice(frozenset(found), frozenset(sure), reasons)

    def _whole(self, asked: dict[str, object]) -> dict[str, Any]:
        """The answer when all is linked in time, if it is once: other work may use the machine."""
        found: dict[str, Any] = {}
        for _ in range(_MOST_TRIES):
            found = self._ask("repo.changes", asked)
            if not any("in time" in note for note in found.get("notes", ())):
                break
        return found

    def _ask(self, tool: str, asked: dict[str, object]) -> dict[str, Any]:
        limits = {"max_chars": _MOST_CHARS} if tool == "repo.changes" else {}
        answer = self._app.call(tool, {**limits, **asked}, lambda: False)["structuredContent"]
        if not answer["ok"]:
            raise SystemExit(str(answer))
        result: dict[str, Any] = answer["result"]
        return result


def recall(item: Judged) -> float:
    """The share of the needed tests that is chosen."""
    return len(item.choice.tests & item.needed) / len(item.needed)


def tell(item: Judged) -> None:
    """Print what is missed, and what is chosen for nothing, with the reasons."""
    tests = item.choice.tests
    share = _share(tests, item.suite), _share(item.needed, item.suite)
    print(f"{recall(item):.2f} {item.name}: {share[0]:.2f} of the time, {share[1]:.2f} needed")
    missed = sorted(item.needed - tests)
    print("  missed", len(missed), "of", len(item.needed), missed[:_MOST_SHOWN])
    spent: defaultdict[str, float] = defaultdict(float)
    for test in tests - item.needed:
        spent[item.choice.reasons[test][0]] += _share(frozenset({test}), item.suite)
    costly = sorted(spent.items(), key=lambda pair: -pair[1])[:_MOST_SHOWN]
    print("  more", [f"{part:.2f} {reason}" for reason, part in costly])


def figures(judged: Sequence[Judged]) -> dict[str, object]:
    """The figures of all changes of a project."""
    needed = [_share(item.needed, item.suite) for item in judged]
    only = [item._replace(choice=item.choice._replace(tests=item.choice.sure)) for item in judged]
    return {
        "tests": max(len(item.suite.seconds) for item in judged),
        "time_share_needed": round(sum(needed) / len(needed), 3),
        **_figures_of(judged),
        "sure": _figures_of(only),
    }


def _share(tests: frozenset[Test], suite: Suite) -> float:
    return sum(suite.seconds[test] for test in tests) / (sum(suite.seconds.values()) or 1.0)


def _figures_of(judged: Sequence[Judged]) -> dict[str, float]:
    right = sum(len(item.choice.tests & item.needed) for item in judged)
    wanted = sum(len(item.needed) for item in judged)
    chosen = sum(len(item.choice.tests) for item in judged)
    files = [
        {path for path, _ in item.needed} <= {path for path, _ in item.choice.tests}
        for item in judged
    ]
    tests = [len(item.choice.tests) / len(item.suite.seconds) for item in judged]
    share = [_share(item.choice.tests, item.suite) for item in judged]
    return {
        "recall_macro": round(sum(map(recall, judged)) / len(judged), 3),
        "recall_micro": round(right / wanted, 3),
        "precision": round(right / max(chosen, 1), 3),
        "all_files": round(sum(files) / len(files), 3),
        "test_share": round(sum(tests) / len(tests), 3),
        "time_share": round(sum(share) / len(share), 3),
    }
