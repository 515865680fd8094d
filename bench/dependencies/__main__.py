"""Compares where uses of packages are opened with what a language's own tool says.

    python -m bench.dependencies LANGUAGE ROOT --keep FOLDER [--differences N] [--record]

A use is judged when the tool finds its declaration in a file of an installed package.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from bench import machine
from bench.dependencies.go_places import ask_go
from bench.dependencies.java_places import ask_java
from bench.dependencies.places import Answers, Target, Use, uses_of
from bench.dependencies.rust_places import ask_rust
from bench.graph.pyright import PACKAGE as PYRIGHT, Pyright
from bench.graph.python_files import Position
from bench.graph.typescript_oracle import PACKAGE as TYPESCRIPT

# folders whose files are of packages
_INSTALLED: Final = (
    "/site-packages/",
    "/node_modules/",
    "/pkg/mod/",
    "/cargo/registry/",
    "-sources.jar/",
)
# packages of the tools themselves, which declare what a language has by itself
_OWN: Final = ("/typeshed-fallback/", "/node_modules/typescript/lib/", "/node_modules/@types/node/")
_RESULT: Final = "dependencies"
_SCRIPT: Final = Path(__file__).with_name("typescript.mjs")


def main() -> None:
    """Print the share of uses that open at the right declaration."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", choices=sorted(_ORACLES))
    parser.add_argument("root", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--files", type=int, default=0, help="of so many files, evenly chosen")
    parser.add_argument("--differences", type=int, default=0)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    root = options.root.resolve()
    uses = uses_of(root, options.keep / "data" / root.name, options.files)
    answers = _ORACLES[options.language](root, uses, options.keep)
    counts: Counter[str] = Counter()
    wrong: list[tuple[Use, Sequence[Target]]] = []
    for use, declared in zip(uses, answers, strict=True):
        outside = [item for item in declared if _is_installed(item.path)]
        if not outside:
            counts["not judged"] += 1
        elif use.target in outside:
            counts["right"] += 1
        else:
            counts["missing" if use.target is None else "wrong"] += 1
            wrong.append((use, outside))
    judged = counts["right"] + counts["missing"] + counts["wrong"]
    print(f"{root.name}: {counts['right'] / max(1, judged):.4f} of {judged}; {dict(counts)}")
    if options.record:
        figures = {**machine.stored(_RESULT), root.name: {**counts, "judged": judged}}
        machine.keep(_RESULT, dict(sorted(figures.items())))
    for use, declared in wrong[: options.differences]:
        place = f"{use.path}:{use.line}:{use.column + 1} {use.name} ({use.kind})"
        print(f"{place}\n  ours {_shown(use.target)}\n  tool {'; '.join(map(_shown, declared))}")


def _is_installed(path: str) -> bool:
    return any(mark in path for mark in _INSTALLED) and not any(mark in path for mark in _OWN)


def _shown(target: Target | None) -> str:
    return "none" if target is None else f"{target.path}:{target.line}"


def _ask_pyright(root: Path, uses: Sequence[Use], keep: Path) -> Answers:
    folder = keep / "node"
    script = folder / "node_modules" / "pyright" / "langserver.index.js"
    if not script.exists():
        _npm(folder, PYRIGHT)
    settings = {"venvPath": str(root), "venv": ".venv", "include": ["."]}
    config = root / "pyrightconfig.json"
    config.write_text(json.dumps(settings), "utf-8")
    found: list[list[Target]] = []
    with Pyright(script, root) as server:
        for path, group in groupby(uses, lambda use: use.path):
            wanted = [*group]
            server.open(path, (root / path).read_text("utf-8"))
            positions = [Position(use.line, use.column) for use in wanted]
            found += (
                [Target(str((root / name).resolve()), at.line) for name, at in declared]
                for declared in server.definitions(path, positions)
            )
            server.close(path)
    config.unlink()
    return found


def _ask_typescript(root: Path, uses: Sequence[Use], keep: Path) -> Answers:
    folder = keep / "node"
    module = folder / "node_modules" / "typescript" / "lib" / "typescript.js"
    if not module.exists():
        _npm(folder, TYPESCRIPT)
    questions = json.dumps([[use.path, use.line, use.column] for use in uses])
    command = ["node", "--max-old-space-size=6000", str(_SCRIPT), str(module), str(root)]
    done = subprocess.run(command, input=questions, capture_output=True, text=True, check=True)
    return [[Target(*item) for item in found] for found in json.loads(done.stdout)]


def _npm(folder: Path, package: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--silent", "--ignore-scripts", "--prefix", str(folder), package]
    subprocess.run(command, check=True)


_ORACLES: Final[Mapping[str, Callable[[Path, Sequence[Use], Path], Answers]]] = {
    "go": ask_go,
    "java": ask_java,
    "python": _ask_pyright,
    "rust": ask_rust,
    "typescript": _ask_typescript,
}

if __name__ == "__main__":
    main()
