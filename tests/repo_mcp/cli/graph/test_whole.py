"""`cycles`, `unused` and `graph`: questions about all of the graph, and about a neighbourhood."""

from __future__ import annotations

import pytest

from tests.repo_mcp.cli.graph.graph_process import Commands, names_of
from tests.repo_mcp.tree_files import write

pytestmark = pytest.mark.servers


def test_cycles_have_a_place_for_each_step(shop: Commands) -> None:
    assert shop("cycles").lines == [
        "2 files import each other",
        "shop/prices.py:1:1: shop/prices.py -> shop/tax.py: from shop.tax import add_tax",
        "shop/tax.py:5:22: shop/tax.py -> shop/prices.py: from shop import prices",
    ]
    [cycle] = shop("cycles", "--json").facts["results"]
    assert cycle["members"] == ["shop/prices.py", "shop/tax.py"]


def test_folders_and_projects_have_cycles_of_their_own(shop: Commands) -> None:
    assert shop("cycles", "--by", "folder").code == 1
    write(
        shop.root,
        {
            "left/pyproject.toml": '[project]\nname = "left"\n',
            "left/__init__.py": "",
            "left/a.py": "from right import b\n",
            "right/__init__.py": "",
            "right/b.py": "def late():\n    from left import a\n",
        },
    )
    folders = shop("cycles", "--by", "folder", "--json").facts["results"]
    assert [row["members"] for row in folders] == [["left", "right"]]
    assert [step["place"]["file_path"] for step in folders[0]["steps"]] == [
        "left/a.py",
        "right/b.py",
    ]
    projects = shop("cycles", "--by", "project", "--json").facts["results"]
    assert len(projects[0]["members"]) == 2
    drawn = shop("graph", "--packages", "--json").facts
    assert (drawn["by"], drawn["nodes"]) == ("project", projects[0]["members"])
    assert shop("graph", "--packages", "--by", "folder", "--json").facts["by"] == "folder"


def test_unused_symbols_come_with_what_is_assumed(shop: Commands) -> None:
    done = shop("unused")
    assert done.lines == ["shop/prices.py:21: function shop.prices._forgotten"]
    assert "taken as used: public symbols" in done.err
    facts = shop("unused", "--json").facts
    assert names_of(facts["results"]) == ["shop.prices._forgotten"]
    assert any("tests" in text for text in facts["assumptions"])


def test_names_of_a_module_are_looked_up_by_globals_and_not_by_getattr(shop: Commands) -> None:
    text = "class _Lost(ValueError):\n    pass\n\n\ndef _never():\n    return 1\n\n\n"
    write(shop.root, {"a.py": text + "x = getattr(object, 'y')\n"})
    write(shop.root, {"b.py": text + "x = globals()['_never']\n"})
    found = names_of(shop("unused", "--json").facts["results"])
    assert found == ["a._Lost", "a._never", "shop.prices._forgotten"]


def test_public_symbols_are_unused_only_on_request(store: Commands) -> None:
    assert store("unused").lines == ["src/store.ts:9: function lost"]
    assert store("unused", "--public").lines == [
        "src/app.ts:2: function start",
        "src/store.ts:9: function lost",
    ]
    assert store("unused", "--kind", "class").code == 1


def test_what_may_be_used_unseen_is_never_called_unused(shop: Commands) -> None:
    write(
        shop.root,
        {
            "seen.py": (
                "import registry\n"
                "\n"
                "\n"
                "@registry.add\n"
                "def _registered():\n"
                "    return 1\n"
                "\n"
                "\n"
                "class _Handler:\n"
                "    def __call__(self, name):\n"
                "        return getattr(self, '_do_' + name)()\n"
                "\n"
                "    def _do_it(self):\n"
                "        return 1\n"
                "\n"
                "\n"
                "def make():\n"
                "    return _Handler()\n"
                "\n"
                "\n"
                "def main():\n"
                "    return 1\n"
            ),
            "tests/helpers.py": "def _unused_helper():\n    return 1\n",
        },
    )
    assert names_of(shop("unused", "--json").facts["results"]) == ["shop.prices._forgotten"]


def test_a_neighbourhood_is_what_is_around_a_symbol(shop: Commands) -> None:
    facts = shop("graph", "shop.prices.total", "--json").facts
    assert set(names_of(facts["nodes"])) == {
        "shop.prices.total",
        "shop.prices.Price.gross",
        "shop.prices._forgotten",
        "tests.test_prices",
        "tests.test_prices.test_total",
    }
    ids = {node["node_id"] for node in facts["nodes"]}
    for edge in facts["edges"]:
        assert {edge["source"]["node_id"], edge["target"]["node_id"]} <= ids
    few = shop("graph", "shop.prices.total", "--limit", "2", "--json").facts
    assert (len(few["nodes"]), few["truncated"]) == (3, True)
    assert len(shop("graph", "shop.prices.total", "--depth", "2").lines) > len(facts["edges"])


def test_packages_are_folders_where_there_is_one_project(shop: Commands) -> None:
    assert shop("graph", "--packages").lines == [
        "tests/test_prices.py:1:1: tests -> shop (6 uses): from shop.prices import Price, total"
    ]
    assert shop("graph", "--packages", "-g", "shop/**").code == 1


def test_graph_takes_a_name_or_packages(shop: Commands) -> None:
    for given in ([], ["total", "--packages"], ["shop.tax.total", "--by", "folder"]):
        assert shop("graph", *given).code == 2
