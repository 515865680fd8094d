"""Templates of components name members of these, in files of their own and in code."""

from __future__ import annotations

import pytest

from code_graph.contracts.templates import lines_with_name, template_names
from code_graph.link.linker import GraphLinker
from code_graph.link.source_tree import SourceTree
from code_graph.model import CONFIDENCE_OF, Confidence, EdgeType, Strategy

COMPONENT = """\
import { Component } from '@angular/core';
import { Till } from './till';
export abstract class Shelf { sort() {} get isFull(): boolean { return true } }
@Component({ selector: 'shop', templateUrl: './shop.component.html' })
export class Shop {
  shelf: Shelf | null;
  tills: Till[] = [];
  title = 'x';
  current(): Shelf { return this.shelf }
  add(name: string) {}
}
@Component({ template: `<b (click)="go()">{{ label }}</b>` })
export class Inline { label = 1; go() {} }
"""
TILL = "export class Till { number: number; open() {} }\n"


def uses(template: str, path: str = "app/shop.component.html") -> set[tuple[str, str]]:
    """The kinds and targets of the edges of a file, beside a component and what it has."""
    texts = {"app/shop.component.ts": COMPONENT, "app/till.ts": TILL, path: template}
    tree = SourceTree({**texts, path: template or texts.get(path, "")})
    linker = GraphLinker(tree)
    names = {
        symbol.id: symbol.qualified_name for one in tree.paths() for symbol in linker.declared(one)
    }
    return {
        (EdgeType(edge.type).name.lower(), names[edge.target])
        for edge in linker.link(path).edges
        if edge.type in {EdgeType.CALLS, EdgeType.REFERENCES}
        and CONFIDENCE_OF[Strategy(edge.strategy)] <= Confidence.INFERRED
    }


SHELF = ("references", "Shop.shelf")
TILLS = ("references", "Shop.tills")


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ('<p (click)="shelf.sort()"></p>', {SHELF, ("calls", "Shelf.sort")}),
        ('<p (click)="shelf?.sort()"></p>', {SHELF, ("calls", "Shelf.sort")}),
        (
            '<p [title]="title">{{ add }}</p>',
            {("references", "Shop.title"), ("references", "Shop.add")},
        ),
        ('<p *ngIf="shelf.isFull"></p>', {SHELF, ("references", "Shelf.isFull")}),
        (
            '@if (current().isFull) { <p [(x)]="this.title"></p> }',
            {
                ("calls", "Shop.current"),
                ("references", "Shelf.isFull"),
                ("references", "Shop.title"),
            },
        ),
        ('<p *ngFor="let t of tills" (x)="t.open()"></p>', {TILLS, ("calls", "Till.open")}),
        (
            '@for (t of tills; track t.number) { <i [y]="1"></i> }',
            {TILLS, ("references", "Till.number")},
        ),
        ("<p (x)=\"add('title')\"></p>", {("calls", "Shop.add")}),
        ('<p [y]="{title: 1}"></p>', set()),
        ('<p [y]="1 | title"></p>', set()),
        ('<p #title (x)="title.focus()"></p>', set()),
        ('<!-- (x)="add()" --><p [y]="1"></p>', set()),
        ('<p [y]="1">title</p>', set()),
        ('{% if title %}<p [y]="title"></p>{% endif %}', set()),
    ],
)
def test_a_template_uses_members_of_its_component(
    template: str, expected: set[tuple[str, str]]
) -> None:
    assert uses(template) == expected


def test_a_template_of_the_same_name_elsewhere_is_another() -> None:
    assert uses('<p [title]="title"></p>', "other/shop.component.html") == set()


def test_a_template_in_code_is_of_the_class_behind_it() -> None:
    found = uses(COMPONENT, "app/shop.component.ts")
    assert {("calls", "Inline.go"), ("references", "Inline.label")} <= found


def test_a_component_with_another_template_links_it_again() -> None:
    path, other = "app/shop.component.html", "app/new/shop.component.html"
    before = SourceTree({"app/shop.component.ts": COMPONENT, path: "", other: ""})
    text = COMPONENT.replace("./shop.", "./new/shop.")
    after = SourceTree({"app/shop.component.ts": text, path: "", other: ""})
    exports = [
        dict(GraphLinker(one).link("app/shop.component.ts").exports) for one in (before, after)
    ]
    template = SourceTree({"app/shop.component.ts": COMPONENT, path: '<p [title]="title"></p>'})
    dependencies = GraphLinker(template).link(path).dependencies
    assert any(exports[0].get(key) != exports[1].get(key) for key in dependencies)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ user.title }}\ntitle\n", {1}),
        ("x\n{% if user.title %}\n{{ title|upper }}\n", {2, 3}),
        ('<p title="x">title</p>\n', set()),
        ("{{ 'title' }}\n", set()),
    ],
)
def test_lines_of_a_template_with_a_name(text: str, expected: set[int]) -> None:
    assert lines_with_name(text, "title") == expected


@pytest.mark.parametrize("text", ["{{" * 5000, "@if (" * 5000, '(x="' * 5001, "{{ a" + ".b" * 9000])
def test_damaged_templates_end(text: str) -> None:
    assert len([*template_names(text)]) < len(text)
