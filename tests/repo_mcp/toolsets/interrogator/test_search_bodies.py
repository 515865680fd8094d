"""`repo.search` with `show: bodies`: the declarations around hits, each once, so that it reads."""

from __future__ import annotations

import re
from itertools import chain, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, strategies as st

from repo_mcp.text.files import Rows
from repo_mcp.toolsets.interrogator.body_page import MOST_LINES, HitBody, body_lines, shown_numbers
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import write

CODE = '''\
import pay


class Till:
    limit = 3

    def take(self, coin):
        """Takes a coin."""
        return pay(coin)

    def give(self, coin):
        pay(coin)
        pay(-coin)


def other():
    return 1
'''
GUIDE = "# Guide\n\nWords.\n\n## Coins\n\nHow to pay.\n\n## Rest\n\nNothing.\n"
ASKED: dict[str, Any] = {"query": "pay", "mode": "literal", "show": "bodies"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    long = "def long():\n" + "".join(f"    step({n})\n" for n in range(200)) + "    pay(9)\n"
    plain = "".join(f"row {n}\n" for n in range(40)) + "pay here\n" + "row\n" * 30
    return write(
        tmp_path / "root",
        {"till.py": CODE, "guide.md": GUIDE, "long.py": long, "plain.txt": plain},
    )


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    caller = Caller(root, tmp_path / "data")
    caller.result("repo.refresh_index")
    return caller


def test_each_declaration_is_whole_and_once_and_its_hits_are_marked(call: Caller) -> None:
    found = call.result("repo.search", **ASKED, file_glob="till.py")
    (file,) = found["files"]
    assert file["lines"] == (
        "1: import pay\n"
        "@ Till.take\n7-     def take(self, coin):\n"
        '8-         """Takes a coin."""\n9:         return pay(coin)\n'
        "@ Till.give\n11-     def give(self, coin):\n12:         pay(coin)\n13:         pay(-coin)"
    )
    assert (found["matching_lines"], found["truncated"]) == (4, False)


def test_of_a_long_declaration_its_head_and_the_lines_around_hits_are_shown(call: Caller) -> None:
    (file,) = call.result("repo.search", **ASKED, file_glob="long.py")["files"]
    rows = file["lines"].split("\n")
    assert rows[0] == "1- def long():"
    assert rows[-1] == "202:     pay(9)"
    assert rows.count("…") == 1
    assert 50 <= len(rows) <= MOST_LINES + 1


@pytest.mark.parametrize("mode", ["literal", "bm25"])
def test_a_declaration_that_is_a_little_longer_is_whole_where_there_is_room(
    call: Caller, root: Path, mode: str
) -> None:
    steps = "".join(f"    step({number})\n" for number in range(MOST_LINES + 20))
    write(root, {"longer.py": f"def longer():\n{steps}    refund(9)\n"})
    call.result("repo.refresh_index")
    asked = {**ASKED, "query": "refund", "mode": mode}
    found = call.result("repo.search", **asked)
    lines = found["hits"][0]["snippet"] if mode == "bm25" else found["files"][0]["lines"]
    assert "…" not in lines
    assert lines.count("\n") == MOST_LINES + 21
    found = call.result("repo.search", **asked, max_chars=1_500)
    lines = found["hits"][0]["snippet"] if mode == "bm25" else found["files"][0]["lines"]
    assert "…" in lines


def test_of_documents_it_is_the_section_and_of_other_text_the_lines_around(call: Caller) -> None:
    files = call.result("repo.search", **ASKED, file_glob="*.md, *.txt")["files"]
    shown = {file["path"]: file["lines"] for file in files}
    assert "5- ## Coins\n6- \n7: How to pay." in shown["guide.md"]
    assert "Nothing" not in shown["guide.md"]
    rows = shown["plain.txt"].split("\n")
    assert (rows[0], rows[10], len(rows)) == ("31- row 30", "41: pay here", 21)


@pytest.mark.parametrize(
    ("mode", "query"), [("regex", r"\bpay\("), ("structure", "pay($A)"), ("bm25", "pay coin")]
)
def test_all_modes_have_bodies(call: Caller, mode: str, query: str) -> None:
    found = call.result("repo.search", query=query, mode=mode, show="bodies")
    shown = str(found["files"] or found["hits"])
    assert "7- " in shown or "7: " in shown
    assert "return pay(coin)" in shown
    assert "pay(-coin)" in shown


def test_ranked_hits_are_whole_declarations_and_telling_lines_are_marked(call: Caller) -> None:
    found = call.result("repo.search", query="Till.give", show="bodies", top_k=1)
    (hit,) = found["hits"]
    assert (hit["path"], hit["start_line"], hit["end_line"]) == ("till.py", 11, 13)
    assert re.sub(r"(?m)^(\d+)[:-]", r"\1", hit["snippet"]).split("\n") == [
        "11     def give(self, coin):",
        "12         pay(coin)",
        "13         pay(-coin)",
    ]
    whole = call("repo.search", query="pay coin", show="bodies", max_chars=2_000)
    assert not any("ignored" in text for text in whole["warnings"])


def test_what_ranked_bodies_leave_out_is_named(call: Caller, root: Path) -> None:
    body = "".join(f"    coin_step({n}, 'some longer text of a line')\n" for n in range(40))
    write(root, {f"m{n}.py": f"def coin_{n}():\n{body}    return {n}\n" for n in range(6)})
    call.result("repo.refresh_index")
    first = call.result("repo.search", query="coin_step", show="bodies", max_chars=5_000)
    assert first["truncated"]
    shown = {hit["path"] for hit in first["hits"]}
    named = {text.split(":")[0] for text in first["left"]}
    assert named
    assert not shown & named
    assert all(re.fullmatch(r"m\d\.py:1-42 coin_\d", text) for text in first["left"])
    rest = call.pages("repo.search", query="coin_step", show="bodies", max_chars=5_000)
    assert {hit["path"] for page in rest for hit in page["hits"]} >= shown | named


@pytest.mark.parametrize("most", [2_000, 4_000, 9_900, 40_000])
@pytest.mark.parametrize("seed", range(4))
def test_pages_have_each_declaration_once_and_every_line(
    tmp_path: Path, seed: int, most: int
) -> None:
    chance = Random(seed)
    files: dict[str, str | bytes] = {}
    every: set[tuple[str, int]] = set()
    for number in range(12):
        rows: list[str] = ["needle = 0" if chance.random() < 0.4 else "x = 0"]
        for function in range(chance.randrange(1, 5)):
            rows.append(f"def f{function}():")
            calls = chance.choices(["needle", "other"], [1, 9], k=chance.choice([2, 10, 90]))
            rows += [f"    {name}()" for name in calls]
        path = f"{chance.choice(['src', 'tests'])}/m{number:02}.py"
        files[path] = "\n".join(rows) + "\n"
        every |= {(path, at) for at, row in enumerate(rows, 1) if "needle" in row}
    call = Caller(write(tmp_path / "root", files), tmp_path / "data")
    call.result("repo.refresh_index")
    given = {"query": "needle", "mode": "literal", "show": "bodies", "max_chars": most}
    heads: list[tuple[str, str]] = []
    seen: set[tuple[str, int]] = set()
    pages = call.pages("repo.search", **given)
    for page in pages:
        for file in page["files"]:
            for row in file["lines"].split("\n"):
                if re.match(r"\d+[:-] def ", row):
                    heads.append((file["path"], row.split(" ", 1)[1]))
                if found := re.match(r"(\d+):", row):
                    seen.add((file["path"], int(found[1])))
    assert len(heads) == len({*heads})
    assert pages[-1]["truncated"] is False
    # of a very long declaration on a small page its first hits are shown
    assert seen == every if most > 2_000 else seen <= every
    told = {file["path"] for file in pages[0]["files"]}
    told |= {row.split(": ")[0].split(" (")[0] for row in pages[0]["left"]}
    assert {path for path, _ in every} == told


def test_no_page_is_empty_where_one_declaration_has_very_many_hits(
    call: Caller, root: Path
) -> None:
    many = "def f():\n" + "    needle()\n" * 700 + "\n\ndef g():\n    needle()\n"
    write(root, {"many.py": many, "one.py": "def h():\n    needle()\n"})
    call.result("repo.refresh_index")
    pages = call.pages(
        "repo.search", query="needle", mode="literal", show="bodies", max_chars=2_000
    )
    heads = [re.findall(r"def \w", str(page["files"])) for page in pages]
    assert all(heads)
    assert sorted(chain.from_iterable(heads)) == ["def f", "def g", "def h"]


HITS = st.sets(st.integers(5, 300), min_size=1, max_size=90)


@given(HITS, st.integers(1, 60))
def test_at_most_so_many_lines_are_shown_with_the_head_and_the_first_hits(
    hits: set[int], most: int
) -> None:
    body = HitBody(5, 300, "long", sorted(hits))
    numbers = shown_numbers(body, most)
    assert len(numbers) <= most
    assert numbers == sorted({*numbers})
    assert min(hits) in numbers
    centres = {5, *hits}
    if len(centres) <= most:
        assert centres <= {*numbers}


@given(HITS)
def test_a_mark_stands_wherever_lines_are_missing(hits: set[int]) -> None:
    rows = Rows("".join(f"row {n}\n" for n in range(1, 310)).encode())
    lines = body_lines(HitBody(5, 300, "long", sorted(hits)), rows, hits)
    for before, line in pairwise(lines):
        assert line.after_gap is (line.number > before.number + 1)
    assert lines[-1].before_gap is (lines[-1].number < 300)
    assert {line.number for line in lines if not line.around} <= hits
