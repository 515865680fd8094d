"""A bundle as a Markdown page, and the files kept of the last bundle."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from repo_mcp.bundle import keep_last_bundle, render_page
from repo_mcp.bundle.model import Audit, BudgetUse, Bundle, BundleRequest, Excerpt, Line
from repo_mcp.bundle.page import DATA, PAGE
from repo_mcp.bundle.reasons import Reason, ReasonCode
from tests.repo_mcp.bundle.bundling import made

HOSTILE = (
    "text = '''\n```\n# Not a heading\n````` \n<script>alert(1)</script>\n'''\nwicked_word = 1\n"
)


def bundle(*texts: str, rationale: str = "why", path: str = "a.py") -> Bundle:
    lines = tuple(Line(number, text) for number, text in enumerate(texts, 1))
    reason = Reason(ReasonCode.MENTIONS, rationale)
    item = Excerpt(path, lines, "name", "match", (reason,), 1.0, "f" * 32)
    audit = Audit("local", 1, complete=True)
    return Bundle(BundleRequest("x"), "b" * 32, "p" * 32, (item,), BudgetUse(1, 1, 1), audit)


def outside_of_fences(text: str) -> list[str]:
    """The lines outside of fenced blocks."""
    fence = ""
    kept: list[str] = []
    for row in text.split("\n"):
        found = re.match(r"(`{3,})", row)
        if fence:
            if found and row.strip() == fence:
                fence = ""
        elif found:
            fence = found[1]
        else:
            kept.append(row)
    assert not fence
    return kept


@given(st.lists(st.text(alphabet="`~a \t#<", max_size=12), min_size=1, max_size=6))
def test_no_content_breaks_out_of_its_fence(texts: list[str]) -> None:
    plain = outside_of_fences(render_page(bundle("x"), "prompt"))
    assert outside_of_fences(render_page(bundle(*texts), "prompt"))[:4] == plain[:4]
    headings = [
        row for row in outside_of_fences(render_page(bundle(*texts), "p")) if row[:1] == "#"
    ]
    assert headings == [row if row[:3] != "###" else headings[3] for row in headings]
    assert len(headings) == 5


@given(st.text(alphabet="`~a \n#<", max_size=30))
def test_no_prompt_breaks_out_of_its_fence(prompt: str) -> None:
    rows = outside_of_fences(render_page(bundle("x"), prompt))
    assert rows == outside_of_fences(render_page(bundle("x"), "prompt"))


def test_control_characters_are_not_written() -> None:
    text = render_page(
        bundle("a\x1b[31m", rationale="b\x1b]0;c\x07", path="d\u202e\u061c.py"), "e\x1b[2J"
    )
    assert not set(text) & {"\x1b", "\x07", "\u202e", "\u061c"}


def test_a_page_has_contents_excerpts_and_reasons(tmp_path: Path) -> None:
    shop = made(tmp_path)
    found = shop.ask("why does `net_price` refuse an order")
    text = render_page(found, "why does `net_price` refuse an order")
    assert "## Contents" in text
    assert "`shop/prices.py:9-13` `net_price`: defines `net_price`" in text
    assert "9: def net_price(order):" in text
    assert "## How it was made" in text
    assert found.bundle_id in text
    assert found.excerpts[0].fingerprint in text


@pytest.mark.requirement("INT-12-observability")
def test_the_last_bundle_is_kept_as_data_and_as_a_page(tmp_path: Path) -> None:
    shop = made(tmp_path)
    for prompt in ("why does net_price refuse an order", "how does the Basket work"):
        found = shop.ask(prompt, max_bytes=3_000)
        assert keep_last_bundle(str(shop.data), found) == ""
        facts = json.loads((shop.data / DATA).read_text())
        assert facts["prompt"] == prompt
        assert facts["bundle_id"] == found.bundle_id
        assert facts["audit"] == json.loads(json.dumps(found.audit.as_result()))
        assert {item["path"] for item in facts["excerpts"]} == set(found.by_file())
        assert (shop.data / PAGE).read_text() == render_page(found, prompt)
    assert not list(shop.data.glob("*.tmp"))


def test_a_data_folder_that_cant_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "could not be kept" in keep_last_bundle(str(tmp_path / "file"), bundle("x"))


def test_a_prompt_that_no_encoding_has_is_kept(tmp_path: Path) -> None:
    odd = replace(bundle("x"), request=BundleRequest("half \ud800 a character"))
    assert keep_last_bundle(str(tmp_path / "data"), odd) == ""
    assert json.loads((tmp_path / "data" / DATA).read_text())["prompt"]
