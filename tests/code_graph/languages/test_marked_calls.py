"""Written cases of calls: the line of a call says by marks what it calls, and compilers agree.

`//= x` marks a declaration, `//> x` a call of it, `//^ x` a declaration that inherits, implements
or overrides it, `//~ x` a call that may lead to it through a pointer, with any confidence.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from bench.graph.swift_oracle import Compiler, has_compiler
from code_graph import GraphLinker, Languages, SourceTree
from code_graph.model import CONFIDENCE_OF, FILE, Confidence, EdgeType, Strategy
from tests.code_graph.languages.go import go_calls
from tests.code_graph.languages.kotlin import kotlin_calls
from tests.code_graph.languages.native import (
    c_calls,
    c_standard,
    cpp_calls,
    cpp_standard,
    rust_calls,
    rust_reference,
)
from tests.code_graph.languages.php import php_calls
from tests.code_graph.languages.scala import scala_calls
from tests.code_graph.languages.swift import swift_calls, swift_reference

_DECLARED = re.compile(r"//= ([\w ]+)")
_CALLED = re.compile(r"//> ([\w. ]+)")
_MAY_CALL = re.compile(r"//~ ([\w. ]+)")
_BASED = re.compile(r"//\^ ([\w. ]+)")
_BASES = frozenset({EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.EXTENDS, EdgeType.OVERRIDES})
# what a specification's chapters need at least
_LEAST = 60
_SURE = frozenset({Confidence.EXACT, Confidence.INFERRED})
_RUST = {"Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n'}
_GO = {"go.mod": "module example.com/app\n\ngo 1.19\n"}

Lines = dict[int, list[str]]


def _found(texts: Mapping[str, str], path: str) -> tuple[Lines, Lines, Lines]:
    """The lines that lines of a file call, those of bases, and those that may be called.

    What is in another file has the name of its file before its own.
    """
    tree = SourceTree(dict(texts), Languages())
    linker = GraphLinker(tree)
    linked = [linker.link(name) for name in tree.paths()]
    facts = {name: tree.facts(name) for name in tree.paths()}
    names: dict[int, str] = {}
    # a block of methods of a type is a declaration of the type, too
    heads: dict[int, int] = {}
    for file in linked:
        known = facts[file.path]
        for symbol in file.symbols:
            if symbol.declaration != FILE and known is not None:
                item = known.declarations[symbol.declaration]
                own = str(item.name_line)
                heads.setdefault(symbol.id, item.name_line)
                stem = file.path.rpartition("/")[2].partition(".")[0]
                name = own if file.path == path else f"{stem}.{item.name}"
                if item.kind != "extension" or symbol.id not in names:
                    names[symbol.id] = name
    calls: Lines = defaultdict(list)
    bases: Lines = defaultdict(list)
    possible: Lines = defaultdict(list)
    for file in linked:
        sources = {symbol.declaration: symbol.id for symbol in file.symbols}
        for edge in file.edges if file.path == path else ():
            is_sure = CONFIDENCE_OF[Strategy(edge.strategy)] in _SURE
            if edge.target not in names:
                continue
            if edge.type == EdgeType.CALLS:
                possible[edge.line].append(names[edge.target])
            if edge.type == EdgeType.CALLS and is_sure:
                calls[edge.line].append(names[edge.target])
            elif edge.type in _BASES and is_sure:
                bases[heads[sources[edge.source]]].append(names[edge.target])
    return calls, bases, possible


def _marked(text: str, mark: re.Pattern[str]) -> Lines:
    """The lines that the marks of lines name."""
    lines = text.split("\n")
    declared = {
        name: str(number)
        for number, line in enumerate(lines, 1)
        for names in _DECLARED.findall(line)
        for name in names.split()
    }
    found: Lines = {}
    for number, line in enumerate(lines, 1):
        for names in mark.findall(line):
            rows = [declared.get(name, name) for name in names.split() if name != "none"]
            found[number] = sorted(rows)
    return found


def _check(texts: Mapping[str, str], path: str) -> None:
    calls, bases, possible = _found(texts, path)
    marked = _marked(texts[path], _CALLED), _marked(texts[path], _BASED)
    for line, names in _marked(texts[path], _MAY_CALL).items():
        assert set(names) <= set(possible.get(line, []))
    assert any(marked)
    for expected, found in zip(marked, (calls, bases), strict=True):
        assert {line: sorted(found.get(line, [])) for line in expected} == expected


def _rows(*tables: Mapping[str, str], gaps: Mapping[str, str] | None = None) -> list[ParameterSet]:
    """The cases of tables; what is known to be missing must fail."""
    known = gaps or {}
    every = {name: text for table in tables for name, text in table.items()}
    assert known.keys() <= every.keys()
    assert len(every) == sum(map(len, tables)) >= _LEAST
    return [
        pytest.param(text, id=name, marks=_gap(known[name]) if name in known else ())
        for name, text in every.items()
    ]


def _gap(reason: str) -> pytest.MarkDecorator:
    return pytest.mark.xfail(reason=reason, strict=True, raises=AssertionError)


@pytest.mark.parametrize(
    "text", _rows(rust_calls.CASES, rust_reference.CASES, gaps=rust_reference.GAPS)
)
def test_calls_of_rust_are_found(text: str) -> None:
    _check({**_RUST, "src/lib.rs": text}, "src/lib.rs")


@pytest.mark.parametrize("text", _rows(go_calls.CASES))
def test_calls_of_go_are_found(text: str) -> None:
    _check({**_GO, **go_calls.BESIDE, "app.go": text}, "app.go")


@pytest.mark.parametrize("text", _rows(c_calls.CASES, c_standard.CASES, gaps=c_standard.GAPS))
def test_calls_of_c_are_found(text: str) -> None:
    _check({"app.c": text}, "app.c")


@pytest.mark.parametrize("text", _rows(cpp_calls.CASES, cpp_standard.CASES, gaps=cpp_standard.GAPS))
def test_calls_of_cpp_are_found(text: str) -> None:
    _check({"app.cpp": text}, "app.cpp")


@pytest.mark.parametrize("text", kotlin_calls.CASES.values(), ids=kotlin_calls.CASES)
def test_calls_of_kotlin_are_found(text: str) -> None:
    _check({"app.kt": text}, "app.kt")


@pytest.mark.parametrize("text", scala_calls.CASES.values(), ids=scala_calls.CASES)
def test_calls_of_scala_are_found(text: str) -> None:
    _check({"app.scala": text}, "app.scala")


@pytest.mark.parametrize("text", php_calls.CASES.values(), ids=php_calls.CASES)
def test_calls_of_php_are_found(text: str) -> None:
    _check({"app.php": text}, "app.php")


@pytest.mark.parametrize(
    "text", _rows(swift_calls.CASES, swift_reference.CASES, gaps=swift_reference.GAPS)
)
def test_calls_of_swift_are_found(text: str) -> None:
    _check({"app.swift": text}, "app.swift")


@pytest.mark.servers
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(
    ("cases", "options"),
    [
        ({**c_calls.CASES, **c_standard.CASES}, ["-x", "c", "-std=gnu11"]),
        (cpp_calls.CASES, ["-x", "c++", "-std=c++17"]),
        (cpp_standard.CASES, ["-x", "c++", "-std=c++20"]),
    ],
    ids=["c", "cpp", "cpp_standard"],
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
    for name, text in {**rust_calls.CASES, **rust_reference.CASES}.items():
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


@pytest.mark.servers
@pytest.mark.skipif(not has_compiler(), reason="needs a root with the compiler of Swift")
def test_the_compiler_takes_the_cases_of_swift(tmp_path: Path) -> None:
    compiler = Compiler()
    for name, text in {**swift_calls.CASES, **swift_reference.CASES}.items():
        source = tmp_path / "app.swift"
        source.write_text(text, "utf-8")
        assert compiler.check([source], "App") == "", name
