"""The declaration that a name means is the first hit, and its lines are all there."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.model import SearchHit
from repo_mcp.search.passage.current_files import CurrentFiles
from repo_mcp.search.ranked.engine import RankedEngine
from tests.repo_mcp.trees import FOREVER, Services, served, write


def function(name: str, *rows: str) -> str:
    return "\n".join([f"def {name}(value):", *(f"    {row}" for row in rows or ["pass"]), "\n"])


MANY = ["load_all(load, value)"] * 6
TREE: dict[str, str | bytes] = {
    # names in another case, with more occurrences
    "app/level.py": "class LogLevel:\n    loglevel = None\n" + function("loglevel_of", "LogLevel"),
    "app/loglevel.py": function("loglevel", "return LogLevel", "return loglevel"),
    # tests, examples and headings, with more occurrences
    "app/routing.py": "\n" * 30 + function("route", "return lookup(value)"),
    "tests/test_route.py": function("route", *["route(route)"] * 9),
    "examples/route.py": function("route", *["route(route)"] * 9),
    "docs/route.md": "# Title\n\n## route\n\nroute route route\n\n## route options\n\nroute\n",
    # two of one name, of which others mention one
    "app/cache.py": "class Cache:\n    def load(self):\n        return 1\n" + function("x", *MANY),
    "app/store.py": "class Store:\n    def load(self):\n        return 2\n",
    **{f"app/user{at}.py": function(f"use{at}", "Store().load(1)") for at in range(4)},
    # a member that is inherited
    "app/base.py": "class Scaffold:\n    def register(self, rule):\n        return rule\n",
    "app/middle.py": "class App(Scaffold):\n    pass\n",
    "app/main.py": "class Flask(App):\n    def run(self):\n        register = self.register\n",
    "app/other.py": "class Other:\n    def register(self):\n        return Flask, register\n",
    # a function and a class that have one name
    "app/blueprint.py": "def blueprint(a):\n    return a\n\n\nclass blueprint:\n    b = 1\n",
    # a variable of a function, which nothing declares
    "app/boot.js": "function one() {\n\tif (a) {\n\t\tboot = 1;\n\t}\n\tlet boot = 2;\n}\n",
    "app/boots.js": "function more() {\n" + "\tmore(boot, boot.boot);\n" * 9 + "}\n",
    # a class of many lines
    "app/long.py": "class Long:\n" + "".join(f"    x{at} = Long\n\n" for at in range(12)),
}


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    folder: Path = tmp_path_factory.mktemp("declared")
    found = served(write(folder / "root", TREE), folder / "data")
    found.manager.refresh(FOREVER, force=False)
    return found


def first(services: Services, query: str) -> SearchHit:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(services.sandbox, services.languages)
    return engine.search(snapshot, query, 10, None, FOREVER).hits[0]


@pytest.mark.parametrize(
    ("query", "path"), [("LogLevel", "app/level.py"), ("loglevel", "app/loglevel.py")]
)
def test_a_name_as_it_is_written_comes_before_other_cases(
    services: Services, query: str, path: str
) -> None:
    assert first(services, query).path == path


def test_code_comes_before_tests_examples_and_headings(services: Services) -> None:
    hit = first(services, "route")
    assert (hit.path, hit.symbol) == ("app/routing.py", "route")


def test_of_several_declarations_the_one_that_others_mention_comes_first(
    services: Services,
) -> None:
    hit = first(services, "load")
    assert (hit.path, hit.symbol) == ("app/store.py", "Store.load")


@pytest.mark.parametrize(
    ("query", "lines"), [("class blueprint", (5, 6)), ("def blueprint", (1, 2))]
)
def test_a_keyword_before_a_name_says_which_declaration_is_meant(
    services: Services, query: str, lines: tuple[int, int]
) -> None:
    hit = first(services, query)
    assert hit.path == "app/blueprint.py"
    assert hit.start_line <= lines[0] <= lines[1] <= hit.end_line
    assert hit.snippet.split("\n")[lines[0] - hit.start_line].startswith(query)
    assert hit.symbol == "blueprint"


@pytest.mark.parametrize("query", ["Flask.register", "Flask::register", "Flask#register"])
def test_an_inherited_member_is_found_by_the_type_that_inherits_it(
    services: Services, query: str
) -> None:
    assert first(services, query).symbol == "Scaffold.register"


def test_a_variable_that_nothing_declares_is_found_where_it_is_declared(
    services: Services,
) -> None:
    hit = first(services, "boot")
    assert hit.path == "app/boot.js"
    assert hit.start_line <= 5 <= hit.end_line


def test_a_declaration_is_shown_from_its_first_line_to_its_last(services: Services) -> None:
    hit = first(services, "Long")
    assert (hit.path, hit.start_line) == ("app/long.py", 1)
    assert hit.end_line >= 24


def test_files_that_may_assign_a_name_are_read_in_one_go(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    one_by_one = CurrentFiles.read

    def counting(files: CurrentFiles, path: str) -> bytes | None:
        read.append(path)
        return one_by_one(files, path)

    monkeypatch.setattr(CurrentFiles, "read", counting)
    assert first(services, "boot").path == "app/boot.js"
    assert read == []


@pytest.mark.parametrize(
    ("query", "path"),
    [
        # a slip, of which the uses are more and longer
        ("hiddenPrpo", "app/hidden.py"),
        # a part, of which another name is as near and a test has the nearest one
        ("SettledBatch", "app/batches.py"),
    ],
)
def test_of_a_name_that_nothing_declares_the_nearest_declaration_in_code_comes_first(
    tmp_path: Path, query: str, path: str
) -> None:
    long = [f"value = other_{at}(value)" for at in range(40)]
    files: dict[str, str | bytes] = {
        "app/hidden.py": function("hiddenProp", *long),
        "lib/hiddenProp/users.py": "from app.hidden import hiddenProp\n\nhiddenProp()\n" * 2,
        "app/batches.py": function("storeSettledBatches", *long),
        "tests/aSettledBatch.py": function("aSettledBatch", "aSettledBatch(value)"),
        **{f"app/more{at}.py": function(f"more{at}", "return value") for at in range(30)},
    }
    found = served(write(tmp_path / "root", files), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    assert first(found, query).path == path


def test_names_that_contain_a_name_come_behind_those_that_are_it(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "app/pool.py": function("fd_count", "return open(value)"),
        "app/used.py": function("other", *["fd_count(value)"] * 9),
        "app/fd_count_max.py": function("own_fd_count_max", *["own_fd_count_max(value)"] * 9),
        "app/most.py": function("max_fd_count", "return 1"),
        "tests/least.py": "class MinFdCount:\n    pass\n",
        **{f"app/more{at}.py": function(f"more{at}", "return value") for at in range(30)},
    }
    found = served(write(tmp_path / "root", files), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    snapshot = found.manager.snapshot()
    assert snapshot is not None
    hits = (
        RankedEngine(found.sandbox, found.languages)
        .search(snapshot, "fd_count", 10, None, FOREVER, explain=True)
        .hits
    )
    paths = [hit.path for hit in hits]
    assert paths[:2] == ["app/pool.py", "app/used.py"]
    assert set(paths[2:]) == {"app/fd_count_max.py", "app/most.py", "tests/least.py"}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert max(hit.relevance for hit in hits[2:]) <= hits[1].relevance


def test_an_overloaded_function_is_its_body(tmp_path: Path) -> None:
    signature = "@overload\ndef convert(value: {0}) -> {0}: ...\n"
    signatures = "".join(map(signature.format, ("int", "str", "bytes", "float")))
    text = f"from typing import overload\n\n{signatures}\n\n{function('convert', 'return 1')}"
    found = served(write(tmp_path / "root", {"app/convert.py": text}), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    assert "return 1" in first(found, "convert").snippet
