"""An unknown receiver is likely what other values of its name in the file are."""

from __future__ import annotations

import pytest

from code_graph import SourceTree
from code_graph.model import EdgeType
from tests.code_graph.sources import edges, link

STORE = """class Store:
    def table(self, name):
        return Table()

    def __getitem__(self, name):
        return Table()


class Table:
    def fill(self):
        pass


class Other:
    def fill(self):
        pass


class Third:
    def fill(self):
        pass
"""
KNOWN = "\n\ndef known():\n    db = Store()\n    return db\n"


def likely(body: str, more: str = "") -> set[str]:
    use = (
        f"from store import Other, Store, Table, Third\n{more}\n\ndef use(db, table):\n    {body}\n"
    )
    found = edges(link(SourceTree({"store.py": STORE, "use.py": use})), EdgeType.CALLS)
    return {row.removeprefix("use.use calls store.") for row in found if row.startswith("use.use ")}


@pytest.mark.parametrize(
    ("body", "method"),
    [
        ("db.table(1)", "Store.table alike"),
        ("db.table(1).fill()", "Table.fill alike"),
        ("db[1].fill()", "Table.fill alike"),
        ("table.fill()", "Table.fill alike"),
    ],
)
def test_an_unknown_receiver_is_what_its_name_is_elsewhere(body: str, method: str) -> None:
    assert method in likely(body, KNOWN)


def test_a_receiver_that_is_known_is_not_guessed() -> None:
    assert likely("db = open(1)\n    db.table(1)", KNOWN) == set()


def test_a_name_of_many_classes_tells_nothing() -> None:
    more = "".join(
        f"\n\ndef of_{name}(row: {name}):\n    pass\n" for name in ("Table", "Other", "Third")
    )
    assert likely("for row in db:\n        row.fill()", more) == set()
    assert likely("(lambda row: row.fill())", more) == set()


def test_a_name_that_nothing_else_has_is_not_guessed() -> None:
    assert likely("db.fill()") == set()
