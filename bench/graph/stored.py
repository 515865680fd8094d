"""Records what an index would store of each file of trees, and compares two such records.

    python -m bench.graph.stored write FOLDER NAME=PATH…
    python -m bench.graph.stored compare BEFORE AFTER

A change of the parser, the lowering or the linker that is to give equal indexes is proved by equal
digests of facts, symbolic code and linked files, file by file. The record also has the seconds of
processor time that parsing and linking took, of one run: `bench.graph speed` measures them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import xxhash

from bench.graph.folder import FolderTree
from code_graph import GraphLinker
from code_graph.expressions import Code, FileCode
from code_graph.expressions.wire import encode_code
from code_graph.facts import Facts, encode

# what is stored of a file, in the order in which each part is made of those before it
_PARTS: Final = ("facts", "code", "linked")
_SHOWN: Final = 5


def main() -> None:
    """Run the command line; the exit code is 1 where two records differ."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write")
    writing.add_argument("folder", type=Path)
    writing.add_argument("trees", nargs="+", metavar="NAME=PATH")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    args = parser.parse_args()
    if args.command == "compare":
        different = [*differences(args.before, args.after)]
        print("\n".join(different) or "the same")
        sys.exit(bool(different))
    args.folder.mkdir(parents=True, exist_ok=True)
    for name, _, path in (row.partition("=") for row in args.trees):
        record = record_of(Path(path))
        text = json.dumps(record, indent=1, sort_keys=True)
        (args.folder / f"{name}.json").write_text(text, "utf-8")
        print(f"{name:20} {len(record['files']):5} files {record['seconds']}", flush=True)


def record_of(root: Path) -> dict[str, Any]:
    """Digests of what is stored of each file of a folder, and the seconds that it took."""
    begin = time.process_time()
    tree = FolderTree(root)
    files: dict[str, list[str]] = {}
    for path in tree.paths():
        facts, code = tree.facts(path), tree.code(path)
        files[path] = ["", ""] if facts is None else [_digest(encode(facts)), _code(facts, code)]
    parsed = time.process_time()
    linker = GraphLinker(tree)
    for path, digests in files.items():
        digests.append(_digest(repr(linker.link(path)).encode("utf-8", "surrogatepass")))
    linked = time.process_time()
    seconds = {"parse": round(parsed - begin, 2), "link": round(linked - parsed, 2)}
    return {"files": files, "seconds": seconds}


def _code(facts: Facts, code: Code | None) -> str:
    if code is None:
        return ""
    whole = FileCode(code, len(facts.declarations), len(facts.imports))
    return _digest(encode_code(whole))


def _digest(data: bytes) -> str:
    return xxhash.xxh3_64_hexdigest(data)


def differences(before: Path, after: Path) -> Iterator[str]:
    """A line for each part of a tree that differs, with the first files where it does."""
    for name in sorted({path.name for folder in (before, after) for path in folder.glob("*.json")}):
        records = [_files(folder / name) for folder in (before, after)]
        paths = sorted({*records[0], *records[1]})
        for number, part in enumerate(_PARTS):
            changed = [
                path
                for path in paths
                if len({record.get(path, [""] * len(_PARTS))[number] for record in records}) > 1
            ]
            if changed:
                shown = ", ".join(changed[:_SHOWN])
                yield f"{name}: {part} of {len(changed)} of {len(paths)} files: {shown}"


def _files(record: Path) -> Mapping[str, list[str]]:
    files: Mapping[str, list[str]] = json.loads(record.read_text("utf-8"))["files"]
    return files


if __name__ == "__main__":
    main()
