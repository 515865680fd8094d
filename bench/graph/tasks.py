"""Asks tasks as a benchmark of code search asks them, and scores the answers by oracles.

    python -m bench.graph.tasks --keep FOLDER --git FOLDER [--project NAME…] [--show N] [--write]

pyright's and TypeScript's language servers say what is right; nothing is chosen by hand. Of a
project the first by the hash of their place are asked about:

* definition: a name where it is used; right is the file and line of what it means
  (`get_dependencies` of the place, the target of the edge there);
* references: a function, method or type that is used; right are all lines with a use, imports
  among them (`get_references`, all pages);
* dependencies: a file; right are the files of the project that it imports (`get_dependencies` by
  `imports`, the rows that are files);
* dependents: a file; right are the files that import it (`get_dependents` by `imports`);
* dead code: one task; right are the functions and types of a module, outside of tests, that nothing
  but themselves names, decorated ones, `main` and names in double underscores left out, and what
  pyright can't tell (`repo-mcp unused --public --kind function --kind class …`). What a package
  exports by name is named there.

A score is F1 over the items of a task; of an empty list that is right it is 1. Figures are means
over tasks.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from statistics import mean
from typing import Any, Final, NamedTuple

from bench.graph.complete_lists import Texts, ask, opened
from bench.graph.edges import CALLS, REFERENCES, At, Truth, Where
from bench.graph.oracles import ORACLES
from bench.graph.projects import Project, project_named, tree
from bench.graph.task_oracles import ANSWERS, Answers
from code_graph.paths.path_kinds import is_test
from repo_mcp.app import App

_RESULTS: Final = Path(__file__).parents[1] / "results" / "graph-tasks.json"
# those that may be tuned on come first
PROJECTS: Final = ("mistune", "yaml", "paramiko", "mobx")
KINDS: Final = frozenset({"function", "method", "class", "interface", "type", "enum"})
# kinds of declarations that may be dead, in the oracle's words and in ours
_DEAD: Final = frozenset({"function", "class", "interface", "type", "enum"})
_KINDS_OF_DEAD: Final = ("function", "class", "interface", "type")
_MOST: Final = 60
_PAGE: Final = 200
_ENTRY_POINTS: Final = frozenset({"main"})


class Task(NamedTuple):
    """A question, what is right, and what was answered."""

    kind: str
    question: str
    right: frozenset[Any]
    answer: frozenset[Any]

    @property
    def score(self) -> float:
        """The harmonic mean of precision and recall."""
        if not self.right and not self.answer:
            return 1.0
        return 2 * len(self.right & self.answer) / (len(self.right) + len(self.answer))


def main() -> None:
    """Print the means of each project and kind, and the worst tasks."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, required=True, help="trees, oracles, truth, indexes")
    parser.add_argument("--git", type=Path, help="bare repositories")
    parser.add_argument("--project", action="append", default=[])
    parser.add_argument("--show", type=int, default=0, metavar="N")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    for name in given.project or PROJECTS:
        project = project_named(name)
        root = tree(project, given.keep, given.git)
        tasks = [*_tasks(project, root, given.keep)]
        row = _means(tasks)
        print(name, json.dumps(row), flush=True)
        for task in sorted(tasks, key=lambda task: task.score)[: given.show]:
            _show(task)
        if given.write:
            _write(project, row)


def _tasks(project: Project, root: Path, keep: Path) -> Iterator[Task]:
    truth = ORACLES[project.language](project, root, keep)
    declared = sorted(
        where
        for where, kind in truth.kinds.items()
        if kind in KINDS and where.line and where not in truth.same
    )
    answers = ANSWERS[project.language](project, root, keep, declared)
    data = keep / "lists" / project.name
    app = opened(root, data)
    yield from _definitions(app, Texts(root), truth)
    yield from _references(app, truth, answers)
    yield from _dependencies(app, answers)
    yield _dead_code(root, data, truth, answers)


def _definitions(app: App, texts: Texts, truth: Truth) -> Iterator[Task]:
    right: dict[At, set[Where]] = {}
    for edge in truth.edges:
        if edge.type in (CALLS, REFERENCES) and edge.target.line:
            right.setdefault(edge.at, set()).add(edge.target)
    same: dict[Where, set[Where]] = {}
    for part, whole in truth.same.items():
        same.setdefault(whole, set()).add(part)
    for at in _chosen(right):
        rows = _rows(app, "get_dependencies", f"{at.path}:{at.line}")
        place = f"{at.line}:{at.column + 1}"
        # of a class and its constructor, or of several parts of a symbol, one is asked for
        known = right[at].union(*(same.get(one, ()) for one in right[at]))
        found = {
            _named(known, texts, Where(row["file_path"], row["line_start"], row["name"]))
            for row in rows
            if row["seen_in"] == at.path and place in row["places"]
        }
        hit = found & known
        yield Task("definition", str(at), frozenset(hit or right[at]), frozenset(hit or found))


def _named(known: Iterable[Where], texts: Texts, found: Where) -> Where:
    """The declaration that begins at a line; decorators may stand before the line of its name."""
    is_decorated = texts.line(found.path, found.line).lstrip().startswith("@")
    for where in known if is_decorated else ():
        if (where.path, where.name) == (found.path, found.name) and where.line > found.line:
            return where
    return found


def _references(app: App, truth: Truth, answers: Answers) -> Iterator[Task]:
    used = {where: {*places} for where, places in answers.references.items()}
    for part, whole in truth.same.items():  # other declarations of a symbol are no uses
        used.get(whole, set()).discard(part[:2])
    for where in _chosen(where for where, places in used.items() if places):
        rows = _rows(app, "get_references", f"{where.path}:{where.line}")
        found = {
            (row["seen_in"], int(place.partition(":")[0]))
            for row in rows
            for place in row["places"]
            if row["seen_in"] in answers.imports
        }
        found.discard(where[:2])
        yield Task("references", str(where), frozenset(used[where]), frozenset(found))


def _dependencies(app: App, answers: Answers) -> Iterator[Task]:
    importers: dict[str, set[str]] = {path: set() for path in answers.imports}
    for path, imported in answers.imports.items():
        for other in imported - {path}:
            importers.setdefault(other, set()).add(path)
    for path in _chosen(answers.imports):
        out = _rows(app, "get_dependencies", path, edge_type="imports")
        found = {row["file_path"] for row in out if row["node_type"] == "file"} - {path}
        right = frozenset(answers.imports[path] - {path})
        yield Task("dependencies", path, right, frozenset(found))
        into = _rows(app, "get_dependents", path, edge_type="imports")
        found = {row["seen_in"] for row in into} & answers.imports.keys() - {path}
        yield Task("dependents", path, frozenset(importers[path]), frozenset(found))


def _dead_code(root: Path, data: Path, truth: Truth, answers: Answers) -> Task:
    candidates = {
        where[:2]
        for where, places in answers.references.items()
        if truth.kinds[where] in _DEAD
        and where in answers.at_top - answers.unsure
        and not is_test(where.path)
        and where.name not in _ENTRY_POINTS
        and not where.name.startswith("__")
    }
    right = {where[:2] for where, places in answers.references.items() if not places} & candidates
    options = ["--public", "--limit", "100000", "--json"]
    options += [part for kind in _KINDS_OF_DEAD for part in ("--kind", kind)]
    folders = ["--repo-root", str(root), "--data-dir", str(data)]
    command = [sys.executable, "-P", "-m", "repo_mcp", "unused", *options, *folders]
    text = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    rows = json.loads(text)["results"]
    found = {(row["file_path"], row["line_start"]) for row in rows} & candidates
    return Task("dead code", str(root.name), frozenset(right), frozenset(found))


def _chosen(places: Iterable[Any]) -> list[Any]:
    """The first by the hash of their place."""
    return sorted(places, key=lambda each: sha256(str(each).encode()).digest())[:_MOST]


def _rows(app: App, tool: str, name: str, **arguments: object) -> list[dict[str, Any]]:
    """The rows of all pages of an answer."""
    rows: list[dict[str, Any]] = []
    cursor = ""
    while True:
        more = {"cursor": cursor} if cursor else {}
        answer = ask(app, tool, node_id=name, limit=_PAGE, **arguments, **more)
        rows += answer.get("results", ())
        cursor = answer.get("cursor", "")
        if not cursor:
            return rows


def _means(tasks: Iterable[Task]) -> dict[str, Any]:
    by_kind: dict[str, list[Task]] = {}
    for task in tasks:
        by_kind.setdefault(task.kind, []).append(task)
    return {
        kind: {
            "tasks": len(group),
            "items": sum(len(task.right) for task in group),
            "f1": round(mean(task.score for task in group), 3),
        }
        for kind, group in by_kind.items()
    }


def _show(task: Task) -> None:
    print(f"  {task.kind} {task.question}: {task.score:.2f}")
    print(f"    missing {sorted(task.right - task.answer)[:4]}")
    print(f"    wrong {sorted(task.answer - task.right)[:4]}")


def _write(project: Project, row: dict[str, Any]) -> None:
    known = json.loads(_RESULTS.read_text("utf-8")) if _RESULTS.exists() else {}
    known[project.name] = {"language": project.language, **row}
    _RESULTS.write_text(json.dumps(dict(sorted(known.items())), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
