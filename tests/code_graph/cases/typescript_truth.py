"""The truth of cases of TypeScript, as the compiler tells it.

    TYPESCRIPT=…/typescript.js python -m tests.code_graph.cases.typescript_truth

It writes `expected.json` of each case in `compiler`; what it does not judge stays in `may`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from bench.graph.edges import CALLS, IMPLEMENTS, OVERRIDES, Edge, Truth, Where
from bench.graph.typescript_oracle import OPTIONS, judge
from code_graph import SourceTree
from code_graph.identity import chain_of
from tests.code_graph.cases.case_runner import (
    CASES,
    TRUTH,
    Case,
    cases,
    constructed,
    constructor_of,
)

FOLDER: Final = "compiler/"
_ROOT: Final = CASES / "typescript" / "compiler"
_TYPES: Final = frozenset({CALLS, IMPLEMENTS, OVERRIDES})
_CONFIG: Final = "tsconfig.json"
_STRICT: Final = {"strict": True, "target": "esnext", "lib": ["esnext", "dom"]}
_MAY: Final = "may"
_LANGUAGE: Final = "typescript"
Rows = dict[str, dict[str, set[str]]]


def compiler() -> Path | None:
    """The compiler's module, if there is one here: `TYPESCRIPT`, or that of `tsc`."""
    named, program = os.environ.get("TYPESCRIPT"), shutil.which("tsc")
    if named is None and program is not None:
        named = str(Path(program).resolve().parents[1] / "lib" / "typescript.js")
    found = Path(named) if named and shutil.which("node") else None
    return found if found is not None and found.exists() else None


def judged_cases() -> list[Case]:
    """The cases whose truth is the compiler's."""
    return [case for case in cases(_LANGUAGE) if case.name.startswith(FOLDER)]


def judged(case: Case, module: Path) -> Truth:
    """The compiler's edges of a case."""
    with tempfile.TemporaryDirectory() as folder:
        root, out = Path(folder) / "case", Path(folder) / "truth.jsonl"
        shutil.copytree(case.root, root)
        config = _CONFIG if (root / _CONFIG).exists() else ""
        options = {**OPTIONS, **_STRICT}
        judge(root, out, module, {"config": config, "compilerOptions": options})
        return Truth.read(out)


def errors(case: Case, module: Path) -> str:
    """The compiler's messages about a case."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "case"
        shutil.copytree(case.root, root)
        base = {"extends": f"./{_CONFIG}"} if (root / _CONFIG).exists() else {}
        given = {
            **OPTIONS,
            **_STRICT,
            "noEmit": True,
            "jsx": "preserve",
            "strictPropertyInitialization": False,
        }
        config = root / "tsconfig.check.json"
        config.write_text(json.dumps({**base, "compilerOptions": given, "include": ["**/*"]}))
        command = ["node", str(module.with_name("tsc.js")), "--project", str(config)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout


def expected(case: Case, truth: Truth) -> dict[str, object]:
    """The edges of a case in the form of its file."""
    names = dict(_names(case))
    found: Rows = defaultdict(lambda: defaultdict(set))
    for edge in truth.edges:
        if edge.type in _TYPES:
            source = constructor_of(names[edge.source], _LANGUAGE)
            found[_kind(truth, edge)][source].add(constructed(names[edge.target], _LANGUAGE))
    rows: dict[str, object] = dict(_sorted(found))
    may = read(case).get(_MAY)
    return rows if may is None else {**rows, _MAY: may}


def _kind(truth: Truth, edge: Edge) -> str:
    """The type of an edge in the words of the graph."""
    if edge.type != IMPLEMENTS:
        return edge.type
    source, target = truth.kinds.get(edge.source), truth.kinds.get(edge.target)
    if source == "interface":
        return "extends"
    return "inherits" if target == "class" else "implements"


def _names(case: Case) -> Iterator[tuple[Where, str]]:
    """The qualified name of each declaration of a case, and of its files."""
    paths = sorted(path for path in case.root.rglob("*.ts*") if path.suffix in {".ts", ".tsx"})
    tree = SourceTree({path.relative_to(case.root).as_posix(): path.read_text() for path in paths})
    for path in tree.paths():
        module = path.rpartition(".")[0].replace("/", ".")
        yield Where(path, 0, ""), module
        facts = tree.facts(path)
        rows = () if facts is None else facts.declarations
        for number, item in enumerate(rows):
            name = ".".join((module, *chain_of(rows, number)))
            yield Where(path, item.name_line, item.name), name


def _sorted(rows: Rows) -> Iterator[tuple[str, dict[str, list[str]]]]:
    for type_, sources in sorted(rows.items()):
        yield type_, {source: sorted(targets) for source, targets in sorted(sources.items())}


def read(case: Case) -> Mapping[str, object]:
    """The truth of a case as its file has it."""
    found: Mapping[str, object] = json.loads((case.root / TRUTH).read_text("utf-8"))
    return found


def main() -> None:
    """Write the truth of all cases that the compiler judges."""
    module = compiler()
    if module is None:
        raise SystemExit("there is no node, or no compiler: set TYPESCRIPT")
    for path in sorted({item.parent for item in _ROOT.rglob("*.ts*")}):
        if not any((folder / TRUTH).exists() for folder in (path, *path.parents)):
            (path / TRUTH).write_text("{}\n", "utf-8")
    for case in judged_cases():
        text = json.dumps(expected(case, judged(case, module)), indent=1)
        (case.root / TRUTH).write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
