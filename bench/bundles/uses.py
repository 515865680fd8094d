"""Asks for bundles how something is used, and looks whether a document and an example come with it.

    python -m bench.bundles.uses --trees FOLDER --indexes FOLDER [--only NAME …] [--show] [--record]

FOLDER of trees has repositories as OWNER+NAME. `uses.toml` has the questions, each with a name. A
*document* counts if the bundle shows lines of prose with the name, an *example* if it shows such
lines of a test, or of code in a folder of examples; both are shares of the questions for which the
tree has such a file with the name. The symbol graph is linked before.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final, NamedTuple

from bench import machine
from bench.bundles.client import BUNDLE, Client
from code_graph import PROSE, Languages
from code_graph.paths.path_kinds import DOCS, is_test, path_kinds

_USES: Final = Path(__file__).with_name("uses.toml")
_LANGUAGES: Final = Languages()
DOCUMENT, EXAMPLE = "document", "example"
# larger files are generated
_LARGEST: Final = 500_000


class Outcome(NamedTuple):
    """The kinds of files with the name of a question: those of the tree, and those shown."""

    set: str
    text: str
    there: frozenset[str]
    shown: frozenset[str]
    size: int


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--indexes", type=Path, required=True)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--show", action="store_true", help="list each question")
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    outcomes = [*_outcomes(args, tomllib.loads(_USES.read_text("utf-8")))]
    if args.show:
        for item in outcomes:
            shown, missing = sorted(item.shown), sorted(item.there - item.shown)
            print(f"{item.text}  shown {shown} missing {missing}")
    found = figures(outcomes)
    for name, row in found.items():
        print(f"{name:10} " + "  ".join(f"{key} {value}" for key, value in row.items()))
    if args.record:
        print(machine.keep("bundle-uses", found))


def _outcomes(args: argparse.Namespace, data: Mapping[str, Any]) -> Iterator[Outcome]:
    for repository in data["repository"]:
        name = repository["name"]
        if args.only and name not in args.only:
            continue
        root = args.trees / name.replace("/", "+")
        client = Client(root, args.indexes / root.name, linked=True)
        texts = dict(_texts(root))
        for question, wanted in repository["questions"]:
            answer = client(BUNDLE, prompt=question)
            shown = {
                item["citation"].rpartition(":")[0]: item["text"]
                for item in answer.result["excerpts"]
                if "text" in item
            }
            yield Outcome(
                repository["set"],
                question,
                _kinds_with(texts, wanted),
                _kinds_with(shown, wanted),
                len(answer.text),
            )


def _texts(root: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.stat().st_size <= _LARGEST:
            yield path.relative_to(root).as_posix(), path.read_text("utf-8", "replace")


def _kinds_with(texts: Mapping[str, str], name: str) -> frozenset[str]:
    return frozenset(_kind(path) for path, text in texts.items() if name in text) - {""}


def _kind(path: str) -> str:
    language = _LANGUAGES.language_of(path)
    if is_test(path):
        return EXAMPLE if language else ""
    if language in PROSE:
        return DOCUMENT
    return EXAMPLE if language and DOCS in path_kinds(path) else ""


def figures(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """The shares by set."""
    found: dict[str, dict[str, float]] = {}
    for name in dict.fromkeys(item.set for item in outcomes):
        rows = [item for item in outcomes if item.set == name]
        found[name] = {"questions": len(rows), "size": round(fmean(item.size for item in rows))}
        for kind in (DOCUMENT, EXAMPLE):
            able = [item for item in rows if kind in item.there]
            share = fmean(kind in item.shown for item in able) if able else 0.0
            found[name] |= {kind: round(share, 3), f"{kind}s": len(able)}
    return found


if __name__ == "__main__":
    main()
