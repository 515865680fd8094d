"""Compares which lines a build compiles with what libclang skips for the same commands.

    python -m bench.builds --root TREE [--database build/compile_commands.json] [--files 200]
        [--include DIR …] [--write]

Judged are the lines of sources of the database, without directives and blank lines: all of them,
and those inside of conditions. A line is wrong if we say that it is left out and clang reads it, or
the other way round; where we do not know, the answer shows it as compiled with its condition, and
counts as that. `--include` names folders that clang needs and the library does not bring, as gcc's
own. To conclude: the shares of lines that are right.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from bench import machine
from code_graph.conditions.branches import Branches, conditions_of, evaluate_branches
from code_graph.conditions.definitions import MacroTable
from code_graph.conditions.truth import Truth
from code_graph.languages.c.compile_commands import CompiledFiles, words_of
from repo_mcp.builds.tree_files import SandboxFiles, known_directives
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox

_READER: Final = "code_graph.conditions.directives:read_directives"
_MOST_BYTES: Final = 4 << 20
# options of libclang's translation units: keep what the preprocessor did, and do no more
_RECORD: Final = 0x01 | 0x02


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="builds", description=__doc__.partition("\n")[0])
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--database", default="build/compile_commands.json")
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--show", type=int, default=0, help="wrong lines to print")
    parser.add_argument("--write", action="store_true", help="store the figures")
    args = parser.parse_args()
    root = args.root.resolve()
    sandbox = Sandbox(str(root), Denylist(()), max_file_bytes=_MOST_BYTES)
    text = (root / args.database).read_text("utf-8")
    build = CompiledFiles(args.database, text, str(root))
    rows = _sources(json.loads(text), root)
    drawn = random.Random(args.seed).sample(rows, min(args.files, len(rows)))
    counts: Counter[str] = Counter()
    seconds: list[float] = []
    shown = args.show
    for row, path in drawn:
        skipped = _skipped(row, args.include)
        if skipped is None:
            counts["files clang can't read"] += 1
            continue
        begin = time.process_time()
        ours, plain = _branches(build, path, SandboxFiles(sandbox, known_directives()))
        seconds.append(time.process_time() - begin)
        for line, wrong in _judge(root / path, ours, plain, skipped, counts):
            if shown:
                shown -= 1
                print(f"{path}:{line}: {wrong} {plain.at(line).condition}")
        counts["files"] += 1
    record = _record(args.root.name, counts, seconds)
    print(json.dumps(record, indent=1))
    if args.write:
        machine.keep(f"builds-{args.root.name}", record)


def _sources(rows: Sequence[Any], root: Path) -> list[tuple[Any, str]]:
    sources = []
    for row in rows:
        path = (Path(row["directory"]) / row["file"]).resolve()
        if path.is_relative_to(root) and path.suffix != ".S":
            sources.append((row, str(path.relative_to(root))))
    return sorted(sources, key=lambda source: source[1])


def _branches(build: CompiledFiles, path: str, files: SandboxFiles) -> tuple[Branches, Branches]:
    directives = conditions_of(files.text(path) or "", path, _READER)
    plain = evaluate_branches(directives, MacroTable())
    definitions = build.definitions(path, "c", files)
    return evaluate_branches(directives, definitions or MacroTable()), plain


def _judge(
    file: Path, ours: Branches, plain: Branches, skipped: set[int], counts: Counter[str]
) -> Iterator[tuple[int, str]]:
    text = file.read_text("utf-8", "replace")
    directives = conditions_of(text, "", _READER)
    written = {line for item in directives for line in range(item.line, item.last + 1)}
    for line, row in enumerate(text.split("\n"), 1):
        if not row.strip() or line in written or row.lstrip().startswith("#"):
            continue
        truth = ours.at(line).truth
        is_right = (truth == Truth.FALSE) == (line in skipped)
        kinds = ["lines", "lines in conditions"] if plain.at(line).condition else ["lines"]
        for kind in kinds:
            counts[kind] += 1
            counts[f"right {kind}"] += is_right
            counts[f"unknown {kind}"] += truth == Truth.UNKNOWN
        if truth != Truth.UNKNOWN and kinds[1:]:
            counts["claims"] += 1
            counts["right claims"] += is_right
        if not is_right:
            yield line, f"{truth.name}, clang {'skips' if line in skipped else 'reads'} it:"


def _skipped(row: Any, include: Sequence[str]) -> set[int] | None:  # noqa: ANN401 a row of JSON
    """The lines of a source that clang's preprocessor skips; None if it can't read the file."""
    cindex: Any = import_module("clang.cindex")
    library = cindex.conf.lib
    # the file itself is named apart
    arguments = [word for word in words_of(row)[1:] if not row["file"].endswith(f"/{word}")]
    arguments = [word for word in arguments if word not in {"-c", row["file"]}]
    # warnings, and options of code generation that clang does not know
    arguments = [word for word in arguments if not word.startswith(("-W", "-f", "-m", "--param"))]
    arguments += [f"-working-directory={row['directory']}", *(f"-isystem{it}" for it in include)]
    path = str(Path(row["directory"]) / row["file"])
    try:
        unit = cindex.Index.create().parse(path, arguments, options=_RECORD)
    except cindex.TranslationUnitLoadError:
        return None
    if any("file not found" in item.spelling for item in unit.diagnostics):
        return None
    library.clang_getSkippedRanges.argtypes = [cindex.TranslationUnit, cindex.c_object_p]
    library.clang_getSkippedRanges.restype = ctypes.POINTER(_ranges_of(cindex))
    ranges = library.clang_getSkippedRanges(unit, unit.get_file(path)).contents
    lines: set[int] = set()
    for number in range(ranges.count):
        extent = ranges.ranges[number]
        lines.update(range(extent.start.line + 1, extent.end.line))
    return lines


def _ranges_of(cindex: Any) -> type[ctypes.Structure]:  # noqa: ANN401 clang has no types
    """The list of ranges of libclang."""
    fields = [("count", ctypes.c_uint), ("ranges", ctypes.POINTER(cindex.SourceRange))]
    return type("Ranges", (ctypes.Structure,), {"_fields_": fields})


def _record(name: str, counts: Counter[str], seconds: Sequence[float]) -> dict[str, object]:
    shares = {
        f"{kind}_right": round(counts[f"right {kind}"] / max(counts[kind], 1), 5)
        for kind in ("lines", "lines in conditions", "claims")
    }
    ordered = sorted(seconds) or [0.0]
    return {
        "tree": name,
        **dict(sorted(counts.items())),
        **{key.replace(" ", "_"): share for key, share in shares.items()},
        "file_ms_p50": round(ordered[len(ordered) // 2] * 1000, 1),
        "file_ms_p95": round(ordered[len(ordered) * 95 // 100] * 1000, 1),
    }


if __name__ == "__main__":
    main()
