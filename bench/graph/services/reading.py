"""Reads a repository as a server would: its files, their edges along texts, and descriptions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final
from unittest.mock import patch

import code_graph
from bench.graph.services.compare import TextEdge
from code_graph import Languages
from code_graph.contracts.conventions import GENERAL
from code_graph.contracts.descriptions import (
    Descriptions,
    FrameworkRule,
    KeyPrefix,
    read_description,
)
from code_graph.facts import Declaration, Facts
from code_graph.language_table import language_named, names_with
from code_graph.model import FILE, LinkedFile, Strategy
from code_graph.projects.source import is_manifest
from repo_mcp.safety.denylist import Denylist

_LANGUAGES: Final = Path(code_graph.__file__).parent / "languages"
DESCRIPTIONS: Final = sorted(_LANGUAGES.glob("*/frameworks/*.toml"))
# descriptions of what a language has by itself
_OF_LANGUAGES: Final = frozenset({"sql", "environment", "native"})
# the kinds of truth by the strategies of the product
_KINDS: Final = {
    "ROUTE": "route",
    "RPC": "rpc",
    "GRAPHQL": "graphql",
    "MESSAGE": "topic",
    "TABLE": "table",
    "SETTING": "setting",
    "NATIVE": "native",
    "TEMPLATE": "template",
}


@cache
def described(path: Path) -> tuple[list[FrameworkRule], list[KeyPrefix]]:
    """The rules and prefixes of a description."""
    return read_description(path.name, path.read_text("utf-8"))


def is_framework(path: Path) -> bool:
    """True for a description of a framework: not of a format, of a language, or of none."""
    folder = path.parts[-3]
    return folder in _folders_of_code() and path.stem not in _OF_LANGUAGES


@cache
def _folders_of_code() -> frozenset[str]:
    """The folders of languages that are evaluated, which formats are not."""
    rows = map(language_named, names_with("rules"))
    return frozenset(folder for row in rows for folder in row.frameworks.split())


@contextmanager
def without(names: str) -> Iterator[None]:
    """Read code as if some frameworks were not described, which tells of unknown ones."""
    left_out = {*names.split()}

    @cache
    def descriptions(folders: str) -> Descriptions:
        rules: list[FrameworkRule] = []
        prefixes: list[KeyPrefix] = []
        for folder in folders.split():
            for path in DESCRIPTIONS:
                named = {"all", path.stem, f"{folder}/{path.stem}"}
                is_left = folder == GENERAL or not left_out & named
                if path.parts[-3] == folder and is_left:
                    more, begins = described(path)
                    rules += more
                    prefixes += begins
        return Descriptions(rules, prefixes)

    if not left_out:
        yield
        return
    with patch("code_graph.contracts.read.file_contracts.descriptions_of", descriptions):
        yield


def source_texts(root: Path) -> dict[str, str]:
    """The texts that a server would read, by their paths."""
    known, denied = Languages(), Denylist()
    texts = {}
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        is_read = known.language_of(path) or is_manifest(path)
        if is_read and not denied.rule(path) and file.is_file() and not file.is_symlink():
            texts[path] = file.read_bytes().decode("utf-8", "replace")
    return texts


def text_edges(files: list[LinkedFile], facts: Mapping[str, Facts]) -> Iterator[TextEdge]:
    """The edges of linked files that lead from a text to a text."""
    targets: defaultdict[int, list[tuple[str, Declaration | None]]] = defaultdict(list)
    for is_primary in (True, False):
        for file in files:
            rows = facts[file.path].declarations
            for symbol in file.symbols:
                if symbol.is_primary == is_primary:
                    number = symbol.declaration
                    row = None if number == FILE else rows[number]
                    targets[symbol.id].append((file.path, row))
    for file in files:
        for edge in file.edges:
            kind = _KINDS.get(Strategy(edge.strategy).name)
            if kind is not None and edge.target in targets:
                first, *also = targets[edge.target]
                yield TextEdge(kind, file.path, edge.line, *first, tuple(also))
