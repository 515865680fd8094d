"""The conditions of each language, in builds for a target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pytest

from code_graph.conditions.branches import Branches, Directive, conditions_of, evaluate_branches
from code_graph.conditions.build import BuildTarget
from code_graph.conditions.definitions import MacroTable
from code_graph.conditions.truth import Truth
from code_graph.language_table import language_named
from code_graph.languages.cmake.cmake_cache import CMakeCache

RUST = """\
#![cfg_attr(docs, feature(doc_cfg))]
#[cfg(feature = "std")]
use std::{io,
    fmt};
#[cfg(all(unix, not(feature = "slim")))]
#[derive(Debug)]
struct Handle {
    #[cfg(target_arch = "aarch64")]
    wide: [u8; 2],
    plain: u8,
}
#[cfg(test)]
mod tests {}
fn open() {
    let text = "#[cfg(windows)]"; // #[cfg(windows)]
    #[cfg(windows)]
    { fall_back() }
    go()
}
"""
GO = "//go:build (linux && !tiny) || integration\n\npackage a\n\nfunc f() {}\n"
CSHARP = "#define LOCAL\n#if NET8_0_OR_GREATER && FAST\n1\n#elif LOCAL\n2\n#endif\n"
SWIFT = "#if os(Linux) && FAST\n1\n#elseif arch(arm64) || swift(>=5.5)\n2\n#endif\n"


def doubling(number: int) -> str:
    """A macro that has another one twice."""
    return f"#define A{number + 1} (A{number} && A{number})\n"


TREE = {
    "Cargo.toml": '[package]\nname="a"\n[features]\ndefault = ["std"]\nstd = ["alloc"]\n',
    "src/bad/Cargo.toml": "[package\n",
    "App.csproj": "<P><TargetFramework>net8.0</TargetFramework>"
    "<DefineConstants>$(DefineConstants);FAST</DefineConstants></P>",
    "Package.swift": 'swiftSettings: [.define("FAST")]',
}


class MadeFiles:
    """The files of a made tree."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def text(self, path: str) -> str | None:
        return self._texts.get(path)

    def texts_with(self, paths: Iterable[str], mark: bytes) -> Iterator[tuple[str, str]]:
        texts = ((path, self._texts[path]) for path in paths if path in self._texts)
        return ((path, text) for path, text in texts if mark in text.encode())

    def names(self, folder: str) -> Sequence[str]:
        return [path for path in self._texts if path.rpartition("/")[0] == folder]

    def directives(self, path: str) -> Sequence[Directive] | None:
        text = self._texts.get(path)
        return None if text is None else conditions_of(text, path, language_named("c").conditions)


def left_out(text: str, path: str, language: str, target: str = "") -> set[int]:
    """The lines that a build leaves out for sure; without a target, those that every one does."""
    branches = states_in(text, path, language, target)
    return {line for line in range(1, text.count("\n") + 1) if branches.at(line).is_left_out}


def states_in(text: str, path: str, language: str, name: str) -> Branches:
    target = BuildTarget.parse(name or "linux")
    assert target is not None
    files = MadeFiles(TREE)
    macros = target.definitions(path, language, files)
    assert macros is not None
    return evaluate_branches(conditions_of(text, path, language_named(language).conditions), macros)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("linux", {8, 9, 16, 17}),
        ("linux/arm64", {16, 17}),
        ("linux/arm64+slim", {5, 6, 7, 8, 9, 10, 11, 16, 17}),
        ("windows", {5, 6, 7, 8, 9, 10, 11}),
    ],
)
def test_attributes_of_rust(target: str, expected: set[int]) -> None:
    assert left_out(RUST, "src/a.rs", "rust", target) == expected


def test_features_that_are_not_the_default_are_off() -> None:
    text = '#[cfg(feature = "alloc")]\nfn a() {}\n#[cfg(feature = "none")]\nfn b() {}\n'
    assert left_out(text, "src/a.rs", "rust") == {3, 4}
    assert left_out(text, "src/bad/a.rs", "rust", "linux+none") == set()


def test_tests_of_rust_are_no_condition() -> None:
    assert not states_in("#[cfg(test)]\nmod tests {}\n", "a.rs", "rust", "linux")


@pytest.mark.parametrize(
    ("path", "target", "is_out"),
    [
        ("a.go", "linux", False),
        ("a.go", "linux+tiny", True),
        ("a.go", "darwin", True),
        ("a.go", "darwin/arm64+integration", False),
        ("a_windows.go", "linux", True),
        ("a_linux_arm64_test.go", "linux/arm64", False),
        ("a_linux_arm64.go", "linux", True),
    ],
)
def test_constraints_of_go(path: str, target: str, *, is_out: bool) -> None:
    assert (left_out(GO, path, "go", target) == {1, 2, 3, 4, 5}) == is_out


def test_older_constraints_of_go() -> None:
    text = "// +build linux,cgo darwin\n// +build !tiny\n\npackage a\n"
    assert left_out(text, "a.go", "go", "linux") == set()
    assert left_out(text, "a.go", "go", "linux+tiny") == {1, 2, 3, 4}
    assert left_out(text, "a.go", "go", "freebsd") == {1, 2, 3, 4}


def test_constants_of_projects() -> None:
    assert left_out(CSHARP, "src/a.cs", "csharp") == {5}
    assert left_out(SWIFT, "Sources/a.swift", "swift") == {4}
    assert left_out(SWIFT, "Sources/a.swift", "swift", "darwin") == {2}
    assert left_out(SWIFT, "Sources/a.swift", "swift", "darwin/arm64") == {2}


def test_systems_of_c() -> None:
    text = "#ifdef _WIN32\n1\n#elif defined(__linux__) && FAST\n2\n#elif 0\n3\n#endif\n"
    assert left_out(text, "a.c", "c", "windows/amd64") == {4, 6}
    assert left_out(text, "a.c", "c", "linux+FAST") == {2, 6}


def test_a_name_of_no_system_is_no_target() -> None:
    assert BuildTarget.parse("build") is None
    assert BuildTarget.parse("linux/mine") is None


def test_commands_of_cmake() -> None:
    reader = language_named("cmake").conditions
    text = (
        "if(WITH_TLS AND NOT\n   APPLE)\n  1\nelseif (X STREQUAL y)\n  2\nelse()\n  3\nendif()\n4\n"
    )
    build = CMakeCache("build/CMakeCache.txt", "WITH_TLS:BOOL=OFF\nB:STRING=1\n", "", "")
    entries = build.definitions("CMakeLists.txt", "cmake", MadeFiles({}))
    assert entries is not None
    branches = evaluate_branches(conditions_of(text, "CMakeLists.txt", reader), entries)
    assert [branches.at(line).is_left_out for line in (3, 5, 7, 9)] == [True, False, False, False]
    assert branches.at(3).condition == "WITH_TLS && ! APPLE"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("c", "#if 1\n" + "#elif A\n" * 40_000),
        ("c", "/* #undef A */\n" * 40_000),
        (
            "c",
            "".join(f"#define A{n + 1} (A{n} && A{n})\n" for n in range(60)) + "#if A60\n#endif\n",
        ),
        ("c", "#define A (A || A)\n#if A\n#endif\n"),
        ("c", "#if " + "A || " * 3_000 + "A\n#endif\n"),
        ("c", "#if 1\n" * 40_000),
        ("rust", "#[cfg(a)] mod a {\n" * 20_000),
        ("rust", '#[cfg(a)] r#"' * 20_000),
        ("rust", "#[cfg(" * 20_000),
        ("cmake", "if(\n" * 20_000),
        ("cmake", "if((\n" * 20_000),
        ("cmake", 'if("' * 20_000),
        ("go", "//go:build " + "(" * 20_000 + "\npackage a\n"),
    ],
)
def test_hostile_conditions_take_work_in_proportion(language: str, text: str) -> None:
    reader = language_named(language).conditions
    directives = conditions_of(text, f"a.{language}", reader)
    assert evaluate_branches(directives, MacroTable()).at(1).truth in Truth


def test_a_long_list_of_alternatives_is_decided() -> None:
    text = "#if " + "defined(A) || " * 60 + "1\n1\n#endif\n"
    branches = evaluate_branches(
        conditions_of(text, "a.c", language_named("c").conditions), MacroTable()
    )
    assert branches.at(2).truth == Truth.TRUE
