"""Counts the settings whose keys code joins of parts, and that are found by the whole key.

    python -m bench.graph.joined_keys ROOT DATA [--show N]

ROOT is a checkout and DATA its data folder, linked by `repo-mcp index --graph --data-dir DATA`. A
key is joined where a line declares a constant as another one with a text behind it, as
`PREFIX + "rest"` or `f"{PREFIX}rest"`, and that other one is a text by itself. It is found if the
line is among those of the setting with this key, and alone if no other line of code is.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from bench.graph.complete_lists import opened
from code_graph.model import EdgeType
from code_graph.paths.path_kinds import is_test
from code_graph.query.edges import EdgeFilter, edges_of_rows
from code_graph.query.model import VALUES
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.budget import Budget
from repo_mcp.flow import SettingSources, find_setting
from repo_mcp.repository import SourceFiles, lines_with_word
from repo_mcp.search import ExactEngine

_REFERRED: Final = EdgeFilter((EdgeType.REFERENCES,))
_JOINED: Final = re.compile(
    r"""=\s*(?:(?P<plus>[\w.]+)\s*\+\s*"(?P<end>[\w./-]+)"|"""
    r"""[f]?["`]\$?\{(?P<inside>[\w.]+)\}(?P<rest>[\w./-]+)["`])\s*[;,]?\s*$"""
)
_TEXT: Final = re.compile(r"""=\s*["']([\w./-]+)["']\s*[;,]?\s*$""")
# a key has parts
_KEY: Final = re.compile(r"[A-Za-z][\w-]*(?:[./-][\w-]+)+")


class JoinedKey(NamedTuple):
    """A key and the line that joins it."""

    key: str
    path: str
    line: int


def joined_keys(graph: GraphSnapshot, files: SourceFiles) -> Iterator[JoinedKey]:
    """The keys that lines of code, and not of tests, join."""
    for path in graph.snapshot.paths():
        if "\0" in path or is_test(path):
            continue
        for edge in edges_of_rows(graph, path, _REFERRED):
            target = None if edge.external else graph.symbol(edge.target)
            if target is None or target.node_type not in VALUES:
                continue
            found = _JOINED.search(files.line(path, edge.line))
            value = _TEXT.search(files.line(target.path, target.start_line)) if found else None
            if found is None or value is None:
                continue
            name = (found["plus"] or found["inside"]).rpartition(".")[2]
            key = value[1] + (found["end"] or found["rest"])
            if name == target.simple_name and _KEY.fullmatch(key):
                yield JoinedKey(key, path, edge.line)


def main() -> None:
    """Parse the arguments and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--show", type=int, default=0)
    given = parser.parse_args()
    app = opened(given.root.resolve(), given.data)
    repository = app.services.running().tools.repository  # tools ask for one setting
    graph, text = repository.open_graph(Budget()).graph, repository.current_index().snapshot
    if graph is None or text is None:
        raise SystemExit("there is no graph")
    files, engine = SourceFiles(repository.sandbox, text), ExactEngine(repository.sandbox)

    def lines_with(word: str) -> list[tuple[str, int]]:
        found = lines_with_word(engine, text, Budget(), word, 20.0)
        return [(item.path, item.line) for item in found.lines]

    sources = SettingSources(lines_with, files.text, files.line)
    keys = {item.key: item for item in joined_keys(graph, files)}
    found, alone, lost = 0, 0, []
    began = time.process_time()
    for item in keys.values():
        setting = find_setting(graph, item.key, sources)
        places = {(row.path, row.line) for row in setting.lines_of_code} if setting else set()
        is_found = (item.path, item.line) in places
        found += is_found
        alone += is_found and len(places) == 1
        lost += [] if is_found else [f"{item.key} {item.path}:{item.line}"]
    seconds = (time.process_time() - began) / max(1, len(keys))
    print(f"{len(keys)} keys, found {found}, alone {alone}, {1000 * seconds:.0f} ms each")
    print(*lost[: given.show], sep="\n")


if __name__ == "__main__":
    main()
