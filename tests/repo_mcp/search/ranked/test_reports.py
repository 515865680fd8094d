"""Reports of several lines as queries: all of their text counts, and files that they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.model import SearchAnswer
from repo_mcp.search.ranked.engine import RankedEngine
from tests.repo_mcp.trees import FOREVER, Services, served, write

FILLER = "".join(f"def step{number}(value):\n    return value + {number}\n" for number in range(9))
TREE: dict[str, str | bytes] = {
    "shop/cart.py": f"def total(cart):\n    return sum(cart.prices)\n{FILLER}",
    "shop/till.py": f"def pay(cart, card):\n    return card.charge(cart.total)\n{FILLER}",
    "shop/stock.py": f"def reserve(cart):\n    return [row.take() for row in cart]\n{FILLER}",
    "shop/mail.py": f"def receipt(cart):\n    return cart.render('receipt')\n{FILLER}",
    "tests/test_till.py": "def test_pay(cart, card):\n    assert pay(cart, card)\n" * 9,
    "docs/till.md": "# Paying\n\nThe cart is paid by card, the card is charged.\n",
}


@pytest.fixture
def services(tmp_path: Path) -> Services:
    found = served(write(tmp_path / "root", TREE), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    return found


def ask(services: Services, text: str, *, explain: bool = False) -> SearchAnswer:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(services.sandbox, services.languages)
    return engine.search(snapshot, text, 10, None, FOREVER, explain=explain)


def first(services: Services, text: str) -> str:
    return ask(services, text).hits[0].path


def test_what_stands_last_in_a_report_counts(services: Services) -> None:
    told = "\n".join(f"It went wrong on day {number}." for number in range(400))
    assert (
        first(services, f"Wrong result\n\n{told}\n\nThe `receipt` lacks a line.") == "shop/mail.py"
    )


def test_a_report_that_names_a_file_has_it_first(services: Services) -> None:
    report = "The cart is wrong\n\nIt happens with any cart, perhaps in {}."
    for path in ("shop/cart.py", "shop/till.py", "shop/stock.py", "shop/mail.py"):
        assert first(services, report.format(path)) == path


@pytest.mark.parametrize("name", ["quick-till", "QuickStock"])
def test_a_word_of_several_parts_means_the_file_of_that_name(tmp_path: Path, name: str) -> None:
    files = {**TREE, "shop/quick-till.js": "", "shop/QuickStock.js": ""}
    code = "function pay(cart, card) {\n  return card.charge(cart.total);\n}\n" * 4
    files |= dict.fromkeys(("shop/quick-till.js", "shop/QuickStock.js"), code)
    services = served(write(tmp_path / "root", files), tmp_path / "data")
    services.manager.refresh(FOREVER, force=False)
    report = f"Paying fails\n\nThe card of a cart can't be charged by {name}.\n\nAny card will do."
    assert first(services, report) == f"shop/{name}.js"


def test_the_best_function_raises_its_file(tmp_path: Path) -> None:
    spread = "".join(
        f"def other{at}(value):\n    return value.{word}\n{FILLER}"
        for at, word in enumerate(("discount", "voucher", "expired", "rounding"))
    )
    whole = (
        "def price(row):\n    # an expired voucher gives no discount, whatever the rounding\n"
        "    return row.discount if row.voucher.expired else row.rounding\n"
    )
    files = {**TREE, "shop/spread.py": spread, "shop/whole.py": f"{FILLER}{whole}{FILLER}"}
    services = served(write(tmp_path / "root", files), tmp_path / "data")
    services.manager.refresh(FOREVER, force=False)
    report = "Discount of an expired voucher\n\nIt is given, and the rounding is wrong as well."
    hits = ask(services, report, explain=True).hits
    factors = dict.fromkeys((hit.path for hit in hits), 1.0)  # one that is 1 is no reason
    for hit in hits:
        told = (reason.weight for reason in hit.reasons if reason.field == "function")
        factors[hit.path] = next(told, 1.0)
    assert factors["shop/whole.py"] == max(factors.values())
    assert factors["shop/whole.py"] > factors["shop/spread.py"]


def test_the_innermost_frame_of_the_repository_is_raised_most(services: Services) -> None:
    frames = "".join(
        f'  File "/srv/{path}", line 2, in call\n    call()\n'
        for path in ("shop/cart.py", "shop/stock.py", "lib/site-packages/requests/api.py")
    )
    report = f"The cart is wrong\n\nTraceback (most recent call last):\n{frames}ValueError: 3\n"
    hits = ask(services, report, explain=True).hits
    raised = {
        hit.path: reason.weight for hit in hits for reason in hit.reasons if reason.field == "named"
    }
    assert raised["shop/stock.py"] == 2.0
    assert raised["shop/cart.py"] == 1.5


def test_reports_mean_code_before_tests_and_documents(services: Services) -> None:
    report = "Paying fails\n\nWe pay the cart by card, and the card is not charged."
    assert first(services, report) == "shop/till.py"
