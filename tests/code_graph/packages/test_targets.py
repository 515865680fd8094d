"""Targets of build files: files, edges, and who may use them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, strategies as st

from code_graph.packages.model import TreePackage
from tests.code_graph.packages.written_packages import packages_of, requires

TREE = {
    "WORKSPACE": "",
    "a/BUILD": """
load("//tools:x.bzl", "java_library")
package(default_visibility = ["//b:__pkg__"])
java_library(name = "a", srcs = glob(["*.java", "in/**"], exclude = ["Test.java"]), deps = [
    ":gen", "//b", "@maven//:x", "//gone:made",
])
genrule(name = "gen", srcs = ["in.txt"], visibility = ["//visibility:private"])
java_test(name = "test", srcs = ["Test.java"], runtime_deps = ["a"], tags = ["gen"])
exports_files(["x"])
""",
    "a/A.java": "",
    "a/Test.java": "",
    "a/in.txt": "",
    "a/in/B.java": "",
    "a/sub/BUILD": "lib(name = 'sub', srcs = ['C.java'])",
    "a/sub/C.java": "",
    "b/BUILD.bazel": "package_group(name = 'friends', packages = ['//c/...', '-//c/d'])\n"
    "lib(name = 'b', visibility = [':friends'], deps = select({'//x:y': ['//a/sub']}))",
    "b/BUILD": "lib(name = 'old')",
}


def files_of(packages: Mapping[str, TreePackage], name: str) -> set[str]:
    return {*(packages[name].files or ())}


def test_labels_become_edges() -> None:
    assert requires(TREE) == {
        "//a:a": {"//a:gen", "//b:b"},
        "//a:test": {"//a:a"},
        "//b:b": {"//a/sub:sub"},
    }
    assert packages_of(TREE).all["//a:a"].outside == ("@maven//:x", "//gone:made")


def test_files_are_those_of_globs_and_names_and_no_other_packages() -> None:
    every = packages_of(TREE).all
    assert files_of(every, "//a:a") == {"a/A.java", "a/in/B.java"}
    assert files_of(every, "//a:gen") == {"a/in.txt"}
    assert "//b:old" not in every


@pytest.mark.parametrize(
    ("used", "user", "expected"),
    [
        ("//a:a", "b", True),
        ("//a:a", "b/x", False),
        ("//a:a", "a", True),
        ("//a:gen", "b", False),
        ("//a/sub:sub", "b", False),
        ("//b:b", "c/x", True),
        ("//b:b", "c/d", False),
        ("//b:b", "c", True),
    ],
)
def test_visibility_rules(used: str, user: str, *, expected: bool) -> None:
    path = "b/BUILD.bazel" if user == "b" else f"{user}/BUILD"
    files = {**TREE, path: f"{TREE.get(path, '')}\nlib(name = 'user')"}
    packages = packages_of(files)
    assert packages.may_use(packages.all[used], packages.all[f"//{user}:user"]) is expected


def test_groups_that_include_each_other_end() -> None:
    text = (
        "package_group(name = 'x', includes = [':y'])\npackage_group(name = 'y', includes = [':x'])"
    )
    packages = packages_of(
        {"a/BUILD": f"{text}\nlib(name = 'a', visibility = [':x'])", "b/BUILD": "lib(name = 'b')"}
    )
    assert not packages.may_use(packages.all["//a:a"], packages.all["//b:b"])


def test_labels_begin_at_the_workspace_around_them() -> None:
    files = {
        "x/MODULE.bazel": "",
        "x/a/BUILD": "lib(name = 'a', deps = ['//b:b'])",
        "x/b/BUILD": "lib(name = 'b')",
        "b/BUILD": "lib(name = 'b')",
    }
    assert requires(files) == {"//x/a:a": {"//x/b:b"}}


def test_pants_has_usual_names_files_and_visibility() -> None:
    files = {
        "pants.toml": "",
        "src/a/BUILD": "python_sources(dependencies = ['src/b', ':tests'])\n"
        "python_tests(name = 'tests')",
        "src/a/x.py": "",
        "src/a/x_test.py": "",
        "src/b/BUILD": "python_sources(sources = ['*.py', '!y.py'])",
        "src/b/x.py": "",
        "src/b/y.py": "",
    }
    packages = packages_of(files)
    assert requires(files) == {"//src/a:a": {"//src/b:b", "//src/a:tests"}}
    assert files_of(packages.all, "//src/a:a") == {"src/a/x.py"}
    assert files_of(packages.all, "//src/a:tests") == {"src/a/x_test.py"}
    assert files_of(packages.all, "//src/b:b") == {"src/b/x.py"}
    assert packages.may_use(packages.all["//src/b:b"], packages.all["//src/a:a"])


def test_what_can_not_be_read_is_said() -> None:
    packages = packages_of(
        {
            "a/BUILD": "[lib(name = x) for x in y]\nlib(name = 'a', deps = f(), copts = f())\n"
            "lib(name = 'b' + c)",
            "b/BUILD": "lib(",
        }
    )
    assert packages.all["//a:a"].unread == ("deps",)
    assert {note.path for note in packages.notes} == {"a/BUILD", "b/BUILD"}


@given(st.dictionaries(st.sampled_from(["BUILD", "a/BUILD", "a/BUCK", "a/b/TARGETS"]), st.text()))
def test_any_text_of_a_build_file_is_read_or_said(files: dict[str, str]) -> None:
    packages = packages_of(files)
    for path in files:
        assert all(package.id in packages.all for package in packages.of_file(path))
