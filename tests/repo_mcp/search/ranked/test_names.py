"""A query that is a name finds its declaration first, not names that have it as a part."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from code_graph.facts import DeclarationSpan
from repo_mcp.model import SearchAnswer
from repo_mcp.question.query import Name, parse_name
from repo_mcp.search.ranked.engine import RankedEngine
from repo_mcp.search.ranked.names import (
    find_assignment,
    find_declarations,
    find_head,
)
from repo_mcp.search.ranked.weights import DEFAULT_WEIGHTS
from repo_mcp.text.files import Rows
from tests.repo_mcp.trees import FOREVER, Services, served, write


def function(name: str, *words: str) -> str:
    return "\n".join(
        [f"def {name}(value):", *(f"    {word} = value" for word in words), "    pass\n"]
    )


LONG = [f"local{number}" for number in range(40)]
TREE: dict[str, str | bytes] = {
    # names that have the word as a part, in files with more occurrences
    "kinds.py": function("gen_kind", "gen", "gen") + function("single_gen", "gen", "gen"),
    "more_gen.py": "class GenKind:\n    gen = 1\n" + function("make_gen", "gen"),
    "choice.py": function("take", "first") + function("gen", *LONG),
    "store.py": "class Store:\n    def get(self):\n        pass\n    def set(self):\n        ...\n",
    "store_user.py": function("get_store", "store", "get") + function("store", "store", "get"),
    "case.py": function("Flush", "a") + function("flush", "b"),
}


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    folder: Path = tmp_path_factory.mktemp("named")
    found = served(write(folder / "root", TREE), folder / "data")
    found.manager.refresh(FOREVER, force=False)
    return found


def ask(services: Services, query: str) -> SearchAnswer:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    return RankedEngine(services.sandbox, services.languages).search(
        snapshot, query, 10, None, FOREVER
    )


@pytest.mark.parametrize(
    ("query", "path", "symbol"),
    [
        ("gen", "choice.py", "gen"),
        ("Store.get", "store.py", "Store.get"),
        ("store::get", "store.py", "Store.get"),
        ("store.set", "store.py", "Store.set"),
        ("case.Flush", "case.py", "Flush"),
        ("case.flush", "case.py", "flush"),
    ],
)
def test_a_name_finds_its_declaration_first(
    services: Services, query: str, path: str, symbol: str
) -> None:
    hit = ask(services, query).hits[0]
    assert (hit.path, hit.symbol) == (path, symbol)


def test_the_boost_of_a_named_declaration_is_a_reason(services: Services) -> None:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(services.sandbox, services.languages)
    hit, *others = engine.search(snapshot, "gen", 10, None, FOREVER, explain=True).hits
    (meant,) = [item.weight for item in hit.reasons if item.field == "meant"]
    assert meant >= 1 + DEFAULT_WEIGHTS.declared
    assert all(item.field != "meant" for other in others for item in other.reasons)


def test_a_long_declaration_is_shown_from_its_head(services: Services) -> None:
    assert "def gen(value):" in ask(services, "gen").hits[0].snippet.split("\n")


@pytest.mark.parametrize("query", ["gen", "Store.get", "gen kind", "flush"])
def test_hits_stay_in_order_and_apart(services: Services, query: str) -> None:
    hits = ask(services, query).hits
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    lines = [(hit.path, line) for hit in hits for line in range(hit.start_line, hit.end_line + 1)]
    assert len(lines) == len(set(lines))


@pytest.mark.parametrize("query", ["gen kind", "", "a." * 7 + "b", "gen.", "*gen"])
def test_a_query_of_several_words_is_no_name(query: str) -> None:
    assert parse_name(query) is None


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("gen", Name("gen")),
        ("gen()", Name("gen")),
        ("parseHeader", Name("parseHeader")),
        (" Http.parseHeader ", Name("parseHeader", ("Http",))),
        ("Blueprint::new", Name("new", ("Blueprint",))),
        ("class Blueprint:", Name("Blueprint", (), "class")),
        ("def x", Name("x", (), "def")),
        ("class", Name("class")),
    ],
)
def test_a_name_may_have_a_keyword_and_what_holds_it(query: str, name: Name) -> None:
    assert parse_name(query) == name


def test_a_folder_file_or_type_may_qualify_a_name() -> None:
    places = [DeclarationSpan("get", 3, 9), DeclarationSpan("Get", 10, 12)]
    for path in ("src/net.py", "net/a.go", "src/Net.ts"):
        found = next(find_declarations(Name("get", ("net",)), path, places))
        assert found.place.start_line == 3
    assert not list(find_declarations(Name("get", ("net",)), "other/a.go", places))


@pytest.mark.parametrize(
    ("row", "is_head"),
    [
        ("static void name(struct x *e)", True),
        ("int name(struct x *e,", True),
        ("void name(struct x *e);", False),
        ("\tname(e);", False),
        ("return name(e", False),
        ("#define name 5", True),
        ("struct name {", True),
        ("\tstruct name *x;", False),
        ("const struct name ops = {", False),
        ("func (r *Reader) name(x int) {", True),
        ("    async def name(self):", True),
        ("export class name extends Base {", True),
        ("pub(crate) fn name() {", True),
        ("type name struct {", True),
        ("a " * 3_000 + "name;", False),
    ],
)
def test_the_head_of_a_declaration_is_told_without_facts(row: str, *, is_head: bool) -> None:
    rows = Rows(f"other\n{row}\n".encode())
    assert find_head(Name("name"), rows) == (2 if is_head else None)


def test_before_files_are_parsed_a_name_finds_its_declaration(tmp_path: Path) -> None:
    uses = "".join(f"\tcount_of_rows(table, {n});\n" for n in range(30))
    files: dict[str, str | bytes] = {
        **{f"use{n}.c": f"void f{n}(void)\n{{\n{uses}}}\n" for n in range(6)},
        "table.c": "int other;\n" * 40 + "static int count_of_rows(struct table *t, int n)\n{\n}\n",
    }
    services = served(write(tmp_path / "root", files), tmp_path / "data")
    services.manager.refresh(FOREVER, force=False, most_parsed=0)
    found = ask(services, "count_of_rows")
    assert (found.hits[0].path, found.hits[0].start_line) == ("table.c", 39)
    services.manager.refresh(FOREVER, force=False)
    assert ask(services, "count_of_rows").hits[0].path == "table.c"


PIECES = ["gen", "Gen", "generic", "self.", " ", "\t", "\n", "=", "==", ":", ":=", "(", ".", "["]
PIECES += ["const ", "var\t", "export ", "x, ", "{", "function", "\u00e9", "\r\n", "my $", "'"]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_assignments_are_those_that_all_lines_show(text: str) -> None:
    found = find_assignment(Name("gen"), Rows(text.encode()))
    # a byte order mark has all lines looked at
    assert found == find_assignment(Name("gen"), Rows(b"\xef\xbb\xbf" + text.encode()))


def test_the_outermost_of_several_assignments_counts() -> None:
    found = find_assignment(Name("gen"), Rows(b"def f():\n    gen = 1\ngen = 2\ngen = 3\n"))
    assert found is not None
    assert found.line == 3
