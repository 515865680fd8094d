"""Written cases of calls: the line of a call says by marks what it calls, and compilers agree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from code_graph import GraphLinker, Languages, SourceTree
from code_graph.model import CONFIDENCE_OF, FILE, Confidence, EdgeType, Strategy
from tests.code_graph.languages.go import go_calls
from tests.code_graph.languages.kotlin import kotlin_calls
from tests.code_graph.languages.native import c_calls, cpp_calls, rust_calls
from tests.code_graph.languages.php import php_calls
from tests.code_graph.languages.swift import swift_calls

_DECLARED = re.compile(r"//= (\w+)")
_CALLED = re.compile(r"//> ([\w. ]+)")
_SURE = frozenset({Confidence.EXACT, Confidence.INFERRED})
_RUST = {"Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n'}
_GO = {"go.mod": "module example.com/app\n\ngo 1.19\n"}


def _calls(texts: Mapping[str, str], path: str) -> dict[int, list[str]]:
    """The lines that lines of a file call, and the names of what is in other files."""
    tree = SourceTree(dict(texts), Languages())
    linker = GraphLinker(tree)
    linked = [linker.link(name) for name in tree.paths()]
    facts = {name: tree.facts(name) for name in tree.paths()}
    names: dict[int, str] = {}
    for file in linked:
        known = facts[file.path]
        for symbol in file.symbols:
            if symbol.declaration != FILE and known is not None:
                item = known.declarations[symbol.declaration]
                own = str(item.name_line)
                stem = file.path.rpartition("/")[2].partition(".")[0]
                names[symbol.id] = own if file.path == path else f"{stem}.{item.name}"
    found: dict[int, list[str]] = defaultdict(list)
    for file in linked:
        for edge in file.edges if file.path == path else ():
            is_sure = CONFIDENCE_OF[Strategy(edge.strategy)] in _SURE
            if edge.type == EdgeType.CALLS and is_sure and edge.target in names:
                found[edge.line].append(names[edge.target])
    return {line: sorted(rows) for line, rows in found.items()}


def _marked(text: str) -> dict[int, list[str]]:
    lines = text.split("\n")
    declared = {
        name: str(number)
        for number, line in enumerate(lines, 1)
        for name in _DECLARED.findall(line)
    }
    found: dict[int, list[str]] = {}
    for number, line in enumerate(lines, 1):
        for names in _CALLED.findall(line):
            rows = [declared.get(name, name) for name in names.split() if name != "none"]
            found[number] = sorted(rows)
    return found


def _check(texts: Mapping[str, str], path: str) -> None:
    expected = _marked(texts[path])
    assert expected
    calls = _calls(texts, path)
    assert {line: calls.get(line, []) for line in expected} == expected


@pytest.mark.parametrize("text", rust_calls.CASES.values(), ids=rust_calls.CASES)
def test_calls_of_rust_are_found(text: str) -> None:
    _check({**_RUST, "src/lib.rs": text}, "src/lib.rs")


@pytest.mark.parametrize("text", go_calls.CASES.values(), ids=go_calls.CASES)
def test_calls_of_go_are_found(text: str) -> None:
    _check({**_GO, **go_calls.BESIDE, "app.go": text}, "app.go")


@pytest.mark.parametrize("text", c_calls.CASES.values(), ids=c_calls.CASES)
def test_calls_of_c_are_found(text: str) -> None:
    _check({"app.c": text}, "app.c")


@pytest.mark.parametrize("text", cpp_calls.CASES.values(), ids=cpp_calls.CASES)
def test_calls_of_cpp_are_found(text: str) -> None:
    _check({"app.cpp": text}, "app.cpp")


@pytest.mark.parametrize("text", kotlin_calls.CASES.values(), ids=kotlin_calls.CASES)
def test_calls_of_kotlin_are_found(text: str) -> None:
    _check({"app.kt": text}, "app.kt")


@pytest.mark.parametrize("text", php_calls.CASES.values(), ids=php_calls.CASES)
def test_calls_of_php_are_found(text: str) -> None:
    _check({"app.php": text}, "app.php")


@pytest.mark.parametrize("text", swift_calls.CASES.values(), ids=swift_calls.CASES)
def test_calls_of_swift_are_found(text: str) -> None:
    _check({"app.swift": text}, "app.swift")


@pytest.mark.servers
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(
    ("cases", "options"),
    [
        (c_calls.CASES, ["-x", "c", "-std=gnu11"]),
        (cpp_calls.CASES, ["-x", "c++", "-std=c++17"]),
    ],
    ids=["c", "cpp"],
)
def test_the_compiler_takes_the_cases_of_c(
    cases: Mapping[str, str], options: list[str], tmp_path: Path
) -> None:
    source = tmp_path / "app"
    for name, text in cases.items():
        source.write_text(text, "utf-8")
        command = ["gcc", *options, "-w", "-fsyntax-only", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{name}: {done.stderr}"


@pytest.mark.servers
@pytest.mark.skipif(shutil.which("rustc") is None, reason="needs rustc")
def test_the_compiler_takes_the_cases_of_rust(tmp_path: Path) -> None:
    command = ["rustc", "--edition=2021", "--crate-type=lib", "--emit=metadata", "-Awarnings"]
    for name, text in rust_calls.CASES.items():
        source = tmp_path / "lib.rs"
        source.write_text(text, "utf-8")
        out = ["--out-dir", str(tmp_path), str(source)]
        done = subprocess.run([*command, *out], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{name}: {done.stderr}"


@pytest.mark.servers
@pytest.mark.skipif(shutil.which("go") is None, reason="needs go")
def test_the_compiler_takes_the_cases_of_go(tmp_path: Path) -> None:
    for number, text in enumerate(go_calls.CASES.values()):
        folder = tmp_path / f"case{number}"
        for path, source in {**go_calls.BESIDE, "app.go": text}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            inside = source.replace('"example.com/app/', f'"example.com/app/case{number}/')
            (folder / path).write_text(inside, "utf-8")
    (tmp_path / "go.mod").write_text(_GO["go.mod"], "utf-8")
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GOCACHE": str(tmp_path / "cache")}
    command = ["go", "build", "./..."]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
