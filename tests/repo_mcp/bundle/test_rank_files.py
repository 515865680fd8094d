"""The files of a bundle: the best ones, each once, and as many as the budget has room for."""

from __future__ import annotations

import math
from pathlib import Path

from code_graph.paths.path_kinds import is_test
from repo_mcp.bundle.choose.budget import BundleBudget
from repo_mcp.bundle.model import Excerpt, FilePlace, Line, json_bytes
from repo_mcp.bundle.weights import SearchWeights, SizeWeights
from tests.repo_mcp.bundle.bundling import listed, made, request, shown

Tree = dict[str, str | bytes]


def test_files_keep_the_order_of_a_search_and_those_that_are_named_come_first(
    tmp_path: Path,
) -> None:
    tree: Tree = {
        "best.py": "def turbine_of_the_rotor(blade):\n    return blade\n",
        "good.py": "def other(turbine):\n    return turbine\n",
        "named.py": "def other(rotor):\n    return rotor\n",
    }
    shop = made(tmp_path, tree)
    plain, named = "turbine of the rotor blade", "turbine of the rotor blade in named.py"
    searched = [*dict.fromkeys(shop.search(plain, 9))]
    assert searched[0] == "best.py"
    assert [*shop.ask(plain).by_file()] == searched
    assert next(iter(shop.ask(named).by_file())) == "named.py"


def test_no_file_among_the_best_is_left_out_for_more_of_another(tmp_path: Path) -> None:
    many = "".join(
        f"def turbine_{at}(rotor):\n    blade = rotor + {at}\n    return blade\n\n\n"
        for at in range(60)
    )
    tree: Tree = {"best.py": many}
    tree |= {f"other_{at}.py": f"def turbine(rotor):\n    return rotor - {at}\n" for at in range(6)}
    shop = made(tmp_path, tree)
    bundle = shop.ask("turbine rotor blade", max_files=7, max_total_lines=60)
    assert listed(bundle) == set(tree)
    assert len(shown(bundle)["best.py"].splitlines()) > 20


def test_the_files_of_a_ranked_search_are_in_the_bundle(tmp_path: Path) -> None:
    tree: Tree = {
        f"part_{at}.py": f"def part_{at}():\n    turbine = {at}\n    return turbine\n"
        for at in range(8)
    }
    shop = made(tmp_path, tree)
    assert set(shop.search("turbine", 8)) == listed(shop.ask("turbine", max_files=8))


def test_of_files_with_the_same_content_one_is_shown(tmp_path: Path) -> None:
    text = "def turbine(rotor):\n    return rotor\n"
    tree: Tree = {"a/engine.py": text, "b/engine.py": text, "c/engine.py": f"{text}\n\nSPARE = 1\n"}
    bundle = made(tmp_path, tree).ask("turbine of the rotor in a/engine.py and b/engine.py")
    assert set(shown(bundle)) in ({"a/engine.py", "c/engine.py"}, {"b/engine.py", "c/engine.py"})
    assert "a copy of a file in the bundle" in {item.reason.text for item in bundle.audit.left_out}


def test_a_small_declaration_is_shown_whole_with_the_comment_that_led_to_it(
    tmp_path: Path,
) -> None:
    filler = "".join(
        f"    int step_{at}(int a) {{\n        return a;\n    }}\n\n" for at in range(40)
    )
    text = (
        f"class Engine {{\n{filler}    // Starts the turbine when the rotor is cold.\n"
        "    int start(int a) {\n        int warm = a;\n        return warm;\n    }\n}\n"
    )
    found = shown(made(tmp_path, {"Engine.java": text}).ask("cold rotor turbine"))["Engine.java"]
    assert "// Starts the turbine" in found
    assert "return warm;" in found


def test_further_files_are_places_in_the_order_of_a_search(tmp_path: Path) -> None:
    tree: Tree = {
        f"part_{at}.py": f"def part_{at}():\n    turbine = {at}\n    return turbine\n"
        for at in range(12)
    }
    shop = made(tmp_path, tree)
    found = shop.search("turbine", 12)
    bundle = shop.ask("turbine", max_files=12, max_total_lines=3)
    shown_files = bundle.by_file()
    assert [item.path for item in bundle.places] == [
        path for path in found if path not in shown_files
    ]
    assert all(item.citation == f"{item.path}:1-3" for item in bundle.places)
    # each says what it is
    assert all(item.symbol == item.path.removesuffix(".py") for item in bundle.places)
    told = [item for item in bundle.as_result()["excerpts"] if "text" not in item]
    assert [item["symbol"] for item in told] == [item.symbol for item in bundle.places]


def test_names_of_places_crowd_out_no_file() -> None:
    places = [
        FilePlace(f"part_{at}.py", 1, 3, symbol=f"a_long_name_of_part_{at}") for at in range(9)
    ]
    room = sum(json_bytes(place._replace(symbol="").as_result()) for place in places)
    named = json_bytes(places[0].as_result()) - json_bytes(
        places[0]._replace(symbol="").as_result()
    )
    most = math.ceil((room + named) / SizeWeights.PLACES_SHARE)
    budget = BundleBudget(request("turbine", max_files=20, max_bytes=most), 0)
    budget.list_places(places)
    assert [place.path for place in budget.places] == [place.path for place in places]
    assert [bool(place.symbol) for place in budget.places] == [True, *[False] * 8]


def test_a_file_that_is_shown_and_not_listed_takes_the_room_of_a_place() -> None:
    budget = BundleBudget(request("turbine", max_files=3), 0)
    budget.list_places([FilePlace(f"part_{at}.py", 1, 3) for at in range(3)])
    assert budget.take(Excerpt("other.py", (Line(1, "x = 1"),), "", "match", (), 1.0, ""))
    assert [place.path for place in budget.places] == ["part_0.py", "part_1.py"]


def test_a_place_outside_of_declarations_says_what_it_matches(tmp_path: Path) -> None:
    tree: Tree = {
        "index.js": "import { turbine } from './one.js';\nstart(turbine);\n",
        "one.js": "export function turbine() {\n  return 1;\n}\n",
    }
    bundle = made(tmp_path, tree).ask("turbine", max_files=9, max_total_lines=3)
    told = {item.path: item.rationale for item in bundle.places}
    assert told.get("index.js", "matches turbine") == "matches turbine"
    assert listed(bundle) == {"index.js", "one.js"}


def test_tests_are_places_behind_other_files_unless_they_are_asked_for(tmp_path: Path) -> None:
    tree: Tree = {
        f"part_{at}.py": f"def turbine_{at}():\n    blade = {at}\n    return blade\n"
        for at in range(5)
    }
    tree |= {
        f"tests/test_{at}.py": f"def test_{at}():\n    turbine = blade({at})\n" for at in range(8)
    }
    shop = made(tmp_path, tree)
    places = shop.ask("turbine blade", max_files=13, max_total_lines=3).places
    first = shop.search("turbine blade", 13)[: SearchWeights.FIRST_FILES]
    late = [is_test(item.path) and item.path not in first for item in places]
    assert late == sorted(late)
    assert sum(late) > 0
    assert not any(is_test(path) for path in shop.ask("turbine blade").by_file())


def test_a_test_that_a_search_has_first_is_a_place_before_other_files(tmp_path: Path) -> None:
    tree: Tree = {
        f"part_{at}.py": f"def other_{at}():\n    turbine = {at}\n    return turbine\n"
        for at in range(9)
    }
    tree["tests/test_rotor.py"] = (
        "def test_turbine_of_the_cold_rotor():\n    turbine(cold, rotor)\n"
    )
    shop = made(tmp_path, tree)
    prompt = "turbine of the cold rotor"
    assert shop.search(prompt, 10)[0] == "tests/test_rotor.py"
    assert shop.ask(prompt, max_files=9, max_total_lines=3).places[0].path == "tests/test_rotor.py"


def test_places_take_at_most_their_share_of_an_answer(tmp_path: Path) -> None:
    tree: Tree = {
        f"{'deep/' * 20}part_{at}.py": f"def part_{at}():\n    turbine = {at}\n    return turbine\n"
        for at in range(30)
    }
    shop = made(tmp_path, tree)
    places = shop.ask("turbine", max_files=30, max_total_lines=1, max_bytes=4_000).places
    assert 0 < sum(len(item.citation) for item in places) <= 1_000


def test_all_of_a_long_report_is_searched(tmp_path: Path) -> None:
    tree: Tree = {
        "lantern.py": '"""Turns the lantern at dusk, when zephyrs flicker."""\n\nWICK = 1\n',
        **{f"gear_{at}.py": f"def spin_{at}(rpm):\n    return rpm\n" for at in range(40)},
    }
    shop = made(tmp_path, tree)
    told = "".join(f"After the spin of a gear the rpm was {at}.\n" for at in range(200))
    report = f"Gears spin\n\n{told}\nAt dusk the lantern flickers with zephyrs.\n"
    assert "lantern.py" in shop.search(report, 9)
    assert "lantern.py" in shown(shop.ask(report, max_files=9))
