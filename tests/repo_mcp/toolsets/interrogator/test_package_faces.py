"""Packages in queries, in globs, in answers to questions, and of changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.changes.reviews import reviewed
from tests.repo_mcp.toolsets.interrogator.test_symbol import Linked
from tests.repo_mcp.tree_files import write

USE = 'import { pay } from "@shop/core";\nimport { log } from "@shop/log";\n'
FILES: dict[str, str | bytes] = {
    "package.json": '{"name": "shop", "workspaces": ["packages/*"]}',
    "packages/ui/package.json": (
        '{"name": "@shop/ui", "dependencies": {"@shop/core": "*", "vue": "3"}}'
    ),
    "packages/ui/page.ts": f"{USE}export const retryPage = (price: number) => pay(log(price));\n",
    "packages/core/package.json": (
        '{"name": "@shop/core", "main": "pay.ts",'
        ' "dependencies": {"@shop/log": "*", "@shop/idle": "*"}}'
    ),
    "packages/core/pay.ts": (
        'import { log } from "@shop/log";\n'
        "export function pay(price: number) { return log(price); } // retry price\n"
    ),
    "packages/log/package.json": '{"name": "@shop/log", "main": "log.ts"}',
    "packages/log/log.ts": "export function log(price: number) { return price; } // retry price\n",
    "packages/idle/package.json": '{"name": "@shop/idle", "main": "i.ts"}',
    "packages/idle/i.ts": "export const idle = 1; // retry price\n",
    "j/a/BUILD": "java_library(name = 'a', srcs = glob(['*.java']), deps = ['//j/b'])\n",
    "j/a/A.java": (
        "package j.a;\nimport j.b.B;\nimport j.c.C;\n"
        "class A { int retry(int price) { return B.price(price) + C.rate(); } }\n"
    ),
    "j/b/BUILD": (
        "java_library(name = 'b', srcs = ['B.java'], deps = ['//j/c'],\n"
        "    visibility = ['//j:__subpackages__'])\n"
    ),
    "j/b/B.java": "package j.b;\npublic class B { public static int price(int p) { return p; } }\n",
    "j/c/BUILD": "java_library(name = 'c', srcs = ['C.java'], visibility = ['//j/b:__pkg__'])\n",
    "j/c/C.java": "package j.c;\npublic class C { public static int rate() { return 1; } }\n",
}


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Linked:
    folder = tmp_path_factory.mktemp("packaged")
    caller = Linked(write(folder / "root", FILES), folder / "data")
    caller.linked()
    return caller


def ask(call: Linked, **arguments: object) -> dict[str, Any]:
    part: dict[str, Any] = call.result("repo.ask", **arguments)["parts"][0]
    return part


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("package:@shop/core", {"packages/core/pay.ts"}),
        ("package:core", {"packages/core/pay.ts"}),
        ("package:packages/core", {"packages/core/pay.ts"}),
        ("package://j/a", {"j/a/A.java"}),
        ("package://j/...", {"j/a/A.java", "j/b/B.java"}),
        (
            "-package:j -package:@shop/ui ext:ts,java -package:log",
            {"packages/core/pay.ts", "packages/idle/i.ts"},
        ),
    ],
)
def test_a_query_is_limited_to_a_package(call: Linked, condition: str, expected: set[str]) -> None:
    for query in (f"retry price {condition}", f"{condition} retry price"):
        hits = call.result("repo.search", query=query)["hits"]
        assert {hit["path"] for hit in hits} == expected


def test_a_name_that_no_package_has_is_a_word_and_near_ones_are_named(call: Linked) -> None:
    answer = call("repo.search", query="retry package:@shop/cor")
    assert answer["result"]["hits"]
    assert any("@shop/core" in text for text in answer["warnings"])


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("package:@shop/core", {"packages/core/pay.ts"}),
        ("package:@shop/core, package:idle", {"packages/core/pay.ts", "packages/idle/i.ts"}),
        ("package:j", {"j/a/A.java", "j/b/B.java"}),
        (
            "packages/**, !package:@shop/ui",
            {"packages/core/pay.ts", "packages/log/log.ts", "packages/idle/i.ts"},
        ),
        ("package:shop", {"j/a/A.java", "j/b/B.java"}),
    ],
)
def test_globs_of_exact_searches_and_lists_take_packages(
    call: Linked, glob: str, expected: set[str]
) -> None:
    found = call.result("repo.search", query="price", mode="literal", file_glob=glob)["files"]
    ranked = call.result("repo.search", query="price", file_glob=glob)["hits"]
    listed = call.result("repo.list_files", glob=glob)["files"]
    assert {item["path"] for item in found} == expected
    assert {item["path"] for item in ranked} == expected
    assert {item["path"] for item in listed} >= expected


@pytest.mark.parametrize("tool", ["repo.search", "repo.list_files"])
def test_a_glob_of_no_package_is_refused(call: Linked, tool: str) -> None:
    given = {"query": "price", "file_glob": "package:cor"}
    answer = call(tool, **(given if tool == "repo.search" else {"glob": "package:cor"}))
    assert "near: core" in str(answer)


@pytest.mark.parametrize(
    "arguments",
    [
        {"question": "what depends on package @shop/core?"},
        {"question": "what does the package core depend on"},
        {"question": "who uses the core package?"},
        {"names": ["@shop/core"], "want": "packages"},
        {"more": ["packages: packages/core"]},
    ],
)
def test_the_relations_of_a_package(call: Linked, arguments: dict[str, object]) -> None:
    part = ask(call, **arguments)
    assert part["verdict"] == "answered"
    assert part["lines"] == [
        "@shop/core: npm in packages/core (packages/core/package.json)",
        "depends on: @shop/log, @shop/idle",
        "depended on by: @shop/ui",
        "declared, no use in code is known: @shop/idle",
    ]


def test_uses_in_code_that_no_manifest_declares(call: Linked) -> None:
    lines = ask(call, names=["ui"], want="packages")["lines"]
    assert "and outside: vue" in lines
    assert "used in code, declared by what it depends on alone: @shop/log (1 use)" in lines


def test_labels_have_rules_of_visibility(call: Linked) -> None:
    lines = ask(call, question="what does //j/a:a depend on?")["lines"]
    assert "depends on: //j/b:b" in lines
    assert "may use 1 of 2 targets of build files" in lines
    assert "used or declared, but not visible to it: //j/c:c" in lines
    assert (
        "depended on by: //j/b:b; 2 with those that depend on these"
        in (ask(call, question="what depends on //j/c?")["lines"])
    )


def test_without_a_name_all_are_counted(call: Linked) -> None:
    assert ask(call, want="packages")["lines"][0] == "8 packages: npm 5, java_library 3"


def test_an_unknown_name_leaves_the_question_open(call: Linked) -> None:
    part = ask(call, names=["@shop/cor"], want="packages")
    assert part["verdict"].startswith("partly: no package has the name @shop/cor; near: @shop/core")


def test_without_manifests_there_are_none(tmp_path: Path) -> None:
    caller = Linked(write(tmp_path / "root", {"a.py": "x = 1\n"}), tmp_path / "data")
    assert ask(caller, want="packages")["verdict"].startswith("not in this repository")


@pytest.mark.servers
def test_a_change_rebuilds_what_depends_on_it_by_the_side_after(tmp_path: Path) -> None:
    old = {path: text for path, text in FILES.items() if isinstance(text, str)}
    new = {
        "packages/log/log.ts": "export function log(price: number) { return 2 * price; }\n",
        "packages/new/package.json": '{"name": "@shop/new", "dependencies": {"@shop/ui": "*"}}',
    }
    assert reviewed(tmp_path, old, new, linked=False).rebuilds == [
        "changed (2): @shop/log, @shop/new",
        "depends on it (1): @shop/core",
        "2 steps away (1): @shop/ui",
    ]
