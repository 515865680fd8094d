"""The effect of a compiler's SCIP index on the graph, and the overlap with the linker's edges.

    python -m bench.graph.scip FOLDER INDEX [--differences COUNT]

Every file of the folder is linked twice, without the index and with it. `definitions` are those of
symbols that other documents can name, `references` the uses of symbols that the index defines at
one of our declarations: the share of them that is in our edges without the index.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.graph.folder import FolderTree
from code_graph.link.linker import GraphLinker
from code_graph.model import CONFIDENCE_OF, Confidence, EdgeType, GraphEdge, LinkedFile, Strategy
from code_graph.scip import messages as field_of
from code_graph.scip.matching import is_module, parsed
from code_graph.scip.occurrences import ScipBuilder, ScipIndex
from code_graph.scip.overlay import ScipOverlay
from code_graph.scip.symbols import Suffix, is_local

_UNCOUNTED: Final = frozenset({Suffix.PARAMETER, Suffix.TYPE_PARAMETER})
_PLACED: Final = frozenset(EdgeType) - {EdgeType.CONTAINS, EdgeType.OVERRIDES}
Key = tuple[str, int, int, int, int, int]


class _IndexedTree(FolderTree):
    """A folder with an imported index."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.scip: ScipIndex | None = None


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("--differences", type=int, default=0, metavar="COUNT")
    args = parser.parse_args()
    tree = _IndexedTree(args.folder)
    builder = ScipBuilder(lambda path: tree.fingerprint(path) if path in tree.paths() else b"")
    builder.add(args.index.name, args.index.read_bytes())
    index = ScipIndex(builder.pack(""))
    plain = GraphLinker(tree)
    before = {path: plain.link(path) for path in tree.paths()}
    tree.scip = index
    linker = GraphLinker(tree)
    after = {path: linker.link(path) for path in tree.paths()}
    overlay = ScipOverlay(index, linker._engine.files.get, linker.ids)  # noqa: SLF001
    print(*index.reports, sep="\n")
    used = [path for path in index.paths if overlay.match(path) is not None]
    print(f"{len(used)} of {len(index.paths)} documents are of the text of their files")
    print("other text:", *sorted(set(index.paths) - set(used))[:20])
    _print_changes(before, after, args.differences)
    _print_shares(index, overlay, before, used, args.differences)


def _keys(files: Mapping[str, LinkedFile]) -> dict[Key, GraphEdge]:
    return {
        (path, edge.line, edge.column, edge.type, edge.source, edge.target): edge
        for path, file in files.items()
        for edge in file.edges
    }


def _print_changes(
    before: Mapping[str, LinkedFile], after: Mapping[str, LinkedFile], most: int
) -> None:
    old, new = _keys(before), _keys(after)
    counts: dict[str, Counter[str]] = {}
    for key in sorted({*old, *new}):
        kind = EdgeType(key[3]).name.lower()
        counts.setdefault(kind, Counter())[_change(old.get(key), new.get(key))] += 1
    for kind, found in counts.items():
        print(f"{kind:12}", *(f"{name} {count}" for name, count in sorted(found.items())), sep="  ")
    for name, rows in (("gone", set(old) - set(new)), ("added", set(new) - set(old))):
        for key in sorted(rows)[:: max(len(rows) // most, 1)][:most] if most else ():
            print(f"  {name} {key[0]}:{key[1]}:{key[2]} {EdgeType(key[3]).name} {key[5]:016x}")


def _change(old: GraphEdge | None, new: GraphEdge | None) -> str:
    if new is None:
        return "gone"
    if old is None:
        return "added"
    if new.strategy != Strategy.SCIP:
        return "untouched"
    sure = CONFIDENCE_OF[Strategy(old.strategy)] == Confidence.EXACT
    return "confirmed" if sure else "made exact"


def _print_shares(
    index: ScipIndex,
    overlay: ScipOverlay,
    before: Mapping[str, LinkedFile],
    used: Sequence[str],
    most: int,
) -> None:
    counts: Counter[str] = Counter()
    missing: list[str] = []
    for path in used:
        ours = {
            (edge.line - 1, edge.column, edge.target)
            for edge in before[path].edges
            if edge.type in _PLACED
        }
        for line, column, symbol, is_definition in _occurrences(index, path):
            found = overlay.match(path)
            if is_definition:
                counts["definitions"] += 1
                has = found is not None and symbol in found.declarations
                counts["definitions ours"] += has
            else:
                targets = overlay.targets(path, symbol)
                if not targets:
                    continue
                counts["references"] += 1
                has = any((line, column, target.id) in ours for target in targets)
                counts["references ours"] += has
            if not has:
                what = "definition" if is_definition else "reference"
                missing.append(f"  not ours: {what} {path}:{line + 1}:{column} {symbol}")
    for name in ("definitions", "references"):
        share = counts[f"{name} ours"] / max(counts[name], 1)
        print(f"{name}: {counts[name]}, ours {share:.4f}")
    if most:
        print(*missing[:: max(len(missing) // most, 1)][:most], sep="\n")


def _occurrences(index: ScipIndex, path: str) -> Iterator[tuple[int, int, str, bool]]:
    """Line, column, symbol and whether it is defined there, of what other documents can name."""
    document = index.document(path)
    assert document is not None
    seen: set[str] = set()
    for item in document.occurrences:
        symbol = document.symbols[item.symbol]
        name = None if is_local(symbol) else parsed(symbol)
        if name is None or is_module(name) or item.column == item.end:
            continue
        if name.descriptors[-1].suffix in _UNCOUNTED:
            continue
        is_definition = bool(item.roles & field_of.DEFINITION)
        if is_definition:
            if symbol in seen:
                continue
            seen.add(symbol)
        yield item.line, item.column, symbol, is_definition


if __name__ == "__main__":
    main()
