"""Writes what a version makes of trees, and compares two such records to see what changed.

    python -m bench.oracle write FOLDER --tree NAME=PATH… [--mirror DIR]
    python -m bench.oracle compare BEFORE AFTER

The indexes are a function of the files, so the names of their segments, which are hashes of their
bytes, say whether they are the same. Beside them stand the answers to queries, phrases, literals,
research questions and prompts of bundles, drawn from the trees' own lines and declarations with a
seed. Timings, ids of requests and paths of this machine are left out. With `--mirror`, which holds
bare repositories as OWNER+NAME/repo, trees of six languages are taken from there.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from bench.peers.process import Tree
from bench.research.trees import checkout
from bench.suite.questions import drawn
from code_graph.facts import decode_declarations, last_part
from code_graph.store.schema import FACTS
from index_format import Snapshot
from repo_mcp.app import App
from repo_mcp.cli.graph.open_graph import CommandGraph
from repo_mcp.repository import OutdatedFiles
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.stored import STORED_KINDS

# in all, evenly from every tree
_COUNTS: Final = {"ranked": 300, "phrase": 40, "literal": 60, "research": 30, "bundle": 20}
# parts of answers that differ from one run to the next, as keys and within texts
_KEYS: Final = frozenset({"_meta", "request_id"})
_VARYING: Final = re.compile(
    r"request_id: [0-9a-f]+|\d+(?:\.\d+)? (?:ms|s|seconds)\b|\d{4}-\d\d-\d\dT[\d:.]+Z?"
)
_RESEARCH: Final = (
    "who calls {0}",
    "what does {0} use",
    "which classes implement {0}",
    "how does {0} reach {1}",
    "where is {0} used",
)
_PROMPTS: Final = ("Why does {0} fail after {1} was called?", "Add a parameter to {0}")
# small ones, of one language each
_MIRRORED: Final[Sequence[dict[str, Any]]] = (
    {"name": "hashicorp/raft", "commit": "1837036daf50", "paths": ["*.go"]},
    {
        "name": "brettwooldridge/HikariCP",
        "commit": "604d7d5838e9",
        "paths": ["src/main", "pom.xml"],
    },
    {"name": "sharkdp/fd", "commit": "ee20f426ddf3", "paths": ["src", "Cargo.toml", "README.md"]},
    {
        "name": "vercel/swr",
        "commit": "7173e55b2a17",
        "paths": ["src", "package.json", "tsconfig.json"],
    },
    {"name": "jd/tenacity", "commit": "c650fb452046", "paths": ["."]},
    {"name": "wg/wrk", "commit": "a211dd5a7050", "paths": ["src"]},
    {"name": "serilog/serilog", "commit": "60935b4d7aba", "paths": ["src/Serilog"]},
)


def main() -> None:
    """Run the command line; the exit code is 1 where two records differ."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write")
    writing.add_argument("folder", type=Path)
    writing.add_argument("--tree", action="append", default=[], metavar="NAME=PATH")
    writing.add_argument("--mirror", type=Path)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    args = parser.parse_args()
    if args.command == "write":
        _write(args)
        return
    different = [*differences(args.before, args.after)]
    print("\n".join(different) or "the same")
    sys.exit(bool(different))


def differences(before: Path, after: Path) -> Iterator[str]:
    """One line for each part of a record that the other lacks or has otherwise."""
    names = {path.name for folder in (before, after) for path in folder.glob("*.json")}
    if not names:
        yield f"no records in {before} or {after}: write them first"
    for name in sorted(names):
        files = [folder / name for folder in (before, after)]
        if not all(file.is_file() for file in files):
            yield f"{name}: only in one of them"
            continue
        first, second = (json.loads(file.read_text("utf-8")) for file in files)
        for kind in sorted({*first, *second}):
            if first.get(kind) != second.get(kind):
                yield f"{name}: {kind}: {_first_difference(first.get(kind), second.get(kind))}"


def _first_difference(first: object, second: object) -> str:
    if isinstance(first, dict) and isinstance(second, dict):
        for key in sorted({*first, *second}):
            if first.get(key) != second.get(key):
                return f"{key}: {_first_difference(first.get(key), second.get(key))}"
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for number, (one, other) in enumerate(zip(first, second, strict=True)):
            if one != other:
                return f"{number}: {_first_difference(one, other)}"
    one, other = json.dumps(first), json.dumps(second)
    pairs = enumerate(zip(one, other, strict=False))
    begin = max(next((at for at, (a, b) in pairs if a != b), 0) - 40, 0)
    return f"{one[begin:][:200]} became {other[begin:][:200]}"


def _write(args: argparse.Namespace) -> None:
    args.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        trees = {name: Path(path) for name, _, path in (row.partition("=") for row in args.tree)}
        if args.mirror:
            for row in _MIRRORED:
                trees[row["name"].partition("/")[2]] = checkout(args.mirror, row, work)
        if not trees:
            sys.exit("no tree is given: name one with --tree, or a folder of them with --mirror")
        for name, tree in trees.items():
            record = record_of(tree, work / "data" / name, len(trees))
            text = json.dumps(record, indent=1, sort_keys=True)
            (args.folder / f"{name}.json").write_text(text, "utf-8")
            print(f"{name}: {len(record['declarations'])} declarations", flush=True)


def record_of(tree: Path, data: Path, shares: int) -> dict[str, Any]:
    """Segments of the three indexes, and the answers to this tree's share of the questions."""
    options = Options(str(tree), str(data), watch=False, workers=1)
    found = services(options)
    graph = CommandGraph(found, refresh=True)
    graph.answer(lambda _, __: None, lambda _: OutdatedFiles())
    found.manager.tidy(found.budget)
    snapshot = found.manager.snapshot()
    if snapshot is None:
        raise SystemExit(f"nothing was indexed of {tree}: name a folder with text files")
    names = _declared_names(snapshot)
    options = options._replace(toolsets=("all",))
    # time stands still, so that no answer says that files are being compared again
    app = App(options, clock=lambda: 0.0)
    app.call("repo.refresh_index", {}, lambda: False)
    listed = data.with_suffix(".paths")
    listed.write_text("".join(f"{tree / path}\n" for path in snapshot.paths()), "utf-8")
    questions = _questions(Tree(tree, listed), names, shares)
    return {
        "segments": _segments(data),
        "declarations": names,
        **{
            kind: {text: _plain(_ask(app, kind, text), str(tree)) for text in texts}
            for kind, texts in questions.items()
        },
    }


def _segments(data: Path) -> dict[str, list[str]]:
    found = {
        kind.folder: sorted(path.name for path in (data / kind.folder).glob("seg-*"))
        for kind in STORED_KINDS
    }
    if not all(found.values()):
        raise SystemExit(f"an index has no segments: {found}")
    return found


def _declared_names(snapshot: Snapshot) -> list[str]:
    """Names that are long enough to be meant, in the order of files and lines, each once."""
    found: dict[str, None] = {}
    for path in snapshot.paths():
        facts = snapshot.attachment(path, FACTS)
        declarations = decode_declarations(facts).declarations if facts else ()
        for declaration in declarations:
            name = last_part(declaration.name)
            if len(name) > 3 and name.isidentifier():
                found[name] = None
    return list(found)


def _questions(tree: Tree, names: Sequence[str], shares: int) -> dict[str, list[str]]:
    counts = {kind: -(-count // shares) for kind, count in _COUNTS.items()}
    named = names or ["main"]
    pairs = [(name, named[-1 - at]) for at, name in enumerate(named)]
    return {
        "ranked": drawn("ranked", counts["ranked"], tree),
        "phrase": [f'"{text}"' for text in drawn("phrase", counts["phrase"], tree)],
        "literal": drawn("literal", counts["literal"], tree),
        "research": _filled(_RESEARCH, pairs, counts["research"]),
        "bundle": _filled(_PROMPTS, pairs, counts["bundle"]),
    }


def _filled(forms: Sequence[str], pairs: Sequence[tuple[str, str]], count: int) -> list[str]:
    step = max(1, len(pairs) // count)
    return [forms[at % len(forms)].format(*pair) for at, pair in enumerate(pairs[::step][:count])]


def _ask(app: App, kind: str, text: str) -> object:
    tool, arguments = _CALLS[kind]
    named = {key: text if value is None else value for key, value in arguments.items()}
    return app.call(tool, named, lambda: False)


_CALLS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "ranked": ("repo.search", {"query": None}),
    "phrase": ("repo.search", {"query": None}),
    "literal": ("repo.search", {"query": None, "mode": "literal"}),
    "research": ("code_research", {"query": None}),
    "bundle": ("repo.build_context_bundle", {"prompt": None}),
}


def _plain(value: object, root: str) -> object:
    """An answer without what differs from one run to the next."""
    if isinstance(value, dict):
        return {key: _plain(item, root) for key, item in value.items() if key not in _KEYS}
    if isinstance(value, list | tuple):
        return [_plain(item, root) for item in value]
    if isinstance(value, str):
        return _VARYING.sub("VARYING", value.replace(root, "ROOT"))
    return value


if __name__ == "__main__":
    main()
