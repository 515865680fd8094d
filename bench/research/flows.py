"""Asks how things flow in real repositories, and counts the steps that the first answer shows.

    python -m bench.research.flows --mirror DIR [--keep FOLDER] [--repository NAME …] [--show]

DIR holds bare repositories as OWNER+NAME/repo. `flows.toml` has the functions on each way, read
from the sources, and says what each repository was used for. A step is shown if the answer has the
line that declares the function. Asked are `repo.build_context_bundle` and `code_research`, with the
graph linked before. To conclude: the bundle shows at least .7 of all steps.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from bench.research.trees import checkout
from repo_mcp.app import App
from repo_mcp.cli.graph.open_graph import CommandGraph
from repo_mcp.repository import OutdatedFiles
from repo_mcp.services import services
from repo_mcp.settings import Options

_QUESTIONS: Final = Path(__file__).parent / "flows.toml"
_LEAST_SHOWN: Final = 0.7
_PLACE: Final = re.compile(r"[\w./-]+\.\w+:\d+")
_TOOLS: Final = ("repo.build_context_bundle", "code_research")


def main() -> None:
    """Run the command line; the exit code is 1 if the threshold is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="keeps trees and indexes for the next run")
    parser.add_argument("--repository", action="append", help="only this one; may be repeated")
    parser.add_argument("--show", action="store_true", help="list the steps that are missing")
    args = parser.parse_args()
    data = tomllib.loads(_QUESTIONS.read_text("utf-8"))
    shown, steps = Counter[tuple[str, str]](), Counter[str]()
    with tempfile.TemporaryDirectory() as made:
        for used, question, answers in _answers(args, data, args.keep or Path(made)):
            wanted = question["steps"]
            steps[used] += len(wanted)
            for tool, places in answers.items():
                missing = [place for place in wanted if place not in places]
                shown[used, tool] += len(wanted) - len(missing)
                print(f"{len(wanted) - len(missing)} of {len(wanted)} {tool}: {question['text']}")
                if args.show and missing:
                    print(f"      missing {', '.join(missing)}")
    for used, count in steps.items():
        shares = [f"{tool} {shown[used, tool] / count:.3f}" for tool in _TOOLS]
        print(f"{used}: {', '.join(shares)} of {count} steps")
    found = sum(shown[used, _TOOLS[0]] for used in steps)
    sys.exit(found < _LEAST_SHOWN * steps.total())


def _answers(
    args: argparse.Namespace, data: Mapping[str, Any], keep: Path
) -> Iterator[tuple[str, Mapping[str, Any], dict[str, set[str]]]]:
    for repository in data["repository"]:
        name = repository["name"]
        if args.repository and name not in args.repository:
            continue
        tree = checkout(args.mirror, repository, keep)
        folder = str(keep / "data" / tree.name)
        linked = CommandGraph(services(Options(str(tree), folder, watch=False)), refresh=True)
        linked.answer(lambda _, __: None, lambda _: OutdatedFiles())
        app = App(Options(str(tree), folder, watch=False, toolsets=("all",)))
        for question in data["question"]:
            if question["repository"] == name:
                answers = {tool: _ask(app, tool, question["text"]) for tool in _TOOLS}
                yield repository["set"], question, answers


def _ask(app: App, tool: str, text: str) -> set[str]:
    """The places that an answer shows."""
    is_bundle = tool == _TOOLS[0]
    answer = app.call(tool, {"prompt" if is_bundle else "query": text}, lambda: False)
    if not is_bundle:
        return {*_PLACE.findall(answer["content"][0]["text"])}
    places = set()
    for excerpt in answer["structuredContent"]["result"]["excerpts"]:
        path = excerpt["citation"].partition(":")[0]
        numbers = re.findall(r"^ *(\d+): ", excerpt.get("text", ""), re.MULTILINE)
        places |= {f"{path}:{number}" for number in numbers}
    return places


if __name__ == "__main__":
    main()
