"""Limits are never exceeded, and equal requests give equal bundles."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from repo_mcp.bundle.choose.budget import bundle_id, place_tokens, token_cost
from repo_mcp.bundle.model import LEAST_BYTES, FilePlace
from tests.repo_mcp.bundle.bundling import TREE, Shop, listed, made, request, shop, shown
from tests.repo_mcp.trees import FOREVER, write

PROMPTS = (
    "why does net_price refuse an order and what of gross_price, Basket.add_line, rate_of",
    "OverflowError: a basket holds 100 lines, not more",
    'File "x/shop/prices.py", line 13, in net_price\nValueError: no',
    "`yearly_report` reconcile_ledger open_valve renderCart postEntry parse_line ServeOrder",
    "c/engine/valve.c web/src/cart.js docs/shipping.md tests/test_prices.py",
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return made(tmp_path_factory.mktemp("store"))


@pytest.mark.requirement("INT-11.7-algorithm")
@settings(max_examples=60)
@given(
    prompt=st.sampled_from(PROMPTS) | st.text(alphabet="net_price Basket.:/\"'`\n1", min_size=8),
    files=st.integers(1, 12),
    lines=st.integers(1, 400),
    tokens=st.integers(0, 3_000),
    size=st.just(0) | st.integers(LEAST_BYTES, 20_000),
    tests=st.booleans(),
)
def test_no_limit_is_ever_exceeded(
    store: Shop, prompt: str, files: int, lines: int, tokens: int, size: int, *, tests: bool
) -> None:
    limits = {"max_files": files, "max_total_lines": lines, "max_tokens": tokens, "max_bytes": size}
    bundle = store.ask(f"basket {prompt}", include_tests=int(tests), **limits)
    assert len(listed(bundle)) == bundle.used.files <= files
    assert len(bundle.by_file()) + len(bundle.places) == bundle.used.files
    assert sum(len(item.lines) for item in bundle.excerpts) == bundle.used.lines <= lines
    tokens_used = sum(map(token_cost, bundle.excerpts)) + sum(map(place_tokens, bundle.places))
    assert tokens_used == bundle.used.tokens
    assert not tokens or bundle.used.tokens <= tokens
    text = json.dumps(bundle.as_result(), ensure_ascii=False, separators=(",", ":"))
    assert not size or len(text.encode()) <= size


def test_a_small_budget_still_shows_the_best(store: Shop) -> None:
    bundle = store.ask("why does `net_price` refuse an order", max_files=1, max_total_lines=5)
    assert shown(bundle)["shop/prices.py"].startswith("def net_price(order):")


def test_several_declarations_of_the_only_file_are_shown(store: Shop) -> None:
    bundle = store.ask("`net_price` and `gross_price` and `Basket.add_line`", max_files=1)
    assert {"net_price", "gross_price"} <= {item.symbol for item in bundle.excerpts}


def test_omissions_are_counted_and_listed(store: Shop) -> None:
    audit = store.ask(PROMPTS[0], max_files=1, max_total_lines=5).audit
    assert audit.left_out_count >= len(audit.left_out) > 0
    assert {item.reason.text for item in audit.left_out} & {
        *("max_files is reached", "no room in the budget"),
        "matches less well than the excerpts",
    }


@pytest.mark.differential
def test_a_hundred_times_the_same(store: Shop) -> None:
    results = {json.dumps(store.ask(PROMPTS[0]).as_result()) for _ in range(100)}
    assert len(results) == 1


def test_another_copy_of_the_tree_gives_the_same_bundle(store: Shop, tmp_path: Path) -> None:
    other = made(tmp_path)
    for prompt in PROMPTS:
        assert other.ask(prompt).as_result() == store.ask(prompt).as_result()


@pytest.mark.differential
def test_history_and_restarts_change_nothing_but_the_generation(tmp_path: Path) -> None:
    first = made(tmp_path, {**TREE, "shop/old.py": "def net_price():\n    pass\n"})
    (first.root / "shop/old.py").unlink()
    first.manager.refresh(FOREVER)
    again = shop(first.root, first.data)
    plain = made(tmp_path / "plain")
    for prompt in PROMPTS:
        bundles = [held.ask(prompt) for held in (first, again, plain)]
        assert len({bundle.bundle_id for bundle in bundles}) == 1
        assert bundles[0].excerpts == bundles[1].excerpts == bundles[2].excerpts


@pytest.mark.servers
def test_another_process_with_another_hash_seed_gives_the_same(store: Shop) -> None:
    program = (
        "import sys; from pathlib import Path; from tests.repo_mcp.bundle.bundling import shop;"
        "print(shop(Path(sys.argv[1]), Path(sys.argv[2])).ask(sys.argv[3]).bundle_id)"
    )
    names = {
        subprocess.run(
            [sys.executable, "-c", program, str(store.root), str(store.data), PROMPTS[0]],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[3])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert names == {store.ask(PROMPTS[0]).bundle_id}


def test_the_name_of_a_bundle_depends_on_prompt_limits_and_content(tmp_path: Path) -> None:
    held = made(tmp_path)
    plain = held.ask("net_price of an order")
    assert held.ask("net_price  of an order\r\n ").bundle_id == plain.bundle_id
    assert held.ask("net_price of the order").prompt_fingerprint != plain.prompt_fingerprint
    limited = held.ask("net_price of an order", max_files=7)
    assert limited.prompt_fingerprint == plain.prompt_fingerprint
    assert limited.bundle_id != plain.bundle_id
    shutil.rmtree(held.root / "shop")
    write(held.root, {"shop/prices.py": "def net_price(order):\n    return 0\n"})
    held.manager.refresh(FOREVER)
    assert held.ask("net_price of an order").bundle_id != plain.bundle_id


def test_the_name_of_a_bundle_depends_on_its_places() -> None:
    asked = request("turbine")
    lists = [
        [],
        [FilePlace("a.py", 1, 3)],
        [FilePlace("a.py", 1, 4)],
        [FilePlace("a.py", 1, 3), FilePlace("b.py", 1, 3)],
    ]
    assert len({bundle_id("", asked, (), places) for places in lists}) == len(lists)
