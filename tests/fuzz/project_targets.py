"""Manifests of packages, imports that are found by what they say, and indexes of SCIP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.code_graph.languages.ecmascript import test_imports
from tests.code_graph.projects import test_projects
from tests.code_graph.projects.written import NAMES, use_all
from tests.code_graph.scip.exports import export, linked, read
from tests.code_graph.scip.test_overlay import BOTH, FILES, HOSTILE
from tests.fuzz.engine import Target, text_of

_FILES: Final = dict.fromkeys(
    [
        *(
            "a/x/b.py",
            "a/x/src/c/__init__.py",
            "a/x/main.ts",
            "a/x/src/index.tsx",
            "a/x/src/lib.rs",
        ),
        *("a/x/d/e.go", "a/x/src/main/java/f/G.java", "a/x/Sources/T/h.swift", "a/x/i.cs", "a/j.h"),
    ],
    "",
)


def run_manifest(data: bytes) -> object:
    """Any text of a manifest gives projects, and imports that lead to files of the tree."""
    name = NAMES[(data[:1] or b"\0")[0] % len(NAMES)]
    use_all({**_FILES, f"a/x/{name}": text_of(data[1:]), "a/package.json": '{"name": "a"}'})
    return name


def manifest_seeds() -> Iterator[bytes]:
    """The manifests of written trees."""
    trees = [value for name, value in vars(test_projects).items() if name.isupper()]
    for tree in (*trees, test_imports.WORKSPACE, test_imports.MAPPED):
        for path, text in tree.items() if isinstance(tree, dict) else ():
            for number, name in enumerate(NAMES):
                if text and path.endswith(name.removeprefix("x")):
                    yield bytes([number]) + text.encode()


PROJECT_MANIFEST: Final = Target(
    "project_manifest",
    run_manifest,
    manifest_seeds,
    ("code_graph/projects", "code_graph/formats/xml_tree.py", "code_graph/formats/jsonc.py"),
)


def run_scip(data: bytes) -> object:
    """Any bytes of an imported index change edges, or nothing."""
    scip = read(data, FILES)
    return scip.reports, [len(file.edges) for file in linked(FILES, scip).values()]


SCIP_INDEX: Final = Target(
    "scip_index",
    run_scip,
    lambda: iter([BOTH, *HOSTILE.values(), export(FILES)[0]]),
    ("code_graph/scip",),
)

TARGETS: Final = (PROJECT_MANIFEST, SCIP_INDEX)
