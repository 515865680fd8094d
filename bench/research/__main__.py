"""Asks research questions about real repositories, and compares the answers with the sources.

    python -m bench.research --mirror DIR [--keep FOLDER] [--repository NAME …] [--depth N] [--show]

DIR holds bare repositories as OWNER+NAME/repo. The answers in `questions.toml` were found by
searching for the names as text, and reading every hit; the symbol graph had no part in it. Recall
is the share of these places among the evidence. A direct finding whose place is no answer is
wrong, and so is an edge of any hop or chain whose line does not name its target: such edges are
counted as invented. To conclude: recall is at least .95, and nothing is invented.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.research.trees import checkout
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.budget import Budget
from repo_mcp.cli.graph.open_graph import CommandGraph
from repo_mcp.repository import OutdatedFiles
from repo_mcp.research import EdgeEvidence, Report, Research, Sources, research
from repo_mcp.services import services
from repo_mcp.settings import Options

_QUESTIONS: Final = Path(__file__).parent / "questions.toml"
_LEAST_RECALL: Final = 0.95
_WORD: Final = re.compile(r"\w+")
_ALIAS: Final = re.compile(r"^(\w+) = (\w+)$", re.MULTILINE)
# what stands for a constructor or for the own type in a line that calls it
_IMPLICIT: Final = frozenset({"this", "base", "super", "self", "Self", "new", "init", "cls"})
_CONSTRUCTORS: Final = frozenset({"init", "constructor", "__init__"})


class Score(NamedTuple):
    """Numbers of expected items in an answer, of those missing, and of wrong ones."""

    expected: int
    found: int
    wrong: Sequence[str]
    invented: Sequence[str]
    edges: int


def main() -> None:
    """Run the command line; the exit code is 1 if a threshold is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="keeps trees and indexes for the next run")
    parser.add_argument("--repository", action="append", help="only this one; may be repeated")
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="list what is missing or wrong")
    args = parser.parse_args()
    data = tomllib.loads(_QUESTIONS.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as made:
        scores = [*_run(args, data, args.keep or Path(made))]
    expected, found = sum(item.expected for item in scores), sum(item.found for item in scores)
    wrong = sum(len(item.wrong) for item in scores)
    invented = sum(len(item.invented) for item in scores)
    edges = sum(item.edges for item in scores)
    recall = found / expected if expected else 1.0
    print(
        f"{len(scores)} questions: recall {recall:.3f} ({found} of {expected}), {wrong} wrong,"
        f" {invented} invented of {edges} edges"
    )
    sys.exit(recall < _LEAST_RECALL or bool(wrong or invented))


def _run(args: argparse.Namespace, data: Mapping[str, Any], keep: Path) -> Iterator[Score]:
    for repository in data["repository"]:
        name = repository["name"]
        if args.repository and name not in args.repository:
            continue
        tree = checkout(args.mirror, repository, keep)
        indexes = keep / "data" / tree.name
        options = Options(str(tree), str(indexes), watch=False)
        opened = CommandGraph(services(options), refresh=True)
        for question in data["question"]:
            if question["repository"] != name:
                continue
            ask = partial(_ask, question["text"], args.depth)
            began = time.process_time()
            report = opened.answer(ask, lambda _: OutdatedFiles())
            spent = time.process_time() - began
            score = _score(report, question, tree)
            print(
                f"{score.found:3} of {score.expected:3}, {len(score.wrong)} wrong,"
                f" {len(score.invented)} invented of {score.edges:4}, {1000 * spent:4.0f} ms:"
                f" {repository['language']}: {question['text']}"
            )
            if args.show:
                for kind, places in (("wrong", score.wrong), ("invented", score.invented)):
                    for place in places:
                        print(f"      {kind} {place}")
                for place in sorted(_expected(question) - _places(report)):
                    print(f"      missing {place}")
            yield score


def _ask(text: str, depth: int, graph: GraphSnapshot) -> Report:
    return research(Sources(graph, lambda _text, _limit: ()), Research(text, depth), Budget())


def _expected(question: Mapping[str, Any]) -> set[str]:
    return {
        *question.get("truth", ()),
        *question.get("second", ()),
        *question.get("chain", ()),
    }


def _score(report: Report, question: Mapping[str, Any], tree: Path) -> Score:
    expected = _expected(question)
    found = expected & _places(report)
    direct = (
        {_place(item) for finding in report.hops[0].findings for item in finding.evidence}
        if report.hops
        else set()
    )
    truth = {*question.get("truth", ())}
    wrong = sorted(direct - truth) if truth else []
    chain = question.get("chain")
    if chain:
        shown = [[_place(step.evidence) for step in item.steps] for item in report.chains]
        if chain not in shown:
            wrong.append(f"no chain over {', '.join(chain)}")
    invented = [*_invented(report, tree)]
    return Score(len(expected), len(found), wrong, invented, len([*_edges(report)]))


def _places(report: Report) -> set[str]:
    return {_place(item) for item, _, _ in _edges(report)}


def _edges(report: Report) -> Iterator[tuple[EdgeEvidence, str, str]]:
    """All edges that are shown: their places, and the names and types of their targets."""
    for hop in report.hops:
        for finding in hop.findings:
            target = finding.node if finding.forward else finding.other
            if target is not None:
                for item in finding.evidence:
                    yield item, target.name, target.node_type
    for chain in report.chains:
        for step in chain.steps:
            yield step.evidence, step.target.name, step.target.node_type


def _invented(report: Report, tree: Path) -> Iterator[str]:
    """Edges whose line does not name their target."""
    aliases = _aliases(tree)
    for item, name, node_type in _edges(report):
        lines = (tree / item.path).read_text("utf-8", "replace").split("\n")
        words = {*_WORD.findall(lines[item.line - 1])} if item.line <= len(lines) else set()
        parts = name.replace("#", "").split(".")
        wanted = {parts[-1]}
        if node_type == "class":
            wanted |= {"new"}  # of the type that is expected
        if node_type == "constructor" or parts[-1] in _CONSTRUCTORS:
            wanted |= {*parts[-2:], *_IMPLICIT}
        if item.edge_type in {"overrides", "inherits", "implements", "extends"}:
            wanted |= {*parts}
        wanted |= {other for known in [*wanted] for other in aliases.get(known, ())}
        if not wanted & words:
            yield f"{_place(item)} {item.edge_type} {name}"


def _aliases(tree: Path) -> Mapping[str, set[str]]:
    """Second names of each name: `Int = Integer` on a line of its own."""
    found: dict[str, set[str]] = {}
    for path in sorted(tree.rglob("*.py")):
        for own, other in _ALIAS.findall(path.read_text("utf-8", "replace")):
            found.setdefault(other, set()).add(own)
    return found


def _place(item: EdgeEvidence) -> str:
    return f"{item.path}:{item.line}"


if __name__ == "__main__":
    main()
