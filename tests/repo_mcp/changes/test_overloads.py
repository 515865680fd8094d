"""Calls of a function with overloads, and of members that others declare, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.changes import MAY_BREAK
from tests.repo_mcp.changes.reviews import places, reviewed

pytestmark = pytest.mark.servers

JAVA = {
    "a/Shop.java": "package a;\npublic class Shop {\n"
    "  public Shop take(int number) { return this; }\n"
    "  public Shop take(String name) { return this; }\n"
    "  public Shop mark(char sign) { return this; }\n"
    "  public Shop mark(Character sign) { return this; }\n"
    "  public Shop all(String... names) { return this; }\n"
    "  public Shop all(Class<?> type) { return this; }\n}\n",
    "a/User.java": "package a;\nclass User {\n  void use(Shop shop, int n, String text) {\n"
    "    shop.take(n);\n"
    "    shop.take(text);\n"
    "    shop.mark('x');\n"
    "    shop.mark(null);\n"
    "    shop.all();\n"
    '    shop.all("x", "y");\n'
    "  }\n}\n",
}


def broken(folder: Path, old: dict[str, str], path: str, before: str, behind: str) -> list[int]:
    """The lines of other files that may break where a part of a file has changed."""
    assert before in old[path]
    new = {path: old[path].replace(before, behind)}
    found = places(reviewed(folder, old, new))
    return sorted({line for _, there, line, _ in found if there != path})


def test_a_call_whose_overload_is_gone_may_not_go_with_the_others(tmp_path: Path) -> None:
    java = "a/Shop.java", "  public Shop take(int number) { return this; }\n"
    assert 4 in broken(tmp_path / "gone", JAVA, *java, "\n")
    renamed = java[1].replace("take", "take_number")
    assert 4 in broken(tmp_path / "renamed", JAVA, *java, renamed)
    more = java[1].replace("int number", "Object all, int number, int more")
    assert 4 in broken(tmp_path / "more", JAVA, *java, more)


def test_an_argument_tells_which_overload_a_call_means_now(tmp_path: Path) -> None:
    boxed = "  public Shop mark(Character sign) { return this; }\n"
    assert broken(tmp_path / "boxed", JAVA, "a/Shop.java", boxed, "\n") == [7]
    fewer = "all(Class<?> type)", "all()"
    assert 8 not in broken(tmp_path / "fewer", JAVA, "a/Shop.java", *fewer)
    first = "all(String... names)", "all(Thread first, String... names)"
    assert {8, 9} <= {*broken(tmp_path / "first", JAVA, "a/Shop.java", *first)}


TYPESCRIPT = {
    "shop.ts": "export interface Part {}\nexport class Shop {\n"
    "  push(part: string): void;\n"
    "  push(part: Part): void;\n"
    "  push(part: string | Part): void {}\n}\n"
    "export function made(number: number, and_a_name: string): void;\n"
    "export function made(part: Part, and_a_name: string): void;\n"
    "export function made(part: any): void {}\n",
    "user.ts": 'import { Shop, Part, made } from "./shop";\n'
    "export function use(shop: Shop, part: Part) {\n"
    '  shop.push("x");\n'
    "  shop.push(part);\n}\n",
}


def test_a_literal_that_another_overload_takes_goes_on(tmp_path: Path) -> None:
    new = "push(part: Part)", "push(part: symbol)"
    assert broken(tmp_path, TYPESCRIPT, "shop.ts", *new) == [4]


def test_overloads_stand_beside_each_other(tmp_path: Path) -> None:
    text = TYPESCRIPT["shop.ts"].replace(
        "made(part: Part, and_a_name: string)", "made_otherwise(part: Part, and_a_name: string)"
    )
    found = places(reviewed(tmp_path, TYPESCRIPT, {"shop.ts": text}))
    assert [(path, line) for _, path, line, _ in found] == [("shop.ts", 7), ("shop.ts", 9)]


def test_a_class_that_is_implemented_demands_its_members(tmp_path: Path) -> None:
    old = {
        "a.ts": "export declare class Base {\n  one(): void;\n  two?(): void;\n}\n",
        "b.ts": 'import { Base } from "./a";\nclass Own implements Base {\n  one() {}\n}\n',
    }
    assert broken(tmp_path / "one", old, "a.ts", "one()", "first()") == [2]
    assert broken(tmp_path / "two", old, "a.ts", "two?()", "second?()") == []


def test_an_override_with_another_signature_is_told_in_the_place_of_calls(tmp_path: Path) -> None:
    old = {
        "a.py": "class Base:\n    def run(self, x):\n        return x\n\n\n"
        "class Own(Base):\n    def run(self, x):\n        return x + 1\n",
        "b.py": "from a import Base\n\n\ndef use(base: Base):\n    return base.run(1)\n",
    }
    text = old["a.py"].replace(
        "run(self, x):\n        return x +", "run(self, x, y):\n        return x +"
    )
    found = places(reviewed(tmp_path, old, {"a.py": text}))
    assert found == [(MAY_BREAK, "a.py", 7, "Own.run")]


def test_a_base_from_outside_may_give_the_type_itself(tmp_path: Path) -> None:
    old = {
        "a/Made.java": "package a;\nimport org.outside.AbstractMaker;\n"
        "public class Made extends AbstractMaker<Made> {\n"
        "  public Made setForm(String form) { return this; }\n}\n",
        "a/User.java": "package a;\nclass User {\n  void use(Made made, String form) {\n"
        "    made.setReader(null).setForm(form);\n  }\n}\n",
    }
    assert broken(tmp_path, old, "a/Made.java", "setForm(String form)", "setForm()") == [4]


def test_a_resource_is_closed(tmp_path: Path) -> None:
    old = {
        "a/Door.java": "package a;\npublic class Door implements AutoCloseable {\n"
        "  public void close() {}\n}\n",
        "a/User.java": "package a;\nclass User {\n  void use() {\n"
        "    try (Door door = new Door()) {\n    }\n  }\n}\n",
    }
    assert broken(tmp_path, old, "a/Door.java", "close()", "close(int how)") == [4]
