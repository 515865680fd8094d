"""Compares outlines with the declarations that other parsers see in real sources.

    python -m bench.outlines go FOLDER [FOLDER ...] [--differences COUNT]

The parsers are those of the languages themselves: go/parser, javac, syn and clang; see `parsers`. A
declaration is found if the outline has one of its name and a matching kind on the same line.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.outlines.oracles import ORACLES, Declared
from code_graph import Languages

_TYPES: Final = frozenset(
    """
    class struct interface enum record annotation type typedef trait union protocol actor extension
    """.split()  # noqa: SIM905 a list of words reads better
)
_CALLED: Final = frozenset(
    {"function", "method", "constructor", "destructor", "operator", "prototype"}
)
_VALUES: Final = frozenset(
    {"field", "constant", "variable", "property", "enumerator", "case", "accessor"}
)
# which kinds of ours stand for a kind of an oracle
_KINDS: Final = {
    "type": _TYPES,
    "function": _CALLED,
    "method": _CALLED,
    "constructor": _CALLED,
    "field": _VALUES,
    "const": _VALUES,
    "var": _VALUES,
    "enumerator": _VALUES,
    "package": frozenset({"package", "module", "namespace"}),
    "module": frozenset({"package", "module", "namespace"}),
    "macro": frozenset({"macro"}),
}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("language", choices=sorted(ORACLES))
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--differences", type=int, default=0, metavar="COUNT")
    args = parser.parse_args()
    oracle = ORACLES[args.language]
    for folder in args.folders:
        paths = sorted(
            path for path in folder.rglob("*") if path.suffix in oracle.endings and path.is_file()
        )
        declared, failed = oracle.read(paths)
        ours = {path: _outline(path) for path in paths if path not in failed}
        wanted = [row for row in declared if row.path in ours]
        missing = [row for row in wanted if not _is_found(row, ours[row.path])]
        for line in _table(folder.name, wanted, missing):
            print(line)
        print(f"  {len(ours)} files, {len(failed)} that the parser does not read")
        for row in missing[:: max(1, len(missing) // max(1, args.differences))]:
            if args.differences:
                print(f"    {row.path}:{row.line} {row.kind} {row.name}")


def _table(name: str, wanted: list[Declared], missing: list[Declared]) -> Iterator[str]:
    counts = Counter(row.kind for row in wanted)
    absent = Counter(row.kind for row in missing)
    share = 1 - len(missing) / max(1, len(wanted))
    yield f"{name}: {share:.4f} of {len(wanted)}"
    for kind, count in sorted(counts.items()):
        yield f"  {kind:12} {1 - absent[kind] / count:.4f} of {count}"


def _outline(path: Path) -> dict[tuple[int, str], set[str]]:
    """The kinds of our declarations by line and last name."""
    adapter = Languages().adapter_for(path.name)
    found: dict[tuple[int, str], set[str]] = {}
    if adapter is not None:
        text = path.read_bytes().decode("utf-8", "replace")
        for item in adapter.facts(path.name, text).declarations:
            for name in {item.name, item.name.rpartition(".")[2], item.name.rpartition("::")[2]}:
                found.setdefault((item.name_line, name), set()).add(item.kind)
    return found


def _is_found(row: Declared, ours: dict[tuple[int, str], set[str]]) -> bool:
    return not _KINDS[row.kind].isdisjoint(ours.get((row.line, row.name), ()))


if __name__ == "__main__":
    main()
