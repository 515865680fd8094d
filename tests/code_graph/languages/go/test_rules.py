"""Linking of Go: packages by folders, methods in other files, embedding, several results."""

from __future__ import annotations

from code_graph import SourceTree
from code_graph.model import EdgeType
from tests.code_graph.sources import calls, edges, link

SOURCES = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "item.go": """\
package shop

import "example.com/shop/util"

type Item struct {
	Base
	Name string
	next *Item
}

type Items []*Item

type Handler func(item *Item) *Item

func New(name string) (*Item, error) {
	it := &Item{Name: util.Clean(name)}
	return it, nil
}

func (items Items) Each(visit func(*Item)) {
	for _, item := range items {
		visit(item)
		item.Price(1)
	}
}
""",
    "price.go": """\
package shop

type Base struct{ id int }

func (b *Base) ID() int { return b.id }

func (i *Item) Price(n int) int {
	i.next.Price(n)
	return i.ID()
}
""",
    "item_test.go": """\
package shop

func helper() *Item { return nil }

func run() {
	helper().Price(1)
}
""",
    "util/text.go": """\
package util

func Clean(text string) string { return trim(text) }

func trim(text string) string { return text }
""",
    "cmd/main.go": """\
package main

import (
	"fmt"

	shop "example.com/shop"
)

func main() {
	it, err := shop.New("a")
	if err != nil {
		fmt.Println(err)
	}
	it.Price(2)
	all := map[string]*shop.Item{}
	if found, ok := all["x"]; ok {
		found.ID()
	}
	var items shop.Items
	items.Each(func(item *shop.Item) { item.Price(3) })
	for _, each := range items {
		each.ID()
	}
	handle := shop.Handler(nil)
	handle(it).ID()
}
""",
}


def test_calls() -> None:
    assert calls(SOURCES) == {
        "shop.New calls util.Clean",
        "util.Clean calls util.trim",
        "shop.Items.Each calls shop.Item.Price",
        "shop.Item.Price calls shop.Item.Price",
        "shop.Item.Price calls shop.Base.ID",
        "shop.run calls shop.helper",
        "shop.run calls shop.Item.Price",
        "main.main calls shop.New",
        "main.main calls shop.Item.Price",
        "main.main calls shop.Items.Each",
        "main.main calls shop.Base.ID",
    }


def test_imports_and_external_packages() -> None:
    linked = link(SourceTree(SOURCES))
    assert edges(linked, EdgeType.IMPORTS) == {
        "main imports shop import",
        "shop imports util import",
    }
    assert {item.name for item in linked["cmd/main.go"].external} == {"fmt", "fmt.Println"}
    # a variable that a call made means nothing else of its name
    assert not linked["cmd/main.go"].unresolved
