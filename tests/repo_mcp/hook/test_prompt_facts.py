"""A prompt calls for facts about what it names, and for silence about everything else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from repo_mcp.budget import Budget
from repo_mcp.hook.prompt_facts import prompt_facts
from repo_mcp.hook.question import written_by_person
from repo_mcp.hook.stored import open_stored
from repo_mcp.hook.weights import FactLimits
from repo_mcp.settings import Options
from tests.repo_mcp.hook.hook_tree import FILES, HookTree

FOREVER = Budget()


def told(tree: HookTree, prompt: str) -> str:
    """The text of the hook for a prompt."""
    own = written_by_person(prompt)
    return prompt_facts(tree.open(), own, FOREVER)[0] if own else ""


@pytest.mark.parametrize(
    ("prompt", "lines"),
    [
        (
            "why does add_tax fail?",
            [
                "- add_tax: function, shop/tax.py:8-11",
                "  8: def add_tax(net):",
                "  used at shop/prices.py:6 in total, tests/test_prices.py:6 in test_total",
            ],
        ),
        ("what is `Cart.total` for?", ["- Cart.total: method, shop/prices.py:5-6"]),
        (
            "FixedRates.rate_of is wrong",
            ["  may be used by dispatch at shop/rates.py:12 in ask"],
        ),
        (
            "change `label_of`",
            ["- Kind0.label_of: 12 symbols have this name; the likeliest is a method, shop/kinds"],
        ),
        ("make Cart immutable", ["- Cart: class, shop/prices.py:4-9"]),
        ("close() is never called", ["- Cart.close: method, shop/prices.py:8-9"]),
        # a verb of requests, as a call
        ("test get() without it", ["- Till.get: method, shop/till.py:9-11"]),
        # what an expression means where code has it, and its member where none has
        ("land_rates.rate_of is slow", ["- Rates.rate_of: method, shop/rates.py:2-3"]),
        ("drawer.get() fails", ["- Till.get: method, shop/till.py:9-11"]),
        ("shop_tax.add_tax fails", ["- add_tax: function, shop/tax.py:8-11"]),
        ("what does zorptal do?", ["- zorptal: function, shop/tax.py:14-15"]),
        ("refactor shop/tax.py", ["- shop/tax.py: 15 lines; declares RATE:1, TaxError:4"]),
        ("refactor tax.py", ["- shop/tax.py: 15 lines; declares RATE:1, TaxError:4"]),
        (
            '  File "/srv/app/shop/tax.py", line 10, in add_tax\n',
            ['- shop/tax.py:10 in add_tax (8-11): raise TaxError("no tax on a negative price")'],
        ),
        (
            '  File "/srv/app/setup.py", line 5, in requirements\n',
            ["- setup.py:5 in requirements (4-5): return []"],
        ),
        (
            '  File "/srv/app/shop/tax.py", line 11, in round_tax\n',
            ["  the trace names round_tax there"],
        ),
        (
            "error: no tax on a negative price",
            ["  shop/tax.py:10 in add_tax (8-11): raise TaxError"],
        ),
        (
            "where is SHOP_CURRENCY_CODE read?",
            ["  shop/config.py:5 in currency (4-5): return os.environ.get"],
        ),
        (
            "what does --dry-checkout do",
            ["  shop/config.py:9 in options (8-9): parser.add_argument"],
        ),
        (
            "GET /api/cart/checkout gives 500",
            [
                "- 'cart/checkout' is written in",
                '  shop/pages.py:6 in checkout (6-8): @app.get("/cart/checkout")',
            ],
        ),
    ],
)
def test_what_a_prompt_names_is_told(shop: HookTree, prompt: str, lines: list[str]) -> None:
    text = told(shop, prompt)
    assert text.startswith("<repo-mcp>\n")
    assert text.endswith("</repo-mcp>")
    for line in lines:
        assert f"\n{line}" in text, text


@pytest.mark.parametrize(
    "prompt",
    [
        "hello",
        "Write a haiku about autumn.",
        "close this, please",
        "what is the total?",
        "refactor src/new/tax.py",
        "use `subtract_tax` instead",
        "ADD_TAX",
        "drawer.label_of fails",
        "write it into the Ledger",
        "rename `TaxErr`",
        "see https://example.org/shop/tax.py",
        "<task-notification>add_tax ended</task-notification>",
        "/compact add_tax",
    ],
)
def test_nothing_is_said_otherwise(shop: HookTree, prompt: str) -> None:
    assert told(shop, prompt) == ""


def test_a_member_of_what_is_declared_outside_is_none_of_the_repository(
    own_shop: HookTree,
) -> None:
    """`release` of a lock is that of the library, though the only one that is declared here."""
    (own_shop.root / "shop" / "door.py").write_text("def release():\n    pass\n", "utf-8")
    own_shop.link()
    assert "- release: function" in told(own_shop, "release() fails")
    text = told(own_shop, "lock.release() fails")
    assert "- 'lock.release' is written in\n  shop/till.py:10" in text
    assert "door" not in text


def test_of_many_uses_the_few_outside_of_tests_are_named(own_shop: HookTree) -> None:
    calls = "".join(f"def test_{number}():\n    add_tax({number})\n\n\n" for number in range(8))
    path = own_shop.root / "tests" / "test_many.py"
    path.write_text(f"from shop.tax import add_tax\n\n\n{calls}", "utf-8")
    own_shop.link()
    told_uses = "10 uses in 3 files, those outside of tests at shop/prices.py:6 in total\n"
    assert told_uses in told(own_shop, "why does add_tax fail?")
    (own_shop.root / "shop" / "prices.py").unlink()
    own_shop.link()
    text = told(own_shop, "why does add_tax fail?")
    assert "9 uses in 2 files, 2 of tests: tests/test_many.py, tests/test_prices.py" in text


def test_a_path_behind_a_mark_is_one(shop: HookTree) -> None:
    assert "shop/tax.py: 15 lines" in told(shop, "@shop/tax.py add a log")


def test_lines_are_those_of_the_file_as_it_is(own_shop: HookTree) -> None:
    path = own_shop.root / "shop" / "tax.py"
    path.write_text("# moved\n# down\n" + path.read_text("utf-8"), "utf-8")
    text = told(own_shop, "why does add_tax fail?")
    assert "- add_tax: function, shop/tax.py:10\n  10: def add_tax(net):" in text


def test_of_a_symbol_that_is_gone_its_lines_are_told(own_shop: HookTree) -> None:
    (own_shop.root / "shop" / "tax.py").write_text("RATE = 3\n", "utf-8")
    text = told(own_shop, "why does add_tax fail?")
    assert "- 'add_tax' is written in\n  shop/prices.py:1: from shop.tax import add_tax" in text
    assert "shop/tax.py" not in text
    (own_shop.root / "shop" / "tax.py").unlink()
    assert "shop/tax.py" not in told(own_shop, "why does `add_tax` fail in shop/tax.py:9?")


def test_a_file_that_is_denied_by_now_is_not_told(own_shop: HookTree) -> None:
    (own_shop.root / "repo_mcp.toml").write_text(
        '[security]\ndeny_globs = ["shop/tax.py"]\n', "utf-8"
    )
    text = told(own_shop, "why does add_tax fail in shop/tax.py:9?")
    assert "shop/prices.py:1" in text
    assert "shop/tax.py" not in text


def test_uses_in_files_that_are_denied_by_now_are_not_named(own_shop: HookTree) -> None:
    (own_shop.root / "repo_mcp.toml").write_text('[security]\ndeny_globs = ["tests/**"]\n', "utf-8")
    text = told(own_shop, "why does add_tax fail?")
    assert "used at shop/prices.py:6 in total\n" in text
    assert "tests/" not in text


def test_an_index_that_came_with_the_repository_tells_nothing(
    own_shop: HookTree, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(own_shop.root, copy / "root")
    shutil.copytree(str(own_shop.options.data_dir), copy / "data")
    options = Options(str(copy / "root"), str(copy / "data"), watch=False)
    assert open_stored(options) is None


def test_before_the_graph_is_linked_places_are_told(own_shop: HookTree) -> None:
    index = own_shop.open()._replace(graph=None)
    text, facts = prompt_facts(index, "why does add_tax fail?", FOREVER)
    assert "- add_tax: function, shop/tax.py:8-11\n  8: def add_tax(net):\n</repo-mcp>" in text
    assert [fact.shown for fact in facts] == [["shop/tax.py:8-11"]]


def test_no_more_is_looked_up_when_time_is_over(shop: HookTree) -> None:
    text, facts = prompt_facts(shop.open(), "is add_tax or zorptal slower?", Budget(0.0))
    assert len(facts) == 1
    assert "zorptal" not in text


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                ["add_tax", "`Cart`", "shop/tax.py", "zorptal", "/cart/checkout", "\n"]
            ),
            st.text(max_size=30),
        ),
        max_size=60,
    )
)
def test_any_prompt_is_answered_in_bounds(shop: HookTree, parts: list[str]) -> None:
    text, facts = prompt_facts(shop.index, " ".join(parts), Budget())
    assert len(text) <= FactLimits.CHARACTERS
    assert bool(text) is bool(facts)
    shown = {place.split(":")[0] for fact in facts for place in fact.shown}
    assert shown <= {*FILES}
