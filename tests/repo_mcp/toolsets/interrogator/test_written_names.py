"""A symbol is found by the name that code writes, which its qualified name may not have."""

from __future__ import annotations

import pytest

from code_graph.store.schema import FACTS
from repo_mcp.repository import declared_among
from tests.repo_mcp.toolsets.interrogator.test_symbol import Linked
from tests.repo_mcp.trees import write

FILES: dict[str, str | bytes] = {
    "k/Errors.kt": (
        "package app.err\n\n"
        "class Errors {\n    companion object {\n        fun show(a: Int) {}\n    }\n}\n\n"
        "class Named { companion object Maker { fun make() = Named() } }\n\n"
        "open class Base { open fun close() {} }\n\nclass Sub : Base()\n\n"
        "object Images {\n    fun load() {}\n}\n\n"
        "fun Errors.extra() {}\n\nfun String.shout(): String = this\n"
    ),
    "r/Cargo.toml": '[package]\nname = "things"\nversion = "0.1.0"\n',
    "r/src/lib.rs": (
        "pub mod types;\nmod blocks;\npub use types::Thing;\n"
        "pub trait Greet { fn hello(&self) {} fn must(&self); }\n"
    ),
    "r/src/types.rs": "pub struct Thing { pub a: u8 }\n",
    "r/src/blocks.rs": (
        "use crate::types::Thing;\nuse crate::Greet;\n"
        "impl Thing { pub fn build() -> Thing { Thing { a: 1 } } }\n"
        "impl Greet for Thing { fn must(&self) {} }\n"
    ),
    "g/go.mod": "module example.com/g\ngo 1.20\n",
    "g/a.go": (
        "package g\n\ntype Inner struct{}\n\nfunc (i *Inner) Do() {}\n\n"
        "type Server struct{ Inner; main *Server }\n\nfunc (s *Server) Run() {}\n"
    ),
    "c/a.hpp": (
        "namespace ns {\ninline namespace v1 {\nint twice(int a);\n}\n"
        "enum Color { Red, Green };\n}\n"
    ),
    "j/a.js": "function Animal() {}\nAnimal.prototype.speak = function () { return 1; };\n",
    "py/pkg/__init__.py": "from pkg.core import Session\n",
    "py/pkg/core.py": (
        "class Base:\n    def close(self):\n        return 1\n\n\n"
        "class Session(Base):\n    def get(self):\n        return 2\n"
    ),
    "o/Level.java": (
        "package o;\n\npublic enum Level {\n    LOW, HIGH;\n\n"
        "    public int code() {\n        return 1;\n    }\n}\n"
    ),
    "p/Till.java": (
        "package p;\n\nimport java.util.Map;\n\nclass Card {}\n\npublic class Till {\n"
        "    void pay(Card card, int sum) {}\n"
        "    void pay(Map<String, Card> cards, int sum) {}\n"
        "    void day(Card card, Map<String, Card> cards) {\n"
        "        pay(card, 1);\n        pay(cards, 1);\n        pay(cards, 2);\n    }\n}\n"
    ),
    "cs/A.cs": (
        "namespace My {\npublic class Foo {}\n"
        "public static class Ext { public static int Twofold(this Foo f) => 2; }\n}\n"
    ),
}


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Linked:
    folder = tmp_path_factory.mktemp("written")
    return Linked(write(folder / "root", FILES), folder / "data").linked()


@pytest.mark.parametrize(
    ("written", "qualified"),
    [
        ("Errors.show", "app.err.Errors.companion.show"),
        ("Errors.Companion.show", "app.err.Errors.companion.show"),
        ("app.err.Named.make", "app.err.Named.Maker.make"),
        ("Images.INSTANCE.load", "app.err.Images.load"),
        ("Sub.close", "app.err.Base.close"),
        ("Errors.extra", "app.err.extra"),
        ("String.shout", "app.err.shout"),
        ("things::Thing::build", "things::blocks::Thing::build"),
        ("crate::types::Thing::build", "things::blocks::Thing::build"),
        ("Thing::hello", "things::Greet::hello"),
        ("<Thing as Greet>::must", "things::blocks::Thing::must"),
        ("(*Server).Run", "g.Server.Run"),
        ("g.(*Server).Do", "g.Inner.Do"),
        ("ns::twice", "ns::v1::twice"),
        ("ns::twice(int)", "ns::v1::twice"),
        ("ns::Red", "ns::Color::Red"),
        ("Animal.prototype.speak", "Animal.speak"),
        ("pkg.Session.get", "pkg.core.Session.get"),
        ("pkg.Session.close", "pkg.core.Base.close"),
        ("Foo.Twofold", "My.Ext.Twofold"),
        ("Level.HIGH.code", "o.Level.code"),
        ("Server.main.Run", "g.Server.Run"),
    ],
)
def test_a_name_as_code_writes_it_is_found(call: Linked, written: str, qualified: str) -> None:
    assert call.symbol(written)["name"].endswith(qualified)


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ("Till.pay(Card)", [11]),
        ("Till.pay(Card card, int sum)", [11]),
        ("p.Till.pay(Map)", [12, 13]),
        ("pay(Map<String, Card>, int)", [12, 13]),
        ("pay(cards)", [12, 13]),
        ("Till.pay", [11, 12, 13]),
        ("Till.pay(Nothing)", [11, 12, 13]),
    ],
)
def test_parameters_tell_overloads_apart(call: Linked, written: str, lines: list[int]) -> None:
    used = call.symbol(written)["callers"]
    assert sorted(use["line"] for use in used) == lines
    asked = call.result("repo.ask", more=[f"uses: {written}"])["parts"]
    shown = [line for part in asked for line in part["lines"] if "in Till.day" in line]
    assert len(shown) == len(lines)


@pytest.mark.parametrize(
    "name",
    [
        "Sub.show",
        "Color.twice",
        "Thing::extra",
        "g.Inner.Run",
        "Nil.get",
        "pkg.core.get",
        "thing.build",
    ],
)
def test_what_is_no_member_is_not_found(call: Linked, name: str) -> None:
    assert call.refusal("repo.symbol", name=name)["code"] == "symbol_missing"


def test_a_companion_is_left_out_before_anything_is_linked(call: Linked) -> None:
    snapshot = call.app.services.running().tools.repository.current_index().snapshot
    assert snapshot is not None
    facts = {"k/Errors.kt": snapshot.attachment("k/Errors.kt", FACTS)}
    (found,) = declared_among(facts, "Errors.show")
    assert found.name == "Errors.companion.show"
    assert declared_among(facts, "Sub.show") == []
