"""Counts the lists of uses that are said to be complete, and those of them that are.

    python -m bench.graph.complete_lists --keep FOLDER --git FOLDER [--project NAME…]
        [--show N] [--doubts N] [--write]

Each declared function and type of a project of projects.toml is asked for by its place, once by
`repo.symbol` and once by `get_references`, as each answers by default; the oracle of its language
says where it is used. A claim is wrong if the oracle has a use on a line that the answer does not
list. Claims of members that override others (`overriding`) and of members that others override
(`overridden`) are counted apart: an empty list of an overriding member is wrong, too, if what it
overrides is used. `--show` prints wrong claims; `--doubts` what keeps other lists from being
claimed, by kinds, with some examples of those that nothing else keeps; `--write` keeps the counts
in bench/results.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bench.graph.doubts import Doubts, rows, table
from bench.graph.edges import CALLS, IMPLEMENTS, OVERRIDES, REFERENCES, Edge, Truth, Where
from bench.graph.oracles import ORACLES
from bench.graph.projects import Project, project_named, tree
from repo_mcp.app import App
from repo_mcp.budget import Budget
from repo_mcp.settings import read_options

_RESULTS: Final = Path(__file__).parents[1] / "results" / "complete-lists.json"
PROJECTS: Final = (
    "mistune", "paramiko", "yaml", "mobx", "commons-cli", "pflag", "bytes",
    "aho-corasick", "wren", "tinyxml2", "ninja", "slowapi", "ky",
)  # fmt: skip
_KINDS: Final = frozenset({"function", "method", "class", "interface", "type", "enum", "struct"})
_TYPES: Final = frozenset({"class", "type", "struct", "enum"})
_LISTS: Final = ("callers", "tests", "override_uses")
_CHARS: Final = 200_000
_TOOLSETS: Final = "interrogator,codeagent"
_BLOCK: Final = re.compile(r"\s*(?:unsafe )?impl\b")
# the last name of a path, references left out
_PATH: Final = re.compile(r"[\s&'\w]*?(?:\w+::)*(\w+)\s*(?:<|\{|where|$|,)")
# the head of a member of C++ outside of its type: a type, and names up to that of the member
_OUTSIDE: Final = re.compile(r"(?:[\w:<>,*&]+[\s*&]+)*?((?:\w+::)+)~?\w+\s*[(=;{]")
_END_OF_NAME: Final = re.compile(r"[(=;{]")
# a row of subtypes: their names and lines, below the path
_SUBTYPE: Final = re.compile(r" (\d+)(?:, |$)")
_OF_BASE: Final = re.compile(r"\b(?:super|base)\b|\b[A-Z]\w*\.\w+\(self\b")
Lines = list[tuple[str, int]]


class Texts:
    """The lines of a project's files."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lines: dict[str, list[str]] = {}

    def line(self, path: str, number: int) -> str:
        """A line by its number from 1; empty behind the last one."""
        if path not in self._lines:
            text = (self._root / path).read_bytes().decode("utf-8", "replace")
            self._lines[path] = text.split("\n")
        lines = self._lines[path]
        return lines[number - 1] if number <= len(lines) else ""

    def is_super(self, path: str, number: int) -> bool:
        """True for a line that names a member of the base itself: `super().a()`, `Base.a(self)`."""
        return _OF_BASE.search(self.line(path, number)) is not None

    def names(self, edge: Edge) -> bool:
        """True if the name of the target stands at the place."""
        rest = self.line(edge.at.path, edge.at.line)[edge.at.column :]
        return re.match(rf"{re.escape(edge.target.name)}(?!\w)", rest) is not None

    def is_keyword(self, edge: Edge) -> bool:
        """True for `typeof this`, which stands for a type and is no name of it."""
        rest = self.line(edge.at.path, edge.at.line)[edge.at.column :]
        return re.match(r"this\b", rest) is not None

    def is_receiver(self, edge: Edge) -> bool:
        """True for the type that the head of members outside of it names: both are one symbol.

        In Go, Rust and C++ such a head declares what the type has, as its body does elsewhere.
        """
        text = self.line(edge.at.path, edge.at.line)
        if text.startswith("func ("):
            return edge.at.column < text.index(")")
        if block := _BLOCK.match(text):
            return edge.at.column == _self_type(text, block.end())
        outside = _OUTSIDE.match(text)
        if outside is not None and outside.start(1) <= edge.at.column < outside.end(1):
            return True
        is_head = (edge.source.path, edge.source.line) == edge.at[:2]
        rest = _END_OF_NAME.split(text[edge.at.column :])[0].rstrip()
        if edge.at.path.endswith(".rs") and text[: edge.at.column].strip() == "for":
            return True  # a head of several lines
        return is_head and rest.endswith(f"::{edge.source.name}")


def _self_type(head: str, start: int) -> int:
    """The column of the type that a block of Rust is for."""
    depth = 0
    end = start
    for end in range(start, len(head)):
        depth += {"<": 1, ">": -1}.get(head[end], 0)
        if not depth:
            break
    start = end + 1 if head[start : start + 1] == "<" else start
    trait = head.find(" for ", start)
    found = _PATH.match(head, trait + len(" for ") if trait >= 0 else start)
    return found.start(1) if found else -1


@dataclass(slots=True)
class Judgement:
    """The claims of a project, those that are wrong, and the symbols without one."""

    counts: Counter[str] = field(default_factory=lambda: Counter(complete=0, wrong=0))
    wrong: list[tuple[Where, Lines]] = field(default_factory=list)
    # symbols without a claim, each with true if its list does lack a use
    doubts: list[tuple[Where, bool]] = field(default_factory=list)


def main() -> None:
    """Print the counts of each project, and what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, required=True, help="trees, oracles, truth, indexes")
    parser.add_argument("--git", type=Path, help="bare repositories")
    parser.add_argument("--project", action="append", default=[])
    parser.add_argument("--show", type=int, default=10)
    parser.add_argument("--doubts", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    for name in given.project or PROJECTS:
        project = project_named(name)
        root = tree(project, given.keep, given.git)
        truth = ORACLES[project.language](project, root, given.keep)
        app = opened(root, given.keep / "lists" / name)
        judged = judge(app, truth, root)
        print(name, json.dumps(judged.counts), flush=True)
        for where, lines in judged.wrong[: given.show]:
            print(f"  {where}: {', '.join(f'{path}:{line}' for path, line in lines[:3])}")
        if given.doubts:
            for line in rows(table(Doubts(app), judged.doubts), given.doubts):
                print(line)
        if given.write:
            _write(project, judged.counts)


def opened(root: Path, data: Path) -> App:
    """A server over a folder whose whole graph is linked."""
    flags = [("repo_root", str(root)), ("data_dir", str(data)), ("toolsets", _TOOLSETS)]
    app = App(read_options(flags, {}))
    while not ask(app, "repo.refresh_index").get("complete"):
        pass
    background = app.services.running().background  # no tool waits for the whole graph
    background.wait_until_linked(Budget())
    return app


def judge(app: App, truth: Truth, root: Path) -> Judgement:
    """Compare the claims with the uses that an oracle knows."""
    uses = _uses(truth, root)
    judged = Judgement()
    counts = judged.counts
    bases, texts = _bases(truth), Texts(root)
    for where, answer in _answers(app, truth):
        counts["symbols"] += 1
        _judge_references(app, where, answer, uses, bases, texts, judged)
        listed = {(row["path"], row["line"]) for name in _LISTS for row in answer.get(name, ())}
        is_unused = not listed
        for path, _, names in (row.partition(": ") for row in answer.get("subtypes", ())):
            listed |= {(path, int(line)) for line in _SUBTYPE.findall(names)}
        own = range(answer["start_line"], where.line + 1)
        missing = [
            (path, line)
            for path, line in sorted(uses[where] - listed)
            if path != where.path or line not in own
        ]
        if not answer.get("complete_list"):
            judged.doubts.append((where, bool(missing)))
            continue
        counts["complete"] += 1
        counts["without uses"] += is_unused
        if missing:
            judged.wrong.append((where, missing))
            counts["wrong"] += 1
            counts["wrong without uses"] += is_unused
    return judged


def _judge_references(
    app: App,
    where: Where,
    answer: Mapping[str, Any],
    uses: Mapping[Where, set[tuple[str, int]]],
    bases: Mapping[Where, set[Where]],
    texts: Texts,
    judged: Judgement,
) -> None:
    """Judge the list of `get_references` by itself, and claims of what overrides apart."""
    name, counts = f"{where.path}:{where.line}", judged.counts
    found = ask(app, "get_references", node_id=name, limit=200)
    if not found.get("complete_list"):
        return
    listed = {
        (row["seen_in"], int(place.partition(":")[0]))
        for row in found["results"]
        for place in row["places"]
    }
    own = range(answer["start_line"], where.line + 1)
    expected = set(uses.get(where, ()))
    above = bases.get(where, set())
    if above and not listed:
        # of `super` only the base is meant
        of_bases = {line for base in above for line in uses.get(base, ())}
        expected |= {(path, line) for path, line in of_bases if not texts.is_super(path, line)}
    missing = [
        (path, line)
        for path, line in sorted(expected - listed)
        if path != where.path or line not in own
    ]
    kinds = ["references"]
    kinds += ["overriding"] if above else []
    kinds += ["overridden"] if any(where in members for members in bases.values()) else []
    for kind in kinds:
        counts[f"{kind} complete"] += 1
        counts[f"{kind} wrong"] += bool(missing)
    if missing:
        judged.wrong.append((where, missing))


def _bases(truth: Truth) -> Mapping[Where, set[Where]]:
    """The members that each member overrides, directly or not."""
    direct: defaultdict[Where, set[Where]] = defaultdict(set)
    for edge in truth.edges:
        if edge.type == OVERRIDES:
            direct[edge.source].add(truth.same.get(edge.target, edge.target))
    for member in [*direct]:
        pending = [*direct[member]]
        while pending:
            fresh = direct.get(pending.pop(), set()) - direct[member] - {member}
            direct[member] |= fresh
            pending += fresh
    return direct


def _uses(truth: Truth, root: Path) -> defaultdict[Where, set[tuple[str, int]]]:
    uses: defaultdict[Where, set[tuple[str, int]]] = defaultdict(set)
    texts = Texts(root)
    named = {(edge.type, edge.at) for edge in truth.edges if texts.names(edge)}
    for edge in truth.edges:
        # of a name in a macro's arguments an oracle may say the type behind it, too
        is_second = (edge.type, edge.at) in named and not texts.names(edge)
        is_second &= truth.kinds.get(edge.target) in _TYPES
        is_listed = edge.type in (CALLS, REFERENCES) and not texts.is_keyword(edge)
        if is_listed and not is_second and not texts.is_receiver(edge):
            uses[truth.same.get(edge.target, edge.target)].add((edge.at.path, edge.at.line))
    for edge in truth.edges:  # an answer lists subtypes by their declarations
        if edge.type == IMPLEMENTS:
            uses[truth.same.get(edge.target, edge.target)].discard((edge.at.path, edge.at.line))
    return uses


def _answers(app: App, truth: Truth) -> Iterator[tuple[Where, Mapping[str, Any]]]:
    """The answer for each declaration that is found at its place."""
    for where, kind in sorted(truth.kinds.items()):
        if kind in _KINDS and where.line and where not in truth.same:
            name = f"{where.path}:{where.line}"
            answer = ask(app, "repo.symbol", name=name, callers_only=True, max_chars=_CHARS)
            last = answer.get("name", "").replace("::", ".").rpartition(".")[2]
            if answer.get("path") == where.path and last == where.name:
                yield where, answer


def ask(app: App, tool: str, **arguments: object) -> Mapping[str, Any]:
    """The data of a tool's answer."""
    content = app.call(tool, arguments, lambda: False)["structuredContent"]
    result: Mapping[str, Any] = content.get("result") or content
    return result


def _write(project: Project, counts: Mapping[str, int]) -> None:
    known = json.loads(_RESULTS.read_text("utf-8")) if _RESULTS.exists() else {}
    known[project.name] = {"language": project.language, **dict(sorted(counts.items()))}
    _RESULTS.write_text(json.dumps(dict(sorted(known.items())), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
