"""Bundles with the symbol graph: ties by its edges, other files, and what happens without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_graph.query.snapshot import GraphSnapshot
from index_format import CorruptIndexError
from repo_mcp.bundle import Bundle
from repo_mcp.bundle.find.links import SymbolLinks
from repo_mcp.bundle.reasons import NoticeCode, ReasonCode
from tests.repo_mcp.bundle.bundling import Shop, made, request, shown
from tests.repo_mcp.trees import FOREVER

TREE: dict[str, str | bytes] = {
    "shop/invoice.py": '''\
from shop.money import Amount
from shop.tax import rate_of


class Invoice:
    """An invoice of a customer."""

    def total(self) -> Amount:
        """The gross total of an invoice."""
        return self.apply(rate_of("DE"))

    def apply(self, rate: float) -> Amount:
        """Add a share."""
        return Amount(rate)


class Letter:
    """Another thing."""

    def apply(self, rate: float) -> None:
        """Nothing of the kind."""
''',
    "shop/tax.py": "def rate_of(country: str) -> float:\n    return {'DE': 1.19}[country]\n",
    "shop/money.py": "class Amount:\n    def __init__(self, value: float) -> None:\n        pass\n",
    "shop/report.py": (
        "from shop.invoice import Invoice\n\n\n"
        "def monthly(one: Invoice) -> None:\n    one.total()\n"
    ),
}
PROMPT = "why is the gross total of an invoice wrong"


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Shop, GraphSnapshot]:
    shop = made(tmp_path_factory.mktemp("linked"), TREE)
    shop.manager.link(FOREVER)
    found = shop.manager.graph().snapshot
    assert found is not None
    return shop, GraphSnapshot(found)


def ask(shop: Shop, graph: GraphSnapshot | None) -> Bundle:
    return shop.bundler.build(shop.snapshot, request(PROMPT), FOREVER, graph)


def reasons(bundle: Bundle, path: str) -> set[ReasonCode]:
    return {reason.code for item in bundle.by_file()[path] for reason in item.reasons}


def test_room_that_is_left_goes_to_what_the_best_use_in_other_files(
    linked: tuple[Shop, GraphSnapshot],
) -> None:
    shop, graph = linked
    found, plain = ask(shop, graph), ask(shop, None)
    assert set(shown(plain)) == {"shop/invoice.py", "shop/report.py"}
    assert set(shown(found)) == {*TREE}
    assert reasons(found, "shop/tax.py") == {ReasonCode.USED_BY}
    assert reasons(found, "shop/money.py") == {ReasonCode.USED_BY}
    assert (plain.audit.ties, found.audit.ties) == ("names", "graph")
    assert ask(shop, graph) == found


def test_a_method_is_tied_to_the_one_that_is_called_and_not_to_a_namesake(
    linked: tuple[Shop, GraphSnapshot],
) -> None:
    shop, graph = linked
    links = SymbolLinks(graph, shop.snapshot).of_file("shop/invoice.py")
    assert links is not None
    assert links.inside == [((8, 10), (12, 14))]
    assert set(links.outside) == {(8, 10), (12, 14)}


def test_a_test_that_calls_the_best_gets_no_room_unless_it_is_asked_for(tmp_path: Path) -> None:
    test = (
        "from shop.report import monthly\n\n\ndef test_of_a_month() -> None:\n    monthly(None)\n"
    )
    shop = made(tmp_path, {**TREE, "tests/test_report.py": test})
    shop.manager.link(FOREVER)
    found = shop.manager.graph().snapshot
    assert found is not None
    asked = request("monthly report of an invoice")
    bundle = shop.bundler.build(shop.snapshot, asked, FOREVER, GraphSnapshot(found))
    assert "shop/report.py" in shown(bundle)
    assert "tests/test_report.py" not in shown(bundle)


def test_a_declaration_with_more_callers_than_are_asked_for_has_none(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"tax.py": "def rate_of():\n    return 1\n"}
    tree |= {
        f"user_{at}.py": f"from tax import rate_of\n\n\ndef user_{at}():\n    rate_of()\n"
        for at in range(4)
    }
    shop = made(tmp_path, tree)
    shop.manager.link(FOREVER)
    found = shop.manager.graph().snapshot
    assert found is not None
    links = SymbolLinks(GraphSnapshot(found), shop.snapshot)
    assert len(links.callers("tax.py", (1, 2), 4)) == 4
    assert links.callers("tax.py", (1, 2), 3) == []


def test_a_file_that_is_not_linked_as_it_is_is_tied_by_names_and_the_bundle_says_so(
    tmp_path: Path,
) -> None:
    shop = made(tmp_path, TREE)
    shop.manager.link(FOREVER)
    found = shop.manager.graph().snapshot
    assert found is not None
    path = shop.root / "shop/invoice.py"
    path.write_text(path.read_text().replace("Add a share", "Add some share"))
    shop.manager.refresh(FOREVER)
    bundle = ask(shop, GraphSnapshot(found))
    assert "shop/tax.py" not in shown(bundle)
    assert bundle.audit.ties == "both"
    assert [(item.code, item.number) for item in bundle.notices] == [(NoticeCode.NOT_LINKED, 1)]


def test_a_damaged_graph_costs_only_its_ties(
    linked: tuple[Shop, GraphSnapshot], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, graph = linked
    plain = ask(shop, None)

    def fail(*_: object) -> None:
        raise CorruptIndexError("graph", "section", 0, "a", "b")

    monkeypatch.setattr(SymbolLinks, "of_file", fail)
    bundle = ask(shop, graph)
    assert bundle.bundle_id == plain.bundle_id
    assert [item.code for item in bundle.notices] == [NoticeCode.GRAPH_DAMAGED]


def test_names_tie_where_the_graph_knows_no_target(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "pump.py": (
            "def drain_turbine(queue):\n    for one in queue:\n        one.flush_all()\n\n\n"
            "class Rest:\n    def flush_all(self):\n        return 1\n\n"
            "    def other(self):\n        return 2\n"
        )
    }
    shop = made(tmp_path, tree)
    shop.manager.link(FOREVER)
    found = shop.manager.graph().snapshot
    assert found is not None
    asked = request("drain the turbine")
    bundle = shop.bundler.build(shop.snapshot, asked, FOREVER, GraphSnapshot(found))
    told = {item.symbol: item.rationale for item in bundle.excerpts}
    assert told["Rest"] == "used by drain_turbine"
