"""Components in one file: their script is linked with others, their template uses its names."""

from __future__ import annotations

from typing import Final

import pytest

from code_graph import Languages
from code_graph.facts import Facts
from tests.code_graph.languages.native.written import edge_lines

VUE: Final = """<template>
  <item-list :items="items" @done="close">{{ title.length }} close</item-list>
</template>
<script setup lang="ts">
import ItemList from "./ItemList.vue";
import { load } from "./load";
const title: string = "x";
const items = load(title);
function close() { load("y"); }
</script>
"""
LIST: Final = """<script>
import { load } from "./load.ts";
export default { methods: { open() { return load("z"); } } };
</script>
"""


def facts_of(path: str, text: str) -> Facts:
    adapter = Languages().adapter_for(path)
    assert adapter is not None
    return adapter.facts(path, text)


def used(facts: Facts) -> list[tuple[str, int]]:
    return [(use.name, use.line) for use in facts.uses]


def test_a_component_is_linked_with_the_files_that_it_imports() -> None:
    sources = {
        "Shop.vue": VUE,
        "ItemList.vue": LIST,
        "load.ts": "export function load(name: string) { return [name]; }\n",
    }
    assert edge_lines(sources) == [
        "ItemList.vue imports load exact",
        "ItemList.vue imports load.ts exact",
        "Shop.vue calls load exact",
        "Shop.vue imports ItemList.vue exact",
        "Shop.vue imports default exact",
        "Shop.vue imports load exact",
        "Shop.vue imports load.ts exact",
        "Shop.vue references close exact",
        "Shop.vue references default exact",
        "Shop.vue references items exact",
        "Shop.vue references title exact",
        "close calls load exact",
        "default.methods.open calls load exact",
    ]


def test_words_of_a_template_that_are_no_code_are_no_uses() -> None:
    text = "<script>\nlet a = 1, b = 2;\n</script>\n<p>a {b} <!-- {a} --></p>\n"
    assert used(facts_of("x.svelte", text)) == [("b", 4)]


def test_lines_are_those_of_the_file() -> None:
    facts = facts_of("x.astro", "---\n\nconst é = 1;\n---\n<p>{é}</p>\n")
    assert [(item.name, item.start_line) for item in facts.declarations] == [("é", 3)]


@pytest.mark.parametrize("path", ["x.vue", "x.svelte", "x.astro"])
@pytest.mark.parametrize(
    "text", ["", "<script>", "---", "</script><script", "<p>{a", "{{}}<style>"]
)
def test_what_is_not_finished_is_read(path: str, text: str) -> None:
    assert facts_of(path, text).declarations == ()
