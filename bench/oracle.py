"""Writes what a version makes of trees, and compares two such records to see what changed.

    python -m bench.oracle write FOLDER [--tree NAME=PATH…] [--mirror DIR]
    python -m bench.oracle compare BEFORE AFTER

The indexes are a function of the files, so the names of their segments, which are hashes of their
bytes, say whether they are the same. Beside them stand the answers of all faces: tools, commands
with `--json`, pages as `.json`, and the library. The calls are the rows of `oracle.toml`, filled
with lines, declarations, files and commits of the trees, drawn with a seed. Each tree is copied
into a checkout of three commits; calls `of roots` are asked beside the commit before as a second
root, those `of packages` where a part of the tree is installed as a dependency. Timings, ids of
requests and paths of this machine are left out.
Without a tree it takes a made one of eleven languages and the cases of the linkers' tests. With
`--mirror`, which holds bare repositories as OWNER+NAME/repo, trees of six languages are taken from
there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest import mock

import repo_mcp
from bench.changes.demanding_types import TEMPLATES
from bench.changes.demands import tree_of
from bench.peers.process import Tree
from bench.research.trees import checkout
from bench.search.pages import Pages
from bench.suite.questions import drawn
from code_graph.facts import decode_declarations, last_part
from code_graph.store.schema import FACTS
from docs.sample_shop import run_command
from index_format import Snapshot
from repo_mcp.answers.records import AnswerRecord, plain
from repo_mcp.app import App
from repo_mcp.cli.graph.open_graph import CommandGraph
from repo_mcp.errors import Problem
from repo_mcp.library import LocalRepository
from repo_mcp.repository import OutdatedFiles
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.settings.workspace_roots import roots_of_names
from repo_mcp.stored import STORED_KINDS
from repo_mcp.web.tools import page_app

# parts of answers that differ from one run to the next, as keys and within texts
_KEYS: Final = frozenset({"_meta", "request_id"})
_VARYING: Final = re.compile(
    r"request_id: [0-9a-f]+|\d+(?:\.\d+)? (?:ms|s|seconds)\b|\d{4}-\d\d-\d\dT[\d:.]+Z?"
)
_TABLE: Final = Path(__file__).with_suffix(".toml")
_CASES: Final = Path(__file__).parents[1] / "tests" / "code_graph" / "cases"
_CASE_FOLDERS: Final = ("csharp", "java", "python", "typescript")
_MADE_TYPES: Final = {"Store": ("load", "offer", "renew"), "Ledger": ("enter", "settle", "close")}
_REVISIONS: Final = ("HEAD", "HEAD~1", "HEAD~2", "HEAD~1..HEAD", "HEAD~2..HEAD")
# one file of so many grows in each of the later commits
_GROWING: Final = 8
_FIRST_COMMIT: Final = 1_700_000_000
# between a face and the place where it is asked
_OF: Final = " of "
_ROOTS: Final = "roots"
_PACKAGES: Final = "packages"
# the package that is installed, and how many of the first files it has
_INSTALLED: Final = "node_modules/inner"
_INSTALLED_FILES: Final = 20
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
        for part, one, other in _parts(first, second):
            for target, one_answers, other_answers in _parts(one, other):
                for call, one_answer, other_answer in _parts(one_answers, other_answers):
                    place = ": ".join(filter(None, (name, part, target, call)))
                    yield f"{place}: {_first_difference(one_answer, other_answer)}"


def _parts(first: object, second: object) -> Iterator[tuple[str, object, object]]:
    """The items that differ, by name; what has no names is an item of its own."""
    if not (isinstance(first, dict) and isinstance(second, dict)):
        yield "", first, second
        return
    for name in sorted({*first, *second}):
        if first.get(name) != second.get(name):
            yield name, first.get(name), second.get(name)


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


class CallRow(NamedTuple):
    """A row of the table: calls of one kind."""

    face: str
    target: str
    # what texts are drawn of, and how many times over all trees
    subject: str
    calls: int
    arguments: Any

    @property
    def kind(self) -> str:
        """The face without the place."""
        return self.face.partition(_OF)[0]

    @property
    def place(self) -> str:
        """Where it is asked: roots, packages, or one repository."""
        return self.face.partition(_OF)[2]


def call_rows() -> list[CallRow]:
    """The table of calls."""
    return [CallRow(*row) for row in tomllib.loads(_TABLE.read_text("utf-8"))["calls"]]


def _write(args: argparse.Namespace) -> None:
    args.folder.mkdir(parents=True, exist_ok=True)
    # the first question about a package indexes it, each time
    with tempfile.TemporaryDirectory() as made, mock.patch.dict(os.environ, XDG_CACHE_HOME=made):
        work = Path(made)
        trees = {name: Path(path) for name, _, path in (row.partition("=") for row in args.tree)}
        if args.mirror:
            for row in _MIRRORED:
                trees[row["name"].partition("/")[2]] = checkout(args.mirror, row, work)
        trees = trees or _own_trees(work / "made")
        for name, tree in trees.items():
            begun = time.monotonic()
            record = record_of(tree, work / "data" / name, len(trees), call_rows())
            text = json.dumps(record, indent=1, sort_keys=True)
            (args.folder / f"{name}.json").write_text(text, "utf-8")
            calls = sum(map(len, record["calls"].values()))
            print(f"{name}: {calls} calls in {time.monotonic() - begun:.0f} s", flush=True)


def _own_trees(folder: Path) -> dict[str, Path]:
    """Trees that are here: one is made, the others are cases of tests."""
    for name, members in _MADE_TYPES.items():
        for template in TEMPLATES:
            for path, text in tree_of(template, name + template.language.title(), [*members]):
                place = folder / name.lower() / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, "utf-8")
    return {"made": folder, **{name: _CASES / name for name in _CASE_FOLDERS}}


def record_of(tree: Path, work: Path, shares: int, rows: Iterable[CallRow]) -> dict[str, Any]:
    """Segments of the three indexes, and the answers to this tree's share of the calls."""
    root, data = _committed(tree, work / "root"), work / "data"
    options = Options(str(root), str(data), watch=False, workers=1)
    found = services(options)
    graph = CommandGraph(found, refresh=True)
    graph.answer(lambda _, __: None, lambda _: OutdatedFiles())
    found.manager.tidy(found.budget)
    snapshot = found.manager.snapshot()
    if snapshot is None:
        raise SystemExit(f"nothing was indexed of {tree}: name a folder with text files")
    names = _declared_names(snapshot)
    subjects = Subjects(tree.name, root, [*snapshot.paths()], names)
    calls: dict[str, dict[str, object]] = defaultdict(dict)
    rows = [*rows]
    for place in sorted({row.place for row in rows}):
        with closing(_faces_of(place, root, data)) as faces:
            for row in rows:
                for subject in subjects.draw(row, -(-row.calls // shares), place):
                    given = _filled(row.arguments, subject)
                    answer = _plain(faces.ask(row.kind, row.target, given), str(work))
                    calls[f"{row.face} {row.target}"][json.dumps(given)] = answer
    return {
        "files": _digest(root, snapshot.paths()),
        "segments": _segments(data),
        "declarations": names,
        "calls": calls,
    }


def _committed(tree: Path, root: Path) -> Path:
    """A copy of the tree in a checkout of three commits, the last of which has the whole files."""
    shutil.copytree(tree, root, symlinks=True, ignore=shutil.ignore_patterns(".*", "__pycache__"))
    files = [path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink()]
    whole = [path.read_bytes() for path in files]
    _run_git(root, 0, "init", "-q", "-b", "main")
    for left in (2, 1, 0):
        for number, (path, data) in enumerate(zip(files, whole, strict=True)):
            rows = data.splitlines(keepends=True)
            is_late = number % _GROWING < left
            path.write_bytes(b"".join(rows[: len(rows) // 2]) if is_late else data)
        _run_git(root, left, "add", "-A", "-f")
        _run_git(root, left, "commit", "-q", "--allow-empty", "-m", f"the tree, {left} steps left")
    return root


def _standing() -> float:
    """The time that all calls are made at; at zero, nothing has been compared yet."""
    return 1.0


def _run_git(root: Path, left: int, *words: str) -> None:
    """Run git without settings of this machine, as somebody at some time."""
    person = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": f"{_FIRST_COMMIT - left} +0000"}
    given = {
        f"GIT_{role}_{key}": text
        for role in ("AUTHOR", "COMMITTER")
        for key, text in person.items()
    }
    given |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", *words]
    subprocess.run(command, cwd=root, env={**os.environ, **given}, check=True)


def _digest(root: Path, paths: Iterable[str]) -> str:
    """A hash of the files: records of other files can't be compared."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(b"\0".join((path.encode(), (root / path).read_bytes(), b"")))
    return digest.hexdigest()


def _faces_of(place: str, root: Path, data: Path) -> Faces:
    """The faces of the repository, of it and its last commit but one, or of it and a package."""
    options = Options(str(root), str(data), watch=False, workers=1)
    if place == _ROOTS:
        earlier, listed = root.with_name("earlier"), root.with_name("workspace.toml")
        _run_git(root, 0, "clone", "-q", ".", str(earlier))
        _run_git(earlier, 0, "checkout", "-q", "HEAD~1")
        folders = {"now": str(root), "earlier": str(earlier)}
        rows = [f"{name} = {path!r}\n" for name, path in folders.items()]
        listed.write_text("".join(["[roots]\n", *rows]), "utf-8")
        shared = data.with_name("data of roots")
        options = options._replace(data_dir=str(shared), mounts=roots_of_names(folders))
        library = repo_mcp.open(folders, data_dir=shared)
        return Faces(
            root, options, library, ["--workspace", str(listed), "--data-dir", str(shared)]
        )
    words = ["--data-dir", str(data)]
    if place == _PACKAGES:
        paths = [path for path in sorted(root.rglob("*.*")) if path.is_file()]
        for path in paths[:_INSTALLED_FILES]:
            copied = root / _INSTALLED / path.relative_to(root)
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.write_bytes(path.read_bytes())
        described = {"name": "inner", "version": "1.0.0"}
        (root / _INSTALLED / "package.json").write_text(json.dumps(described), "utf-8")
        needed = {"dependencies": {"inner": "^1"}}
        (root / "package.json").write_text(json.dumps(needed), "utf-8")
        options = options._replace(dependencies=True)
        words = [*words, "--dependencies"]
    library = repo_mcp.open(root, data_dir=data, dependencies=place == _PACKAGES)
    return Faces(root, options, library, words)


class Faces:
    """All faces of one place, which are asked one after the other."""

    def __init__(
        self, root: Path, options: Options, library: LocalRepository, words: Sequence[str]
    ) -> None:
        """`words` tell commands the place."""
        self._root, self._words = root, words
        self._library = library
        # commits are indexed before anyone may find that they are not
        self._library.history(words="tree")
        # time stands still, so that no answer says that files are being compared again
        self._app = App(options._replace(toolsets=("all",)), clock=_standing)
        of_pages = page_app(options, _standing)
        for app in (self._app, of_pages):
            app.call("repo.refresh_index", {}, lambda: False)
        self._pages = Pages(of_pages)

    def close(self) -> None:
        """Stop what the library has started."""
        self._library.close()

    def ask(self, face: str, target: str, given: Any) -> object:  # noqa: ANN401 as the face has it
        """The answer of one face."""
        if face == "tool":
            return self._app.call(target, given, lambda: False)
        if face == "page":
            status, body = self._pages.get(f"/{target}.json", **given)
            return {"status": status, "json": _read_json(body.decode())}
        if face == "command":
            line = [target, *given, "--json", *self._words]
            output = run_command(self._root, line, piped=True)
            return {"code": output.code, "json": [*map(_read_json, output.out.splitlines())]}
        try:
            return getattr(self._library, target)(**given)
        except Problem as problem:
            return {"code": problem.code, "reason": problem.reason}


def _read_json(text: str) -> object:
    """The value; the text itself where a version has no such page or option."""
    try:
        return json.loads(text)
    except ValueError:
        return text


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


class Subjects:
    """Texts, names, files and commits of a tree that calls are about, each time the same."""

    def __init__(self, name: str, root: Path, paths: Sequence[str], names: Sequence[str]) -> None:
        self._name = name
        listed = root.with_suffix(".paths")
        listed.write_text("".join(f"{root / path}\n" for path in paths), "utf-8")
        self._tree = Tree(root, listed)
        named = names or ["main"]
        folders = dict.fromkeys(path.rpartition("/")[0] for path in paths if "/" in path)
        self._of_tree: Mapping[str, Sequence[tuple[object, ...]]] = {
            "once": [()],
            "revision": [(revision,) for revision in _REVISIONS],
            "name": [(name, named[-1 - at]) for at, name in enumerate(named)],
            "file": [(path, 1 + at % 5, 6 + at % 7) for at, path in enumerate(paths)],
            "folder": [(folder,) for folder in folders],
        }

    def draw(self, row: CallRow, count: int, place: str) -> Iterable[tuple[object, ...]]:
        """At most so many for a row of a place, whatever other rows there are."""
        if row.place != place:
            return ()
        known = self._of_tree.get(row.subject)
        if known is None:
            return [(text,) for text in drawn(row.subject, count, self._tree)]  # type: ignore[arg-type] # the table has no other
        chance = random.Random(f"{self._name} {tuple(row)}")
        return chance.sample(known, min(count, len(known)))


def _filled(value: Any, subject: Sequence[object]) -> Any:  # noqa: ANN401 any JSON value
    """Arguments with the texts of a subject in their places."""
    if isinstance(value, dict):
        return {name: _filled(item, subject) for name, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, subject) for item in value]
    return value.format(*subject) if isinstance(value, str) else value


def _plain(value: object, folder: str) -> object:
    """An answer without what differs from one run to the next."""
    if isinstance(value, AnswerRecord):
        value = plain(value)
    if isinstance(value, dict):
        return {key: _plain(item, folder) for key, item in value.items() if key not in _KEYS}
    if isinstance(value, str):
        return _VARYING.sub("VARYING", value.replace(folder, "FOLDER"))
    if isinstance(value, Sequence):
        return [_plain(item, folder) for item in value]
    fields = getattr(value, "__match_args__", ())
    return {name: _plain(getattr(value, name), folder) for name in fields} if fields else value


if __name__ == "__main__":
    main()
