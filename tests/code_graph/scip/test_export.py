"""The exported index, read by protobuf's own implementation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.code_graph.cases.case_runner import CASES, TRUTH
from tests.code_graph.scip.exports import export
from tests.code_graph.scip.schema import Index

LANGUAGES = ("python", "typescript", "csharp", "java", "go")
FOLDERS = [
    folder for name in LANGUAGES for folder in sorted((CASES / name).iterdir()) if folder.is_dir()
]
SMALL = {
    "pyproject.toml": '[project]\nname = "demo"\nversion = "1.2"\n',
    "pkg/__init__.py": "",
    "pkg/a.py": (
        "from pkg.b import Base as B, helper\nimport os\n\n"
        'class Derived(B):\n    """Derives."""\n    def run(self, x: B) -> int:\n'
        "        def inner():\n            return 1\n"
        '        return helper(inner()) + os.path.join("ä", x)\n\n'
        "d = Derived()\nd.run(B())\n"
    ),
    "pkg/b.py": (
        "class Base:\n    def __init__(self):\n        self.x = 1\n"
        "    def run(self, x):\n        return x\n\ndef helper(n):\n    return n\n"
    ),
}


def texts(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8")
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != TRUTH
    }


def parsed(files: dict[str, str]) -> Any:  # noqa: ANN401 protobuf's classes have no types
    return Index.FromString(export(files)[0])


def occurrences(index: Any, path: str) -> list[tuple[list[int], str, int]]:  # noqa: ANN401
    (document,) = [item for item in index.documents if item.relative_path == path]
    return [([*item.range], item.symbol, item.symbol_roles) for item in document.occurrences]


@pytest.mark.parametrize(
    "folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}-{folder.name}"
)
def test_every_range_holds_the_name_of_its_symbol(folder: Path) -> None:
    files = texts(folder)
    index = parsed(files)
    known = {("", info.symbol): info.display_name for info in index.external_symbols}
    for document in index.documents:
        for info in document.symbols:
            known[_owner(document, info.symbol), info.symbol] = info.display_name
    assert index.documents
    for document in index.documents:
        lines = files[document.relative_path].split("\n")
        for item in document.occurrences:
            line, begin, end = item.range
            name = known[_owner(document, item.symbol), item.symbol]
            word = lines[line][begin:end]
            is_alias = _is_alias(word, files[document.relative_path])
            is_other = name in {"__init__", "__new__", "constructor"} or is_alias
            is_file = item.symbol.endswith("__file__:")
            assert word == name or is_other or is_file
            if item.symbol_roles & 1 and begin != end:
                first, column, last, stop = item.enclosing_range
                assert word == name
                assert (first, column) <= (line, begin)
                assert (last, stop) >= (line, end)


def _owner(document: Any, symbol: str) -> str:  # noqa: ANN401 as above
    """The path of the document that a local belongs to."""
    return document.relative_path if symbol.startswith("local") else ""


def _is_alias(word: str, text: str) -> bool:
    named = (f"{before} {word}" for before in ("as", "using", "import"))
    return any(form in text for form in (*named, f'{word} "'))


def test_documents_say_what_is_where() -> None:
    index = parsed(SMALL)
    assert index.metadata.tool_info.name == "repo-mcp"
    assert index.metadata.project_root == "file:///the%20root"
    assert [item.relative_path for item in index.documents] == [
        "pkg/__init__.py",
        "pkg/a.py",
        "pkg/b.py",
    ]
    here, there = ("repo-mcp pip demo 1.2 pkg/`a.py`/", "repo-mcp pip demo 1.2 pkg/`b.py`/")
    found = occurrences(index, "pkg/a.py")
    assert ([0, 18, 22], f"{there}Base#", 2) in found  # an import
    assert ([3, 6, 13], f"{here}Derived#", 1) in found
    assert ([8, 15, 21], f"{there}helper().", 8) in found  # a call reads
    assert ([10, 0, 1], f"{here}d.", 1) in found
    assert ([11, 2, 5], f"{here}Derived#run().", 8) in found
    inner = next(symbol for place, symbol, _ in found if place == [6, 12, 17])
    assert inner.startswith("local ")
    assert ([8, 22, 27], inner, 8) in found
    assert ([8, 41, 45], "repo-mcp external . . os/path/join.", 8) in found
    assert [item.display_name for item in index.external_symbols] == ["os", "join"]


def test_symbols_have_kind_signature_and_relations() -> None:
    index = parsed(SMALL)
    infos = {info.display_name: info for info in index.documents[1].symbols}
    assert (infos["Derived"].kind, infos["run"].kind, infos["d"].kind) == (7, 26, 61)
    assert [*infos["Derived"].documentation] == ["Derives."]
    assert infos["run"].signature_documentation.text == "def run(self, x: B) -> int"
    assert infos["run"].enclosing_symbol == infos["Derived"].symbol
    (base,) = infos["Derived"].relationships
    assert base.symbol.endswith("Base#")
    assert base.is_implementation
    (method,) = infos["run"].relationships
    assert method.symbol.endswith("Base#run().")
    assert method.is_implementation
    assert method.is_reference


def test_symbols_of_different_declarations_differ() -> None:
    files = {
        "a.cs": "class A { void F(int x) {} void F(string x) {} }\nclass A<T> { void F(int x) {} }",
        "b.cs": "partial class P { void F(int x) {} }",
        "c.cs": "partial class P { void F(string x) {} }",
    }
    index = parsed(files)
    defined = [
        (item.symbol, document.relative_path, [*item.range])
        for document in index.documents
        for item in document.occurrences
        if item.symbol_roles & 1 and item.range[1] != item.range[2]
    ]
    assert len(defined) == 9
    # the two parts of P have one
    assert len({symbol for symbol, _, _ in defined}) == 8


def test_a_file_that_changed_meanwhile_is_left_out() -> None:
    data, counts = export(SMALL, {"pkg/b.py": None})
    assert counts.left_out == ["pkg/b.py"]
    assert [item.relative_path for item in Index.FromString(data).documents] == [
        "pkg/__init__.py",
        "pkg/a.py",
    ]


@pytest.mark.servers
def test_equal_files_give_equal_bytes_in_every_process() -> None:
    program = (
        "import sys, hashlib\n"
        "from tests.code_graph.scip.exports import export\n"
        "from tests.code_graph.scip.test_export import SMALL\n"
        "print(hashlib.sha256(export(SMALL)[0]).hexdigest())\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            check=True,
            capture_output=True,
            cwd=Path(__file__).parents[3],
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
