"""An import has an edge to the file that it names, wherever its names are declared."""

from __future__ import annotations

import pytest

from code_graph import SourceTree
from code_graph.identity import file_id
from code_graph.link.linker import GraphLinker
from code_graph.model import EdgeType


def files_imported(texts: dict[str, str], path: str) -> list[tuple[int, int, str]]:
    """The lines and columns of imports of whole files, each with the file."""
    paths = {file_id(name): name for name in texts}
    edges = GraphLinker(SourceTree(texts)).link(path).edges
    return sorted(
        (edge.line, edge.column, paths[edge.target])
        for edge in edges
        if edge.type == EdgeType.IMPORTS and edge.target in paths
    )


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("import { f } from './index'", 0),
        ("export { f } from './index'", 0),
        ("export * from './index'", 0),
        ("import './index'", 0),
        ("const g = await import('./index')", 0),
        ("import type { f } from './index'", 0),
        ("import * as all from './index'", 12),
    ],
)
def test_a_module_is_read_where_it_is_named(line: str, column: int) -> None:
    texts = {
        "a.ts": line,
        "index.ts": "export * from './inner'",
        "inner.ts": "export function f() {}",
    }
    assert files_imported(texts, "a.ts") == [(1, column, "index.ts")]


def test_a_package_is_read_where_a_name_is_taken_of_it() -> None:
    texts = {
        "a.py": "from p import f\n\ndef g():\n    from p.inner import f\n",
        "p/__init__.py": "from .inner import f\n",
        "p/inner.py": "def f(): ...\n",
    }
    assert files_imported(texts, "a.py") == [(1, 0, "p/__init__.py"), (4, 0, "p/inner.py")]


def test_a_file_that_an_import_binds_has_one_edge() -> None:
    texts = {"a.py": "from p import inner\nimport q as r\n", "p/inner.py": "", "q.py": ""}
    assert files_imported(texts, "a.py") == [(1, 14, "p/inner.py"), (2, 7, "q.py")]
