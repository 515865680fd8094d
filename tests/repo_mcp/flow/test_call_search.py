"""A flow follows calls from the likeliest functions, and tells them in the order of calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from code_graph.model import EdgeType
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.flow import Flow
from repo_mcp.flow.call_search import MOST_STEPS, find_flow
from tests.code_graph.linked_files import FileDraft, graph_of, id_of


def flow_of(graph: GraphSnapshot, seeds: Mapping[str, float]) -> Flow:
    return find_flow(graph, {id_of(name): worth for name, worth in seeds.items()}, lambda _: 0.0)


def chains(flow: Flow) -> list[list[str]]:
    return [[step.symbol.name for step in chain] for chain in flow.chains()]


def names(flow: Flow) -> list[str]:
    return [step.symbol.name for step in flow.steps]


def line(*called: str) -> list[FileDraft]:
    """A file for each function, which calls the next one."""
    drafts = [FileDraft(f"{name}.py").declare(f"{name}.{name}") for name in called]
    for draft, following in zip(drafts, called[1:], strict=False):
        draft.edge(f"{following}.{following}")
    return drafts


def test_a_chain_begins_with_the_caller_and_has_the_place_of_each_call() -> None:
    flow = flow_of(graph_of(line("crawl", "fetch", "download")), {"fetch.fetch": 1.0})
    assert chains(flow) == [["crawl", "fetch", "download"]]
    first, *others = flow.steps
    assert first.edge is None
    assert [(step.edge.path, step.edge.line) for step in others if step.edge] == [
        ("crawl.py", 2),
        ("fetch.py", 2),
    ]


def test_what_is_handed_on_is_a_step_and_a_call_of_it_comes_first() -> None:
    start = FileDraft("start.py").declare("start.start")
    start.edge("later.later", EdgeType.REFERENCES).edge("now.now")
    graph = graph_of([start, *line("now", "later")])
    assert chains(flow_of(graph, {"start.start": 1.0})) == [["start", "now", "later"]]


def test_tests_samples_and_types_are_no_steps() -> None:
    caller = FileDraft("tests/test_it.py").declare("tests.test_it.check").edge("it.run")
    sample = FileDraft("examples/show.py").declare("examples.show.show").edge("it.run")
    own = FileDraft("it.py").declare("it.run").edge("it.Box").declare("it.Box", "class")
    graph = graph_of([caller, sample, own])
    assert names(flow_of(graph, {"it.run": 1.0, "tests.test_it.check": 1.0})) == ["run"]


def test_a_function_around_another_is_not_its_caller_to_be_shown() -> None:
    outer = FileDraft("a.py").declare("a.outer", "function").edge("a.outer.inner")
    outer.declare("a.outer.inner", "function", parent=0)
    outer.declarations[0] = replace(outer.declarations[0], end_line=40)
    found = flow_of(graph_of([outer]), {"a.outer.inner": 1.0})
    assert names(found) == ["inner"]


def test_circles_end_and_every_function_is_there_once() -> None:
    drafts = line("one", "two", "three")
    drafts[-1].edge("one.one")
    found = names(flow_of(graph_of(drafts), {"one.one": 1.0}))
    assert sorted(found) == ["one", "three", "two"]


@pytest.mark.parametrize("count", [MOST_STEPS, 10 * MOST_STEPS])
def test_a_long_chain_ends_at_the_most_steps(count: int) -> None:
    drafts = line(*(f"step{number}" for number in range(count)))
    seeds = {f"step{number}.step{number}": 1.0 for number in range(count)}
    found = flow_of(graph_of(drafts), seeds)
    assert len(found.steps) == MOST_STEPS


def test_what_many_use_is_worth_less_than_what_one_uses() -> None:
    start = FileDraft("start.py").declare("start.start").edge("log.log").edge("save.save")
    users = [FileDraft(f"u{n}.py").declare(f"u{n}.use").edge("log.log") for n in range(80)]
    graph = graph_of([start, *line("log"), *line("save"), *users])
    flow = flow_of(graph, {"start.start": 1.0})
    assert "save" in names(flow)
    assert names(flow)[0] == "start"
    # those that only use it, too, are no part of it
    assert not any(name == "use" for name in names(flow))
