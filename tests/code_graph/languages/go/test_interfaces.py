"""Types of Go implement the interfaces whose methods they have, without saying so."""

from __future__ import annotations

import random

import pytest

from code_graph import SourceTree
from code_graph.link.linker import GraphLinker
from code_graph.model import EdgeType
from tests.code_graph.link.relinking import check_random_edits
from tests.code_graph.sources import edges, link

MODULE = "module example.com/shop\n\ngo 1.22\n"
SOURCES = {
    "go.mod": MODULE,
    "store/store.go": """\
package store

import (
	"io"

	data "example.com/shop/model"
)

type Store interface {
	Get(key string, options ...data.Option) (data.Item, error)
	io.Closer
}

type Named interface{ Name() string }
type Both interface {
	Store
	Named
}
type hidden interface{ secret() }
type Adder[T any] interface{ Add(item T) (ok bool) }
type Unknown interface {
	Named
	elsewhere.Thing
}
type Empty interface{}
type Text interface{ Format(f func(name, other string) error, m map[string][]byte) any }
""",
    "model/model.go": """\
package model

import (
	"fmt"
	"net/http"
)

type Option func()
type Item struct{}
type Thing = Item
type Memory struct{ base }
type base struct{}

func (b *base) Close() error { return nil }

func (m *Memory) Get(k string, o ...Option) (it Thing, err error) { return }
func (Memory) Name() string                                       { return fmt.Sprint(1) }
func (Memory) String() string                                     { return "" }
func (Memory) secret()                                            {}
func (Memory) Add(one int) bool                                   { return true }

type Wrong struct{}

func (Wrong) Get(k int, o ...Option) (Item, error) { return Item{}, nil }
func (Wrong) Close() error                         { return nil }

type Handler func(w http.ResponseWriter, r *http.Request)

func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h(w, r) }

type Wrapped struct{ *Memory }

func (Wrapped) Format(func(string, string) error, map[string][]uint8) interface{} { return nil }
""",
    "model/api_test.go": "package model_test\n\ntype Thing = string\n",
    "model/more_test.go": """\
package model

type fake struct{ Wrong }

func (fake) Name() string { return "" }
""",
}


def found(*types: EdgeType) -> set[str]:
    """Edges without strategies."""
    rows = edges(link(SourceTree(SOURCES)), *types)
    return {row.rpartition(" ")[0] for row in rows if row.endswith("declared")}


def test_types_implement_interfaces_by_their_methods() -> None:
    assert found(EdgeType.IMPLEMENTS) == {
        "model.Memory implements store.Store",
        "model.Memory implements store.Both",
        "model.Memory implements store.Named",
        "model.Memory implements store.Adder",
        "model.Wrapped implements store.Store",
        "model.Wrapped implements store.Both",
        "model.Wrapped implements store.Named",
        "model.Wrapped implements store.Adder",
        "model.Wrapped implements store.Text",
        "model.fake implements store.Named",
    }


def test_comments_between_parameters_and_many_methods_change_nothing() -> None:
    many = "".join(f"func (*Wide) Step{n}() {{}}\n" for n in range(400))
    sources = {
        "go.mod": MODULE,
        "a/a.go": (
            "package a\n\ntype Worker interface {\n"
            "\tDo(\n\t\tint, // how often\n\t\tstring, /* which */\n\t) (\n"
            "\t\terr error, // of the last\n\t)\n\tZ()\n}\n"
        ),
        "b/b.go": (
            f"package b\n\ntype Wide struct{{}}\n\n{many}"
            "func (*Wide) Do(count int, name string) error { return nil }\n"
            "func (*Wide) Z() {}\n"
        ),
    }
    rows = edges(link(SourceTree(sources)), EdgeType.IMPLEMENTS, EdgeType.OVERRIDES)
    assert {row.rpartition(" ")[0] for row in rows} == {
        "b.Wide implements a.Worker",
        "b.Wide.Do overrides a.Worker.Do",
        "b.Wide.Z overrides a.Worker.Z",
    }


def test_methods_override_those_of_interfaces() -> None:
    assert found(EdgeType.OVERRIDES) == {
        "model.Memory.Get overrides store.Store.Get",
        "model.Memory.Name overrides store.Named.Name",
        "model.Memory.Add overrides store.Adder.Add",
        "model.Wrapped.Format overrides store.Text.Format",
        "model.fake.Name overrides store.Named.Name",
    }


def test_interfaces_of_imported_packages_are_external() -> None:
    linked = link(SourceTree(SOURCES))
    rows = {
        (linked[path].symbols[item.source + 1].qualified_name, item.name)
        for path in linked
        for item in linked[path].external
        if item.type == EdgeType.IMPLEMENTS
    }
    assert rows == {
        ("model.Memory", "fmt.Stringer"),
        ("model.Wrapped", "fmt.Stringer"),
        ("model.Handler", "net/http.Handler"),
    }


@pytest.mark.parametrize(
    ("taken", "given", "is_same"),
    [
        ("(a, b int)", "(x int, y int)", True),
        ("(int, int)", "(x, y int)", True),
        ("(a []byte)", "([]uint8)", True),
        ("(a any)", "(interface{})", True),
        ("(a ...string)", "(b []string)", False),
        ("(a *int)", "(a int)", False),
        ("(a <-chan int)", "(b chan int)", False),
        ("(f func(a, b int) (c error))", "(func(int, int) error)", True),
        ("(f func(int) error, x int)", "(func(int) (error), int)", True),
        ("(m map[string]func(x int))", "(map[string]func(int))", True),
        ("() (n int, err error)", "() (int, error)", True),
        ("() error", "() (err error)", True),
        ("(a int)", "()", False),
        ("(l List[int])", "(x List[int])", True),
        ("(l List[int])", "(x List[string])", False),
    ],
)
def test_signatures_are_compared_without_names(taken: str, given: str, is_same: bool) -> None:  # noqa: FBT001
    text = (
        "package p\ntype List[T any] struct{}\n"
        f"type I interface {{ M{taken} }}\ntype T struct{{}}\nfunc (T) M{given} {{ return }}\n"
    )
    rows = edges(link(SourceTree({"go.mod": MODULE, "p.go": text})), EdgeType.IMPLEMENTS)
    assert rows == ({"p.T implements p.I declared"} if is_same else set())


@pytest.mark.parametrize(
    "text",
    [
        "type A interface { B }\ntype B interface { A }\ntype C struct{}\nfunc (C) M() {}",
        "type A struct { *A }\nfunc (A) M() {}\ntype I interface { M() }",
        "type A = B\ntype B = A\nfunc (A) M(a B) {}\ntype I interface { M(x A, y int); N() }",
        "type I interface { M(func(func(func()))) }\ntype T struct{}\nfunc (T) M(((( {}",
        "type I interface { M(" + "func(" * 200 + ")" * 200 + ") }\nfunc (T) M() {}",
    ],
)
def test_circles_and_broken_code_end(text: str) -> None:
    assert link(SourceTree({"go.mod": MODULE, "p.go": f"package p\n{text}\n"}))["p.go"].symbols


TYPES = ("A", "B", "C", "I", "J", "K")
METHODS = ("Get", "Put", "Name", "close")
PATHS = ("one/a.go", "one/b.go", "two/c.go", "two/d_test.go")


def _type(chance: random.Random, path: str) -> str:
    other = "two" if path.startswith("one") else "one"
    name = chance.choice(TYPES)
    return chance.choice(["int", "string", "error", name, f"*{name}", f"{other}.{name}"])


def _signature(chance: random.Random, path: str) -> str:
    taken = ", ".join(_type(chance, path) for _ in range(chance.randint(0, 1)))
    return f"({taken}) {chance.choice(['', _type(chance, path)])}".rstrip()


def _source(chance: random.Random, path: str) -> str:
    other = "two" if path.startswith("one") else "one"
    rows = [f"package {path[:3]}", f'import "example.com/shop/{other}"']
    for name in chance.sample(TYPES, chance.randint(1, 4)):
        kind = chance.randint(0, 5)
        inner = chance.choice(["", chance.choice(TYPES), f"{other}.{chance.choice(TYPES)}"])
        if kind <= 2:
            methods = [
                f"{each}{_signature(chance, path)}"
                for each in chance.sample(METHODS, chance.randint(0, 2))
            ]
            rows.append(f"type {name} interface {{ {'; '.join([*methods, inner])} }}")
        elif kind == 3:
            rows.append(f"type {name} = {_type(chance, path)}")
        else:
            rows.append(f"type {name} struct {{ {inner} }}")
    for _ in range(chance.randint(1, 5)):
        owner = chance.choice(["", "*"]) + chance.choice(TYPES)
        rows.append(f"func (x {owner}) {chance.choice(METHODS)}{_signature(chance, path)} {{}}")
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("seed", range(40))
def test_linking_what_asked_about_a_change_equals_linking_all(seed: int) -> None:
    chance = random.Random(seed)
    tree = SourceTree({"go.mod": MODULE, **{path: _source(chance, path) for path in PATHS}})
    check_random_edits(tree, PATHS, _source, chance, edits=8)


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_linking_changes_nothing(seed: int) -> None:
    chance = random.Random(1000 + seed)
    tree = SourceTree({"go.mod": MODULE, **{path: _source(chance, path) for path in PATHS}})
    expected = link(tree)
    order = list(tree.paths())
    chance.shuffle(order)
    linker = GraphLinker(tree)
    assert {path: linker.link(path) for path in order} == expected
