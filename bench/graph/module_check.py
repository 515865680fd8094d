"""Compares where imports of a checkout lead with the interpreter's and the compiler's own answer.

    python -m bench.graph.module_check python CHECKOUT [ROOT …]
    python -m bench.graph.module_check typescript CHECKOUT NODE_MODULES/typescript

Python: each absolute import of each file against `PathFinder` over the file's own root, the roots
given, and the checkout. TypeScript: each specifier against `ts.resolveModuleName`, with links to
the packages of the workspace laid out as an installation would.
"""

from __future__ import annotations

import argparse
import ast
import importlib.machinery
import json
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from code_graph.languages.ecmascript.imports import EcmaScriptModules
from code_graph.languages.python.imports import PythonRoots
from code_graph.projects.catalog import Projects, read_projects
from code_graph.projects.model import ImportOutcome, ProjectKind, Resolution
from code_graph.projects.tree import Probe

SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
SHOWN = 25


def read_tree(root: Path) -> Projects:
    """The projects of a checkout."""
    skipped = {".git", "node_modules", "__pycache__", "site-packages"}
    paths = [
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if skipped.isdisjoint(path.relative_to(root).parts) and path.is_file()
    ]

    def read(path: str) -> str | None:
        return (root / path).read_text(encoding="utf-8", errors="replace")

    started = time.perf_counter()
    projects = read_projects(paths, read)
    took = time.perf_counter() - started
    sys.stdout.write(f"{len(paths)} files, {len(projects.all)} projects, {took * 1e3:.0f} ms\n")
    return projects


def absolute_imports(text: bytes) -> set[str]:
    """The modules that a file imports by their whole names."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in found if not name.endswith("*")}


def located(module: str, path: list[str]) -> str | None:
    """Where the import system finds a module, without importing anything."""
    spec = None
    for part in module.split("."):
        spec = importlib.machinery.PathFinder.find_spec(part, path)
        if spec is None:
            return None
        # the path of a namespace asks for its parent, which is not imported here
        places = spec.submodule_search_locations
        path = list(getattr(places, "_path", places) or [])
    if spec is not None and spec.has_location:
        return spec.origin
    return path[0] if path else None


def python_cases(root: Path, projects: Projects, extra: list[str]) -> Iterator[tuple[str, ...]]:
    """File, module and expected path of each absolute import; the path is empty for none."""
    for path in sorted(projects.tree.files):
        if not path.endswith(".py"):
            continue
        try:
            modules = absolute_imports((root / path).read_bytes())
        except (SyntaxError, ValueError):
            continue
        folder = (root / path).parent
        while folder != root and (folder / "__init__.py").exists():
            folder = folder.parent
        places = [str(folder), *(str(root / name) for name in extra), str(root)]
        for module in sorted(modules):
            origin = located(module, places)
            inside = Path(origin) if origin and origin.startswith(f"{root}/") else None
            known = inside is not None and (inside.suffix in (".py", ".pyi") or inside.is_dir())
            yield path, module, inside.relative_to(root).as_posix() if inside and known else ""


def typescript_cases(root: Path, projects: Projects, compiler: str) -> Iterator[tuple[str, ...]]:
    """File, specifier and expected path of each import; the path is empty for none."""
    for project in projects.all:
        if project.kind is ProjectKind.NPM and project.workspace:
            link = root / "node_modules" / project.name
            link.parent.mkdir(parents=True, exist_ok=True)
            if not link.exists():
                link.symlink_to(root / project.root)
    files = [path for path in sorted(projects.tree.files) if path.endswith(SCRIPTS)]
    node = shutil.which("node")
    if node is None:
        raise SystemExit("node is not installed")
    script = Path(__file__).with_name("resolve_modules.js")
    command = [node, str(script), compiler, str(root)]
    run = subprocess.run(
        command, input="\n".join(files), capture_output=True, text=True, check=True
    )
    for line in run.stdout.splitlines():
        row = json.loads(line)
        yield row["file"], row["specifier"], row["found"] or ""


def compare(
    cases: Iterator[tuple[str, ...]], find: Callable[[str, str], Resolution]
) -> Counter[str]:
    """Counts of equal, other, extra and lacking answers; some of those that differ are printed."""
    counts: Counter[str] = Counter()
    spent, shown = 0.0, Counter[str]()
    for path, module, expected in cases:
        started = time.perf_counter()
        found = find(module, path)
        spent += time.perf_counter() - started
        actual = found.path if found.outcome in (ImportOutcome.FILE, ImportOutcome.FOLDER) else ""
        kind = "equal"
        if actual != expected:
            kind = "other" if actual and expected else "extra" if actual else "lacking"
            shown[kind] += 1
            if shown[kind] <= SHOWN:
                sys.stdout.write(f"{kind}: {path} {module}: {actual!r}, not {expected!r}\n")
        counts[kind] += 1
    total = sum(counts.values())
    sys.stdout.write(f"{dict(counts)}, {spent / max(total, 1) * 1e6:.1f} µs each\n")
    return counts


def main() -> int:
    """Compares one checkout."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", choices=["python", "typescript"])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("more", nargs="*", help="roots, or the folder of the compiler")
    arguments = parser.parse_args()
    root = arguments.checkout.resolve()
    projects = read_tree(root)
    probe = Probe(projects.tree)
    if arguments.language == "python":
        roots = PythonRoots(projects)
        cases = python_cases(root, projects, arguments.more)
        compare(cases, lambda module, path: roots.find(module, path, probe))
    else:
        modules = EcmaScriptModules(projects)
        cases = typescript_cases(root, projects, arguments.more[0])
        compare(cases, lambda module, path: modules.find(module, path, probe))
    return 0


if __name__ == "__main__":
    sys.exit(main())
