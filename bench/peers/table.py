"""The compared programs: what each can be asked, and its command lines."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

Kind: TypeAlias = Literal["ranked", "passages", "phrase", "literal", "regex", "symbol"]
# ranked: the ten best files for some words; passages: these with the lines to show; phrase: words
# that stand one after the other; literal, regex: 50 lines; symbol: where a name is declared
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
CORES: Final = 2


class Package(NamedTuple):
    """The package that installs a peer: one of Python's or of Debian's."""

    source: Literal["python", "debian"]
    name: str


class Place(NamedTuple):
    """A tree, the list of the files in it that everybody indexes, and a folder for an index."""

    root: Path
    listed: Path
    folder: Path


class Peer(NamedTuple):
    """One program: what it is, and how it is run.

    Command lines hold {root}, {listed}, {folder} and {query}. A library's `module` answers in a
    process that stays; a program is started for each question.
    """

    name: str
    about: str
    kinds: frozenset[Kind]
    packages: tuple[Package, ...] = ()
    module: str = ""
    # commands one after the other; none: it has no index
    build: tuple[tuple[str, ...], ...] = ()
    # the same once more, where files have changed; none: it is built anew
    update: tuple[tuple[str, ...], ...] = ()
    # of programs alone
    ask: Mapping[Kind, tuple[str, ...]] = {}
    # environment, with places like commands
    around: Mapping[str, str] = {}
    # more text than this (MiB) would take it longer than all others together
    most_mib: int | None = None

    def builds(self, place: Place) -> list[list[str]]:
        """The commands that make its index."""
        return [filled(command, place) for command in self.build]

    def updates(self, place: Place) -> list[list[str]]:
        """The commands that bring its index up to date."""
        return [filled(command, place) for command in self.update or self.build]

    def serves(self, place: Place) -> list[str]:
        """The command of a process that answers one question for each line."""
        module = self.module or "bench.peers.programs"
        return [*_process("ask", module, self.name), *map(str, place)]

    def answers_once(self, place: Place, kind: Kind, query: str) -> list[str]:
        """The command that answers one question from its start to its end."""
        if kind in self.ask:
            return filled(self.ask[kind], place, query)
        return [*_process("once", self.module, self.name), *map(str, place), kind, query]


def filled(command: Sequence[str], place: Place, query: str = "") -> list[str]:
    """A command line with its places and its question."""
    names = {"{root}": place.root, "{listed}": place.listed, "{folder}": place.folder}
    return [_filled(part, names).replace("{query}", query) for part in command]


def _filled(part: str, names: Mapping[str, Path]) -> str:
    for name, path in names.items():
        part = part.replace(name, str(path))
    return part


def _process(what: str, module: str, name: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "bench.peers.process", what, module, name)


def _built_by(module: str, name: str) -> tuple[tuple[str, ...], ...]:
    return ((*_process("build", module, name), "{root}", "{listed}", "{folder}"),)


_PROGRAM: Final = "import sys; from repo_mcp.server import main; sys.exit(main())"
_OURS: Final = (sys.executable, "-P", "-c", _PROGRAM)
_WHERE: Final = ("--repo-root", "{root}", "--data-dir", "{folder}")


def command(name: str, *options: str) -> tuple[str, ...]:
    """A command of this project."""
    return (*_OURS, name, *_WHERE, *options)


def _search(*options: str) -> tuple[str, ...]:
    return command("search", "--stale-ok", *options, "--", "{query}")


_FTS5, _TANTIVY = "bench.peers.sqlite_fts5", "bench.peers.tantivy_files"
_BM25S, _WHOOSH = "bench.peers.bm25s_files", "bench.peers.whoosh_files"
_XAPIAN = "bench.peers.xapian_files"

OURS: Final = Peer(
    "repo-mcp",
    "chunks of whole files, BM25F with names and paths; lines by index and scan; declarations",
    frozenset(KINDS),
    module="bench.peers.ours",
    build=(command("index", "--words-only"), command("compact")),
    update=(command("index", "--words-only"),),
    ask={
        "passages": _search(),
        "phrase": _search(),
        "symbol": _search(),
        "literal": _search("-F"),
        "regex": _search("--mode", "regex"),
    },
)
PEERS: Final = (
    Peer(
        "ripgrep",
        "no index: reads every file",
        frozenset({"literal", "regex"}),
        (Package("debian", "ripgrep"),),
        ask={
            "literal": ("rg", "-n", "--no-heading", "-F", "-e", "{query}", "{root}"),
            "regex": ("rg", "-n", "--no-heading", "-e", "{query}", "{root}"),
        },
    ),
    Peer(
        "codesearch",
        "whole files, an index of trigrams",
        frozenset({"literal", "regex"}),
        (Package("debian", "codesearch"),),
        build=(("cindex", "-reset", "{root}"),),
        update=(("cindex", "{root}"),),
        # it knows expressions only
        ask={"literal": ("csearch", "-n", r"\Q{query}\E"), "regex": ("csearch", "-n", "{query}")},
        around={"CSEARCHINDEX": "{folder}/index"},
    ),
    Peer(
        "universal-ctags",
        "declarations, sorted by name",
        frozenset({"symbol"}),
        (Package("debian", "universal-ctags"), Package("debian", "libjansson4")),
        build=(("ctags", "-L", "{listed}", "-f", "{folder}/tags"),),
        ask={"symbol": ("readtags", "-t", "{folder}/tags", "{query}")},
    ),
    Peer(
        "SQLite FTS5",
        "whole files, BM25, its default tokenizer",
        frozenset({"ranked", "phrase"}),
        module=_FTS5,
        build=_built_by(_FTS5, "SQLite FTS5"),
    ),
    Peer(
        "tantivy",
        "whole files, BM25, its default tokenizer, positions",
        frozenset({"ranked", "passages", "phrase"}),
        (Package("python", "tantivy"),),
        module=_TANTIVY,
        build=_built_by(_TANTIVY, "tantivy"),
    ),
    Peer(
        "Xapian",
        "whole files, BM25, positions",
        frozenset({"ranked", "phrase"}),
        (Package("debian", "python3-xapian"), Package("debian", "libxapian30")),
        module=_XAPIAN,
        build=_built_by(_XAPIAN, "Xapian"),
    ),
    Peer(
        "bm25s",
        "whole files, BM25, scores computed ahead, all in memory",
        frozenset({"ranked"}),
        (Package("python", "bm25s"),),
        module=_BM25S,
        build=_built_by(_BM25S, "bm25s"),
        most_mib=300,
    ),
    Peer(
        "Whoosh",
        "whole files, BM25F, positions",
        frozenset({"ranked", "phrase"}),
        (Package("python", "whoosh-reloaded"),),
        module=_WHOOSH,
        build=_built_by(_WHOOSH, "Whoosh"),
        most_mib=60,
    ),
)
