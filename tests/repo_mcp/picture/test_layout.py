"""Boxes never overlap, arrows lead down unless they close a cycle, and equal pictures are equal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

from hypothesis import given, strategies as st

from repo_mcp.picture.dot import to_dot
from repo_mcp.picture.layers import assign_layers, count_crossings, order_layers
from repo_mcp.picture.layout import Layout, PlacedBox, lay_out, shorten_to, text_width
from repo_mcp.picture.model import MOST_ARROWS, MOST_BOXES, Arrow, Box, Picture
from repo_mcp.picture.svg import to_svg

NODES = 14
edges = st.lists(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)), max_size=40)
labels = st.text(st.characters(codec="utf-8"), max_size=60)


def picture(
    given_edges: Sequence[tuple[int, int]], texts: Sequence[str] = (), nodes: int = NODES
) -> Picture:
    boxes = [
        Box(str(number), texts[number % len(texts)] if texts else f"name{number}", "note")
        for number in range(nodes)
    ]
    return Picture("a picture", boxes, [Arrow(str(a), str(b)) for a, b in given_edges])


def overlap(one: PlacedBox, other: PlacedBox) -> bool:
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def along(layout: Layout, box: PlacedBox) -> tuple[float, float]:
    """Begin and end of a box in the direction of the layers."""
    if layout.rightwards:
        return box.x, box.x + box.width
    return box.y, box.y + box.height


@given(edges, st.lists(labels, min_size=1, max_size=4))
def test_boxes_do_not_overlap_and_are_inside(
    given_edges: list[tuple[int, int]], texts: list[str]
) -> None:
    layout = lay_out(picture(given_edges, texts))
    assert len(layout.boxes) == NODES
    for one, other in combinations(layout.boxes, 2):
        assert not overlap(one, other)
    for box in layout.boxes:
        assert box.x >= 0
        assert box.y >= 0
        assert box.x + box.width <= layout.width
        assert box.y + box.height <= layout.height


@given(edges)
def test_arrows_lead_down_unless_they_close_a_cycle(given_edges: list[tuple[int, int]]) -> None:
    layout = lay_out(picture(given_edges))
    boxes = {item.box.key: item for item in layout.boxes}
    axis = 0 if layout.rightwards else 1
    for item in layout.arrows:
        source, target = boxes[item.arrow.source], boxes[item.arrow.target]
        if item.arrow.source == item.arrow.target:
            assert item.is_back
            continue
        upper, lower = (target, source) if item.is_back else (source, target)
        assert along(layout, upper)[1] < along(layout, lower)[0]
        steps = [point[axis] for point in item.points]
        assert steps == sorted(steps, reverse=item.is_back)
    without = [pair for pair in given_edges if pair[0] < pair[1]]
    assert not any(item.is_back for item in lay_out(picture(without)).arrows)


@given(edges)
def test_layers_are_those_of_longest_paths(given_edges: list[tuple[int, int]]) -> None:
    layers = assign_layers(NODES, given_edges)
    plain = {(a, b) for a, b in given_edges if a != b}
    assert {(b, a) if (a, b) in layers.back else (a, b) for a, b in plain} == set(layers.down)
    for source, target in layers.down:
        assert layers.layer_of[source] < layers.layer_of[target]
    entered = {target for _, target in layers.down}
    for node in range(NODES):
        above = [layers.layer_of[a] for a, b in layers.down if b == node]
        if node in entered:
            assert layers.layer_of[node] > max(above)


@given(edges)
def test_a_graph_without_cycles_has_no_back_edges(given_edges: list[tuple[int, int]]) -> None:
    assert not assign_layers(NODES, [pair for pair in given_edges if pair[0] < pair[1]]).back


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(6, 11)), max_size=25, unique=True),
    st.permutations(range(6, 12)),
)
def test_ordering_never_adds_crossings(pairs: list[tuple[int, int]], lower: list[int]) -> None:
    layers = [list(range(6)), list(lower)]
    below: dict[int, list[int]] = {}
    for source, target in pairs:
        below.setdefault(source, []).append(target)
    ordered = order_layers(layers, pairs)
    assert [sorted(layer) for layer in ordered] == [sorted(layer) for layer in layers]
    assert count_crossings(ordered, below) <= count_crossings(layers, below)
    places = [{node: at for at, node in enumerate(layer)} for layer in ordered]
    crossings = sum(
        (places[0][a] - places[0][c]) * (places[1][b] - places[1][d]) < 0
        for (a, b), (c, d) in combinations(pairs, 2)
    )
    assert crossings == count_crossings(ordered, below)


@given(edges, st.lists(st.text(max_size=20), min_size=1, max_size=4))
def test_any_name_is_well_formed_and_equal_pictures_are_equal(
    given_edges: list[tuple[int, int]], texts: list[str]
) -> None:
    drawn = picture(given_edges, texts)
    svg = to_svg(drawn)
    ET.fromstring(svg)  # noqa: S314 it was made here
    svg.encode()
    assert to_svg(picture(given_edges, texts)) == svg
    dot = to_dot(drawn)
    dot.encode()
    assert dot == to_dot(picture(given_edges, texts))
    for line in dot.splitlines():
        assert line.replace("\\\\", "").replace('\\"', "").count('"') % 2 == 0


def test_wide_layers_go_from_left_to_right_and_long_names_are_cut() -> None:
    star = lay_out(picture([(0, number) for number in range(1, 50)], ["x" * 300], nodes=50))
    assert star.rightwards
    assert star.width < 1500
    chain = lay_out(picture([*pairwise(range(8))], nodes=8))
    assert not chain.rightwards


def test_a_picture_has_bounds_of_size_and_time() -> None:
    nodes = MOST_BOXES + 100
    every = [(a, b) for a in range(nodes) for b in range(a + 1, min(a + 30, nodes))]
    layout = lay_out(picture(every, nodes=nodes))
    assert (len(layout.boxes), len(layout.arrows)) == (MOST_BOXES, MOST_ARROWS)


def test_an_empty_picture_is_drawn() -> None:
    ET.fromstring(to_svg(Picture("", [], [])))  # noqa: S314 it was made here


@given(labels, st.floats(0, 400))
def test_shortened_text_fits_and_keeps_both_ends(text: str, widest: float) -> None:
    found = shorten_to(text, 12, widest)
    assert found == text or text_width(found, 12) <= max(widest, text_width("…", 12))
    if found != text:
        head, _, tail = found.rpartition("…") if "…" in found else (found, "", "")
        assert text.startswith(head)
        assert text.endswith(tail)
