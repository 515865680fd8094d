"""Similar declarations: as comparing all of them finds, whatever the index went through."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from code_graph.facts import decode_declarations
from code_graph.store.schema import FACTS
from index_format import CorruptIndexError, Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.search import Likeness, NearestDeclarations, SimilarEngine
from repo_mcp.search.similar.rows import SymbolRows
from repo_mcp.stored import SYMBOL_ROWS
from repo_mcp.vectors import symbol_rows
from repo_mcp.vectors.choice import open_embedder
from tests.repo_mcp.trees import FOREVER, Services, served, write

Lines = tuple[int, int]
WORDS = (
    *("parse", "header", "request", "socket", "buffer", "matrix", "row", "column", "price", "lock"),
    *("account", "delete", "cache", "token", "user", "file", "path", "index", "graph", "node"),
    *("edge", "color", "pixel", "image", "audio", "frame", "thread", "queue", "task"),
)
ORIGINAL = """def total_price(items, account):
    total = 0
    for item in items:
        if item.account == account and item.price > 0:
            total += item.price
    return round(total, 2)
"""
RENAMED = """def zorb(quux, wibble):
    plugh = 0
    for xyzzy in quux:
        if xyzzy.frob == wibble and xyzzy.thud > 0:
            plugh += xyzzy.thud
    return grault(plugh, 2)
"""


def function(chance: random.Random, number: int) -> str:
    words = chance.choices(WORDS, k=5)
    rows = [f"    {chance.choice(words)}_{chance.choice(WORDS)}({chance.choice(words)})"]
    rows += [
        f"    {chance.choice(words)} = {chance.choice(words)}" for _ in range(chance.randint(2, 9))
    ]
    return "\n".join([f"def {words[0]}_{words[1]}_{number}({words[2]}):", *rows, ""])


def random_files(seed: int, count: int = 25) -> dict[str, str | bytes]:
    chance = random.Random(seed)
    return {
        f"p{number % 4}/m{number}.py": "\n\n".join(
            function(chance, at) for at in range(chance.randint(1, 8))
        )
        for number in range(count)
    }


def serve(root: Path, data: Path) -> Services:
    services = served(root, data, workers=1)
    services.manager.refresh(FOREVER)
    return services


def snapshot_of(services: Services) -> Snapshot:
    found = services.manager.snapshot()
    assert found is not None
    return found


def engine_of(services: Services) -> SimilarEngine:
    return SimilarEngine(services.sandbox, open_embedder(""))


def places(snapshot: Snapshot) -> list[tuple[str, Lines]]:
    return [
        (path, (item.start_line, item.end_line))
        for path in snapshot.paths()
        for item in decode_declarations(snapshot.attachment(path, FACTS)).declarations
    ]


def text_of(root: Path, path: str, lines: Lines) -> str:
    return "\n".join((root / path).read_text().split("\n")[lines[0] - 1 : lines[1]])


def ask(services: Services, path: str, lines: Lines, limit: int = 10) -> NearestDeclarations:
    return engine_of(services).similar(snapshot_of(services), path, lines, limit, Budget())


def test_the_nearest_are_those_that_comparing_all_finds(tmp_path: Path) -> None:
    root = write(tmp_path / "root", random_files(1))
    services, embedder = serve(root, tmp_path / "data"), open_embedder("")
    every = places(snapshot_of(services))
    vectors = embedder.vectors([text_of(root, *place) for place in every]).astype(float)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for at, (path, lines) in enumerate(every[::7]):
        found = ask(services, path, lines, len(every)).found
        cosines = vectors @ vectors[7 * at]
        expected = {
            (other, first): float(cosine)
            for (other, (first, _)), cosine in zip(every, cosines, strict=True)
            if (other, first) != (path, lines[0])
        }
        near = {(item.path, item.start_line): item.similarity for item in found}
        assert near == {place: pytest.approx(expected[place], abs=1e-4) for place in near}
        nearest = sorted(expected.values(), reverse=True)[:10]
        assert sorted(near.values(), reverse=True)[:10] == pytest.approx(nearest, abs=1e-4)
        plain = [item.similarity for item in found if not item.likeness]
        assert plain == sorted(plain, reverse=True)


def test_an_edited_index_finds_what_a_fresh_one_does(tmp_path: Path) -> None:
    root = write(tmp_path / "root", random_files(2))
    edited = serve(root, tmp_path / "data")
    for seed in (3, 4):
        (root / "p1" / f"m{seed * 4 + 1}.py").unlink()
        write(root, random_files(seed, 9))
        edited.manager.refresh(FOREVER)
    assert any(item.dead_files for item in snapshot_of(edited).segments)
    fresh = serve(root, tmp_path / "fresh")
    one, other = engine_of(edited), engine_of(fresh)
    for path, lines in places(snapshot_of(fresh))[::5]:
        answers = [
            engine.similar(snapshot_of(services), path, lines, 10, Budget())
            for engine, services in ((one, edited), (other, fresh))
        ]
        assert answers[0] == answers[1]


def test_near_duplicates_come_first_and_say_what_they_are(tmp_path: Path) -> None:
    files = random_files(5)
    near = ORIGINAL.replace("total += item.price", "total += item.price\n            count += 1")
    root = write(
        tmp_path / "root",
        {
            **files,
            "one.py": ORIGINAL,
            "two.py": "import os\n\n\n" + ORIGINAL,
            "three.py": RENAMED,
            "four.py": near,
        },
    )
    found = ask(serve(root, tmp_path / "data"), "one.py", (1, 6), 5).found
    assert [(item.path, item.likeness) for item in found[:3]] == [
        ("two.py", Likeness.COPY),
        ("three.py", Likeness.RENAMED),
        ("four.py", Likeness.NEAR),
    ]
    assert not any(item.likeness for item in found[3:])
    assert found[0].start_line == 4


def test_equal_ones_are_shown_in_the_order_of_paths(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {f"m{number:03}.py": ORIGINAL for number in range(60)})
    services = serve(root, tmp_path / "data")
    found = ask(services, "m007.py", (1, 6), 20).found
    expected = [f"m{number:03}.py" for number in range(21) if number != 7]
    assert [item.path for item in found] == expected


def test_of_very_many_equal_rows_the_first_by_path_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.search.similar.rows._MOST_TIES", 0)
    root = write(tmp_path / "root", {f"m{number:02}.py": ORIGINAL for number in range(10, 30)})
    services = serve(root, tmp_path / "data")
    write(root, {f"m{number:02}.py": ORIGINAL for number in range(10)})
    services.manager.refresh(FOREVER)
    vector = open_embedder("").vectors([ORIGINAL])[0]
    rows = SymbolRows(open_embedder("").width)
    found = rows.near(snapshot_of(services), vector, 5, 15)
    assert [place.path for place in found] == [f"m{number:02}.py" for number in range(5)]
    assert len(rows.near(snapshot_of(services), vector, 40, 15)) == 15


def test_what_surrounds_or_lies_inside_is_left_out(tmp_path: Path) -> None:
    body = "\n".join("    " + row for row in ORIGINAL.rstrip().split("\n"))
    root = write(tmp_path / "root", {"a.py": f"class Till:\n{body}\n", "b.py": ORIGINAL})
    services = serve(root, tmp_path / "data")
    for lines in ((1, 7), (2, 7)):
        assert [item.path for item in ask(services, "a.py", lines).found] == ["b.py"]


def test_changed_and_missing_files_are_told_apart(tmp_path: Path) -> None:
    root = write(
        tmp_path / "root", {"a.py": ORIGINAL, "b.py": ORIGINAL, "c.py": ORIGINAL, "d.py": ORIGINAL}
    )
    services = serve(root, tmp_path / "data")
    (root / "b.py").write_text(ORIGINAL.replace("total", "sum"))
    (root / "c.py").unlink()
    found = ask(services, "a.py", (1, 6))
    assert {item.path: item.stale for item in found.found} == {"b.py": True, "d.py": False}
    assert found.stale_paths == {"b.py"}
    (root / "a.py").write_text("x = 1\n" + ORIGINAL)
    assert ask(services, "a.py", (1, 6)).stale_paths == {"a.py", "b.py"}
    with pytest.raises(Problem, match="no such file"):
        ask(services, "c.py", (1, 6))


@pytest.mark.parametrize("text", ["", "\n\n\n", "def f(\n  ):\n  1\n", "(" * 300, "\xff\0\0"])
def test_what_has_no_words_is_like_nothing(tmp_path: Path, text: str) -> None:
    root = write(tmp_path / "root", {"a.py": ORIGINAL, "b.py": text})
    services = serve(root, tmp_path / "data")
    found = ask(services, "b.py", (1, 300))
    assert found.has_words or not found.found
    assert all(item.path == "a.py" for item in found.found)


def test_a_row_for_each_declaration_of_three_lines(tmp_path: Path) -> None:
    text = (
        "X = 1\n\n\ndef two():\n    return 2\n\n\n"
        + ORIGINAL
        + "\n\nclass C:\n    a = 1\n    b = 2\n"
    )
    root = write(tmp_path / "root", {"a.py": text.replace("\n", "\r\n"), "b.md": "# One\n\ntwo\n"})
    snapshot = snapshot_of(serve(root, tmp_path / "data"))
    width = open_embedder("").width
    held = snapshot.attachment("a.py", SYMBOL_ROWS)
    rows = np.frombuffer(held, np.uint8).reshape(-1, symbol_rows.width(width))
    shapes = symbol_rows.shapes_of(rows, width)
    first, last = symbol_rows.lines_of(rows)
    assert (first.tolist(), last.tolist()) == ([8, 16], [13, 18])
    assert bool(shapes[0])
    assert not shapes[1]
    assert not snapshot.attachment("b.md", SYMBOL_ROWS)


def test_text_that_is_nested_again_and_again_counts_a_few_times(tmp_path: Path) -> None:
    depth = 60
    rows = ["  " * at + f"class Level{at}:" for at in range(depth)]
    text = "\n".join([*rows, *("  " * depth + f"value{at} = {at}" for at in range(100)), ""])
    root = write(tmp_path / "root", {"a.py": text})
    held = snapshot_of(serve(root, tmp_path / "data")).attachment("a.py", SYMBOL_ROWS)
    count = len(held) // symbol_rows.width(open_embedder("").width)
    assert 3 < count < depth


def test_rows_of_another_length_are_damage(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": ORIGINAL})
    snapshot = snapshot_of(serve(root, tmp_path / "data"))
    with pytest.raises(CorruptIndexError, match=SYMBOL_ROWS):
        SymbolRows(16).near(snapshot, np.ones(128, dtype=np.int8), 1, 1)


def test_rows_that_are_not_held_are_the_same(tmp_path: Path) -> None:
    snapshot = snapshot_of(serve(write(tmp_path / "root", random_files(7)), tmp_path / "data"))
    embedder = open_embedder("")
    vector = embedder.embed_question("delete a cached token")
    held, signs_alone = SymbolRows(embedder.width), SymbolRows(embedder.width, most_held=0)
    nearest = held.nearest(snapshot, vector, 40, 60)
    assert signs_alone.nearest(snapshot, vector, 40, 60) == nearest
    (segment,) = snapshot.segments
    file = nearest[0][1].file
    chunk = int(segment.reader.files.bounds[file]) + segment.base
    of_file = held.of_files(snapshot, vector, [chunk], 5)
    assert of_file
    assert signs_alone.of_files(snapshot, vector, [chunk], 5) == of_file
    row = snapshot.attachment(nearest[0][1].path, SYMBOL_ROWS)[: symbol_rows.width(embedder.width)]
    shape = row[-12:-8]
    of_shape = held.of_shape(snapshot, shape, vector, 9)
    assert signs_alone.of_shape(snapshot, shape, vector, 9) == of_shape


def test_an_index_without_declarations_has_nothing_like_them(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.txt": "total price of all items\n"})
    assert ask(serve(root, tmp_path / "data"), "a.txt", (1, 1)).found == ()


def test_rows_of_files_are_all_that_they_have_with_the_cosines_of_all(tmp_path: Path) -> None:
    services = serve(write(tmp_path / "root", random_files(7)), tmp_path / "data")
    snapshot = snapshot_of(services)
    embedder = open_embedder("")
    rows, vector = SymbolRows(embedder.width), embedder.embed_question("delete a cached token")
    every = rows.nearest(snapshot, vector, 10_000, 10_000)
    chosen = {place.path for _, place in every[::7]}
    expected = [(cosine, place[:4]) for cosine, place in every if place.path in chosen]
    chunks = [
        chunk for chunk in range(snapshot.chunk_count) if snapshot.chunk(chunk).path in chosen
    ]
    found = rows.of_files(snapshot, vector, chunks, 10_000)
    assert [(cosine, place[:4]) for cosine, place in found] == expected
    some = rows.of_files(snapshot, vector, chunks, 5)
    assert 5 <= len(some) <= len(expected)
    assert {(cosine, place[:4]) for cosine, place in some} <= set(expected)
    assert rows.of_files(snapshot, vector, [], 5) == []
