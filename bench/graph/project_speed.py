"""Measures reading the projects of a written monorepo of 100,000 files, and finding imports in it.

python -m bench.graph.project_speed [--files 100000] [--projects 3000]
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from code_graph.languages.c.imports import IncludePaths
from code_graph.languages.ecmascript.imports import EcmaScriptModules
from code_graph.languages.go.imports import GoPackages
from code_graph.languages.python.imports import PythonRoots
from code_graph.languages.rust.imports import RustModules
from code_graph.languages.swift.imports import SwiftModules
from code_graph.projects.catalog import Projects, read_projects
from code_graph.projects.tree import Probe

ROUNDS = 20_000
Case = tuple[str, str]

# the folder of a project, its manifests, and how its files are called; {n} is its number
LAYOUTS: Sequence[tuple[str, Mapping[str, str], str]] = (
    (
        "py/p{n}",
        {
            "pyproject.toml": '[project]\nname = "p{n}"\ndependencies = ["p{m}", "numpy>=2"]\n'
            '[tool.setuptools.packages.find]\nwhere = ["src"]\n[tool.ruff]\nline-length = 100\n'
        },
        "src/p{n}/sub{d}/m{f}.py",
    ),
    (
        "web/w{n}",
        {
            "package.json": '{{"name": "@my/w{n}", "version": "1.0.0", "exports": {{".": '
            '{{"types": "./dist/index.d.ts", "import": "./dist/index.js"}}}}, '
            '"dependencies": {{"@my/w{m}": "workspace:*", "react": "^19.0.0"}}}}',
            "tsconfig.json": '{{"extends": "../../tsconfig.base.json", // own\n'
            '"include": ["src"]}}',
            "src/index.ts": "",
        },
        "src/d{d}/m{f}.ts",
    ),
    (
        "rs/r{n}",
        {
            "Cargo.toml": '[package]\nname = "r{n}"\nversion = "0.1.0"\nedition = "2021"\n'
            '[dependencies]\nr{m} = {{ path = "../r{m}" }}\nserde = "1"\n',
            "src/lib.rs": "",
        },
        "src/d{d}/m{f}.rs",
    ),
    ("go/g{n}", {"go.mod": "module example.com/g{n}\n\ngo 1.22\n"}, "d{d}/m{f}.go"),
    (
        "jvm/j{n}",
        {
            "pom.xml": "<project><parent><groupId>org.x</groupId></parent><artifactId>j{n}"
            "</artifactId><dependencies><dependency><groupId>org.x</groupId><artifactId>j{m}"
            "</artifactId></dependency></dependencies></project>"
        },
        "src/main/java/org/x/j{n}/d{d}/M{f}.java",
    ),
    (
        "net/N{n}",
        {
            "N{n}.csproj": '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup><ProjectReference '
            'Include="..\\N{m}\\N{m}.csproj" /></ItemGroup></Project>'
        },
        "D{d}/M{f}.cs",
    ),
)
CASES: Mapping[str, tuple[Callable[[Projects], Any], Sequence[Case]]] = {
    "python": (
        PythonRoots,
        (
            ("p12.sub1.m1", "py/p6/src/p6/sub0/m0.py"),
            ("os.path", "py/p6/src/p6/sub0/m0.py"),
            ("numpy.linalg", "py/p6/src/p6/sub0/m0.py"),
            ("..sub1.m1", "py/p6/src/p6/sub0/m0.py"),
        ),
    ),
    "ecmascript": (
        EcmaScriptModules,
        (
            ("../d1/m1", "web/w1/src/d0/m0.ts"),
            ("@my/w7", "web/w1/src/d0/m0.ts"),
            ("react", "web/w1/src/d0/m0.ts"),
            ("@/d1/m1", "web/w1/src/d0/m0.ts"),
        ),
    ),
    "go": (GoPackages, (("example.com/g9/d1", "go/g3/d0/m0.go"), ("fmt", "go/g3/d0/m0.go"))),
    "rust": (
        RustModules,
        (("crate::d1::m1::X", "rs/r2/src/d0/m0.rs"), ("std::io::Read", "rs/r2/src/d0/m0.rs")),
    ),
    "c": (IncludePaths, (("m1.h", "c/m.c"), ("stdio.h", "c/m.c"))),
    "swift": (SwiftModules, (("Foundation", "s/m.swift"),)),
}


def written_tree(files: int, projects: int) -> dict[str, str]:
    """A monorepo of several ecosystems in equal parts; the manifests have text."""
    tree = {
        "package.json": '{"name": "root", "workspaces": ["web/*"]}',
        "tsconfig.base.json": '{"compilerOptions": {"baseUrl": ".", '
        '"paths": {"@/*": ["web/w1/src/*"]}}}',
        "Cargo.toml": '[workspace]\nmembers = ["rs/*"]\n',
    }
    each = max((files - len(tree)) // max(projects, 1), 1)
    for number in range(projects):
        folder, manifests, pattern = LAYOUTS[number % len(LAYOUTS)]
        values = {"n": number, "m": (number + len(LAYOUTS)) % max(projects, 1)}
        root = folder.format(**values)
        for name, text in manifests.items():
            tree[f"{root}/{name.format(**values)}"] = text.format(**values)
        if "py/" in folder:
            tree[f"{root}/src/p{number}/__init__.py"] = ""
            tree.update((f"{root}/src/p{number}/sub{at}/__init__.py", "") for at in range(4))
        for at in range(each - len(manifests)):
            tree[f"{root}/{pattern.format(**values, d=at % 4, f=at)}"] = ""
    return tree


def timed(what: str, call: Callable[[], Any]) -> Any:  # noqa: ANN401 what the call gives
    """The result of a call, the fastest of three, whose time is printed."""
    times = []
    result: Any = None
    for _ in range(3):
        result = None
        gc.collect()
        started = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - started)
    sys.stdout.write(f"{what}: {min(times) * 1e3:.0f} ms\n")
    return result


def main() -> int:
    """Prints the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--projects", type=int, default=3000)
    arguments = parser.parse_args()
    tree = written_tree(arguments.files, arguments.projects)
    projects: Projects = timed("read projects", lambda: read_projects(tree, tree.get))
    sys.stdout.write(
        f"{len(tree)} files, {len(projects.all)} projects, {len(projects.notes)} notes\n"
    )
    assert not projects.notes
    timed("project of each file", lambda: [projects.project_of(path) for path in tree])
    for name, (make, cases) in CASES.items():
        finder = timed(f"{name}: prepare", partial(make, projects))
        noted: set[str] = set()
        probe = Probe(projects.tree, noted.add)
        for specifier, path in cases:
            started = time.perf_counter()
            for _ in range(ROUNDS):
                finder.find(specifier, path, probe)
            each = (time.perf_counter() - started) / ROUNDS * 1e6
            found = finder.find(specifier, path, probe)
            sys.stdout.write(f"  {specifier}: {found.outcome.name} {found.path}, {each:.1f} µs\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
