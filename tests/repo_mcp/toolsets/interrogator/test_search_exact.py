"""`repo.search` in modes literal and regex: every matching line, in pages, counted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from code_graph import Languages
from code_graph.paths.globs import GlobList
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.search import reading_rank
from repo_mcp.search.regex.program import CompiledExpression, Spans
from repo_mcp.services import services
from repo_mcp.toolsets.interrogator import search_exact
from repo_mcp.toolsets.interrogator.exact_hits import Symbols
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import FOREVER, sandbox, served, write

pytestmark = pytest.mark.differential

LANGUAGES = Languages()
CODE = """\
def first():
    value = get_item(1)
    other = 2
    return GET_ITEM(value)


def second():
    return get_item(2) + get_items(3)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files: dict[str, str | bytes] = {
        "src/a.py": CODE,
        "src/b.txt": "one get_item(x)\ntwo\nthree get_item(y)\n",
        "secrets.py": "get_item(password)\n",
    }
    return write(tmp_path / "root", files)


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    caller = Caller(root, tmp_path / "data")
    caller.result("repo.refresh_index")
    return caller


def lines(result: dict[str, Any]) -> list[tuple[str, int, str]]:
    """Every line shown: path, number, text."""
    rows = []
    for file in result["files"]:
        for row in file["lines"].split("\n"):
            number, text = re.fullmatch(r"(\d+)[:-] (.*)", row).groups()  # type: ignore[union-attr]
            rows.append((file["path"], int(number), text))
    return rows


def test_lines_are_grouped_by_file(call: Caller) -> None:
    found = call.result("repo.search", query="get_item(", mode="literal")
    assert [(file["path"], file["lines"]) for file in found["files"]] == [
        ("src/a.py", "2:     value = get_item(1)\n8:     return get_item(2) + get_items(3)"),
        ("src/b.txt", "1: one get_item(x)\n3: three get_item(y)"),
    ]
    assert (found["matching_lines"], found["matching_files"]) == (4, 2)
    assert (found["counted_all"], found["truncated"], found["cursor"]) == (True, False, "")


def test_both_forms_say_nothing_twice(call: Caller) -> None:
    answer = call.answer("repo.search", query="get_item(", mode="literal")
    found, _, last = answer["content"][0]["text"].rpartition("\n")
    assert last == f"request_id: {answer['structuredContent']['request_id']}"
    assert found == (
        "4 matching lines in 2 files\n"
        "src/a.py\n2:     value = get_item(1)\n8:     return get_item(2) + get_items(3)\n"
        "src/b.txt\n1: one get_item(x)\n3: three get_item(y)\nverdict: answered"
    )
    result = answer["structuredContent"]["result"]
    assert set(result) == {"matching_lines", "matching_files", "files"}
    assert set(result["files"][0]) == {"path", "lines"}


def test_declarations_are_named_above_their_lines_on_request(call: Caller, root: Path) -> None:
    nested = "class A:\n    def get_item(self):\n        pass\n    show(get_item)\n\nget_item\n"
    write(root, {"src/c.py": nested})
    call.result("repo.refresh_index")
    found = call.result(
        "repo.search", query="get_item", mode="literal", show="symbols", file_glob="*.py"
    )
    assert [file["lines"] for file in found["files"]] == [
        # a line that begins a declaration names it and not its class, and the last one is in none
        "@ A\n2:     def get_item(self):\n@ A\n4:     show(get_item)\n@ (top level)\n6: get_item",
        "@ first\n2:     value = get_item(1)\n@ second\n8:     return get_item(2) + get_items(3)",
    ]


def test_members_far_apart_stand_below_one_heading_of_their_class(call: Caller, root: Path) -> None:
    body = "        pass\n" * 9
    text = (
        f"class A:\n    def get_item_a(self):\n{body}    def get_item_b(self):\n{body}"
        f"        get_item()\n    def get_item_c(self):\n{body}"
    )
    write(root, {"src/d.py": text})
    call.result("repo.refresh_index")
    asked = {"query": "get_item", "mode": "literal", "file_glob": "d.py"}
    found = call.result("repo.search", **asked, show="symbols")
    assert found["files"][0]["lines"] == (
        "@ A\n2:     def get_item_a(self):\n12:     def get_item_b(self):\n"
        "@ A.get_item_b\n22:         get_item()\n23:     def get_item_c(self):"
    )


def test_a_field_that_a_function_sets_is_in_the_function(call: Caller, root: Path) -> None:
    text = (
        "class A:\n    def __init__(self):\n        self.field = dict(\n            seen_here=1,\n"
        "        )\n\n    kept = dict(\n        seen_here=2,\n    )\n"
    )
    write(root, {"src/h.py": text})
    call.result("repo.refresh_index")
    found = call.result("repo.search", query="seen_here", mode="literal", show="symbols")
    assert found["files"][0]["lines"] == (
        "@ A.__init__\n4:             seen_here=1,\n@ A.kept\n8:         seen_here=2,"
    )


def test_lines_far_below_the_first_of_their_declaration_have_its_name(
    call: Caller, root: Path
) -> None:
    body = "        pass\n" * 3
    text = (
        "class A:\n    def one(self):\n        far_name = 1\n\n    def far_name(self):\n"
        f"        far_name = 2\n{body}        far_name = 3\n\n\nfar_name = 4\n"
    )
    write(root, {"src/g.py": text})
    call.result("repo.refresh_index")
    found = call.result("repo.search", query="far_name", mode="literal", show="symbols")
    assert found["files"][0]["lines"] == (
        "@ A.one\n3:         far_name = 1\n5:     def far_name(self):\n6:         far_name = 2\n"
        "@ A.far_name\n10:         far_name = 3\n@ (top level)\n13: far_name = 4"
    )


def test_a_declaration_is_named_above_the_lines_around(call: Caller, root: Path) -> None:
    """But not where its first line is among them."""
    write(root, {"src/e.py": "one = 1\n\ndef late():\n    two = 2\n    return needle\n"})
    call.result("repo.refresh_index")
    shown = [
        call.result(
            "repo.search", query="needle", mode="literal", show="symbols", context_lines=around
        )["files"][0]["lines"]
        for around in (1, 3)
    ]
    assert shown == [
        "@ late\n4-     two = 2\n5:     return needle",
        "2- \n3- def late():\n4-     two = 2\n5:     return needle",
    ]


def test_lines_around_stand_below_their_own_declarations(call: Caller, root: Path) -> None:
    before = "class A:\n    def one(self):\n        a = 1\n        return a\n\n"
    after = "    def two(self):\n        b = 2\n        return needle\n\ndef three():\n    c = 3\n"
    write(root, {"src/f.py": before + after})
    call.result("repo.refresh_index")
    found = call.result(
        "repo.search", query="needle", mode="literal", show="symbols", context_lines=4
    )
    assert found["files"][0]["lines"] == (
        "@ A.one\n4-         return a\n5- \n6-     def two(self):\n7-         b = 2\n"
        "8:         return needle\n9- \n10- def three():\n11-     c = 3"
    )


def test_an_attribute_is_named_with_its_class(call: Caller, root: Path) -> None:
    text = "class A:\n    def __init__(self):\n        self.width = 1\n\nwidth = 2\n"
    write(root, {"src/d.py": text})
    call.result("repo.refresh_index")
    found = call.result(
        "repo.search", query="width", mode="literal", show="symbols", file_glob="src/d.py"
    )
    assert found["files"][0]["lines"] == "@ A.__init__\n3:         self.width = 1\n5: width = 2"


def test_files_that_are_listed_are_not_said_to_be_left(call: Caller) -> None:
    found = call.result("repo.search", query="get_item", mode="literal", show="files")
    assert [(file["path"], file["count"]) for file in found["files"]] == [
        ("src/a.py", 2),
        ("src/b.txt", 2),
    ]
    assert not found["left"]


def test_a_number_of_files_is_that_of_a_page(call: Caller) -> None:
    given = {"query": "get_item", "mode": "literal", "show": "files", "top_k": 1}
    first = call("repo.search", **given)["result"]
    assert [file["path"] for file in first["files"]] == ["src/a.py"]
    assert (first["truncated"], first["left"]) == (True, ["src/b.txt (2)"])
    second = call("repo.search", **given, cursor=first["cursor"])["result"]
    assert [file["path"] for file in second["files"]] == ["src/b.txt"]
    assert not second["truncated"]


def test_the_first_page_has_the_numbers_of_lines_that_it_leaves_out(call: Caller) -> None:
    given = {"query": "get_item", "mode": "literal", "top_k": 1}
    text = call.answer("repo.search", **given)["content"][0]["text"]
    assert text.startswith(
        "4 matching lines in 2 files\nsrc/a.py\n2:     value = get_item(1)\nalso 8\n"
        "not shown:\nsrc/b.txt: 1, 3\n"
    )


def test_a_key_that_no_code_has_as_a_whole_is_told_how_to_be_found(
    root: Path, tmp_path: Path
) -> None:
    write(root, {"conf/a.properties": "shop.till.limit=5\nshop.till.other=6\n"})
    write(root, {"src/keys.py": 'OTHER = "shop.till.other"\n'})
    call = crossing(root, tmp_path / "data")
    (told,) = call("repo.search", query="shop.till.limit", mode="literal")["warnings"]
    assert "repo.symbol shop.till.limit looks for code that joins it" in told
    assert not call("repo.search", query="shop.till.other", mode="literal")["warnings"]


def test_lines_around_are_marked(call: Caller) -> None:
    found = call.result(
        "repo.search", query="one get_item", mode="literal", context_lines=1, file_glob="*.txt"
    )
    assert found["files"][0]["lines"] == "1: one get_item(x)\n2- two"


def test_an_expression_finds_its_lines(call: Caller) -> None:
    found = call.result("repo.search", query=r"get_items?\(\d\)", mode="regex")
    assert [number for _, number, _ in lines(found)] == [2, 8]


def test_letter_case_and_whole_words_are_as_asked(call: Caller) -> None:
    loose = call.result("repo.search", query="get_item", mode="literal", ignore_case=True)
    assert loose["matching_lines"] == 5
    word = call.result(
        "repo.search", query="get_item", mode="literal", whole_word=True, file_glob="*.py"
    )
    assert word["matching_lines"] == 2
    nothing = call.result("repo.search", query="et_item", mode="literal", whole_word=True)
    assert nothing["files"] == []


def test_lines_around_are_shown_once(call: Caller) -> None:
    found = call.result(
        "repo.search", query="get_item", mode="literal", context_lines=1, file_glob="*.txt"
    )
    assert [number for _, number, _ in lines(found)] == [1, 2, 3]
    assert found["matching_lines"] == 2


def test_what_is_no_expression_is_explained(call: Caller) -> None:
    found = call.refusal("repo.search", query="(", mode="regex")
    assert found["code"] == "argument_invalid"
    assert "expression" in found["reason"]


def test_letter_case_is_pointed_out_where_nothing_matches_as_written(call: Caller) -> None:
    found = call("repo.search", query="Get_Item(", mode="literal")
    assert found["result"]["files"] == []
    text = "no line matches as written; ignore_case finds 5 lines: src/a.py, src/b.txt"
    assert text in found["warnings"]


def test_denied_files_are_not_searched(call: Caller) -> None:
    assert call.result("repo.search", query="password", mode="literal")["files"] == []


def in_turns(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """A model of the order of lines: of files by rank and number of lines, one of each in turn."""
    files = sorted(counts, key=lambda path: (reading_rank(path, LANGUAGES), -counts[path], path))
    most = max(counts.values(), default=0)
    return [(path, turn) for turn in range(most) for path in files if turn < counts[path]]


def matching(page: dict[str, Any]) -> list[tuple[str, int]]:
    """The matching lines that a page shows."""
    return [
        (file["path"], int(row.split(":")[0]))
        for file in page["files"]
        for row in file["lines"].split("\n")
        if re.match(r"\d+:", row)
    ]


def named_lines(text: str) -> tuple[set[int], int]:
    """The numbers of lines in `40, 77, 120-124, 8 more`, and how many more there are."""
    numbers: set[int] = set()
    more = 0
    for part in text.split(", "):
        if part.endswith(" more"):
            more = int(part.split()[0])
            continue
        first, _, last = part.partition("-")
        numbers |= {*range(int(first), int(last or first) + 1)}
    return numbers, more


def check_first_page(page: dict[str, Any], every: Mapping[str, Sequence[int]]) -> None:
    """Each line of each file is text or a number or counted, and is so once."""
    shown = matching(page)
    unnamed = 0
    told = dict.fromkeys((path for path, _ in shown), 0)
    for file in page["files"]:
        path = file["path"]
        numbers, more = named_lines(file["also"]) if file["also"] else (set(), 0)
        seen = {line for name, line in shown if name == path}
        assert not seen & numbers
        assert seen | numbers <= {*every[path]}
        told[path] = len(seen | numbers) + more
    for row in page["left"]:
        if row.endswith((" more file", " more files")):
            unnamed = int(row.split()[0])
        elif counted := re.fullmatch(r"(\S+) \((\d+)\)", row):
            told[counted[1]] = int(counted[2])
        else:
            path, _, text = row.partition(": ")
            numbers, more = named_lines(text)
            assert numbers <= {*every[path]}
            told[path] = len(numbers) + more
    assert told == {path: len(every[path]) for path in told}
    assert len(told) + unnamed == len(every)


@pytest.mark.parametrize("arguments", [{"top_k": 7}, {"top_k": 50}, {"max_chars": 2_000}, {}])
def test_pages_have_a_line_of_each_file_in_turn_and_every_line_once(
    call: Caller, root: Path, arguments: dict[str, int]
) -> None:
    every = {f"many/{n:02}.py": range(2, 2 + n % 9) for n in range(40) if n % 9}
    every["tests/test_it.py"] = range(2, 40)
    write(root, {path: "x = 0\n" + "needle = 1\n" * len(of) for path, of in every.items()})
    call.result("repo.refresh_index")
    pages = call.pages("repo.search", query="needle", mode="literal", **arguments)
    order = [
        (path, every[path][turn]) for path, turn in in_turns({k: len(v) for k, v in every.items()})
    ]
    at = 0
    for page in pages:
        shown = matching(page)
        assert sorted(shown) == sorted(order[at : at + len(shown)])
        at += len(shown)
        files = [file["path"] for file in page["files"]]
        assert files == [
            path
            for path, turn in in_turns({k: len(v) for k, v in every.items()})
            if turn == 0 and path in files
        ]
    assert at == len(order)
    assert (pages[0]["matching_lines"], pages[0]["counted_all"]) == (len(order), True)
    check_first_page(pages[0], every)
    assert [page["left"] for page in pages[1:]] == [[]] * (len(pages) - 1)
    assert pages[-1]["truncated"] is False


def test_files_that_declare_the_name_come_first_and_imports_last(call: Caller, root: Path) -> None:
    uses = "from z import sought\n" + "sought()\n" * 9
    write(root, {"a.py": uses, "b.py": uses, "z.py": "import sought\ndef sought():\n    pass\n"})
    call.result("repo.refresh_index")
    for query, mode in (("sought", "literal"), (r"\bsought\b", "regex"), ("sought(", "literal")):
        page = call.result("repo.search", query=query, mode=mode, top_k=3)
        assert [file["path"] for file in page["files"]] == ["z.py", "a.py", "b.py"]
        assert [line for _, line in matching(page)] == [2, 2, 2]
    pages = call.pages("repo.search", query="sought", mode="literal", top_k=3, show="symbols")
    shown = [row for page in pages for row in matching(page)]
    assert sorted(shown) == [(path, n) for path in ("a.py", "b.py") for n in range(1, 11)] + [
        ("z.py", 1),
        ("z.py", 2),
    ]


@pytest.mark.parametrize("seed", range(12))
def test_a_first_page_of_any_size_tells_of_every_file(tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    count = chance.choice([3, 12, 60, 300])
    every: dict[str, list[int]] = {}
    files: dict[str, str | bytes] = {}
    for number in range(count):
        folder = chance.choice(["src", "tests", "docs/of/a/longer/name"])
        rows = ["needle" * (chance.random() < 0.3) + " " * chance.randrange(60) for _ in range(40)]
        path = f"{folder}/{number:03}{chance.choice(['.py', '.md'])}"
        files[path] = "\n".join(rows)
        every[path] = [at for at, row in enumerate(rows, 1) if "needle" in row]
    every = {path: of for path, of in every.items() if of}
    call = Caller(write(tmp_path / "root", files), tmp_path / "data")
    call.result("repo.refresh_index")
    given = {"query": "needle", "mode": "literal", "show": chance.choice(["lines", "symbols"])}
    for most in (2_000, 5_000, 9_900, 30_000):
        page = call.result("repo.search", **given, max_chars=most)
        check_first_page(page, every)
        if not page["truncated"]:
            assert sorted(matching(page)) == sorted(
                (path, line) for path, of in every.items() for line in of
            )


def test_where_all_files_are_not_counted_pages_go_on_behind_those_that_are(
    call: Caller, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines of the counted files come in turns, and then those of the next ones."""
    files = {f"many/{n:02}.txt": "needle\n" * (1 + n % 5) for n in range(30)}
    write(root, dict(files))
    few = Caller(root, call.data, limits={"max_search_hits": 9})
    few.result("repo.refresh_index")
    monkeypatch.setattr(search_exact, "_COUNTED_BYTES", 1)
    pages = few.pages("repo.search", query="needle", mode="literal")
    assert pages[0]["counted_all"] is False
    shown = [row for page in pages for row in matching(page)]
    assert len(shown) == len({*shown})
    assert {*shown} == {
        (path, line) for path, text in files.items() for line in range(1, 1 + text.count("\n"))
    }


def test_a_page_goes_on_in_the_middle_of_a_changed_file(call: Caller, root: Path) -> None:
    write(root, {"a.txt": "needle\n" * 9})
    call.result("repo.refresh_index")
    first = call.result("repo.search", query="needle", mode="literal", top_k=4)
    write(root, {"a.txt": "other\n" * 2 + "needle\n" * 9})
    call.result("repo.refresh_index")
    rest = call.result(
        "repo.search", query="needle", mode="literal", top_k=50, cursor=first["cursor"]
    )
    assert [number for _, number, _ in lines(rest)] == [7, 8, 9, 10, 11]


def test_a_cursor_belongs_to_all_that_was_asked(call: Caller, root: Path) -> None:
    write(root, {"a.txt": "needle\n" * 9})
    call.result("repo.refresh_index")
    asked = {"query": "needle", "mode": "literal", "top_k": 4}
    cursor = call.result("repo.search", **asked)["cursor"]
    for other in ({"mode": "regex"}, {"ignore_case": True}, {"whole_word": True}):
        refused = call.refusal("repo.search", **{**asked, **other}, cursor=cursor)
        assert "belongs to other arguments" in refused["reason"]


def test_long_lines_are_cut_around_their_match(call: Caller, root: Path) -> None:
    write(root, {"long.txt": "a" * 5_000 + " needle " + "b" * 5_000})
    call.result("repo.refresh_index")
    ((_, number, text),) = lines(call.result("repo.search", query="needle", mode="literal"))
    assert number == 1
    assert len(text) < 320
    assert " needle " in text
    assert text.startswith("… ")
    assert text.endswith(" …")


def test_files_that_are_not_indexed_yet_are_read(root: Path, tmp_path: Path) -> None:
    call = Caller(root, tmp_path / "other")
    call.clock.step = 0.1
    with IndexManager(services(call.options).settings, sandbox(root)).text.store.lock(0):
        found = call("repo.search", query="get_item(", mode="literal")
        refused = call.refusal("repo.search", query="(", mode="regex")
    assert len(lines(found["result"])) == 4
    assert found["warnings"] == []  # all files were read
    assert refused["code"] == "argument_invalid"


WORDS = st.sampled_from(["aa", "ab", "aB", "a.b", "a b", "é", "_", ""])
# names of files in the order of answers: code, what runs beside it, tests, prose
NAMES = ["b/run.py", "b/set.py", "a/page.html", "a/set.yaml", "a/tests/test_a.py", "a/a.md"]


@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    texts=st.dictionaries(
        st.sampled_from(NAMES), st.lists(WORDS, max_size=6).map("\n".join), min_size=1, max_size=4
    ),
    needle=st.sampled_from(["a", "aa", "a.b", "é", "B"]),
    top_k=st.integers(1, 4),
)
def test_pages_are_what_reading_every_file_finds(
    tmp_path_factory: pytest.TempPathFactory, texts: dict[str, str], needle: str, top_k: int
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    root = write(folder / "root", dict(texts))
    call = Caller(root, folder / "data")
    call.result("repo.refresh_index")
    found = {
        name: [(at, line) for at, line in enumerate(text.split("\n"), 1) if needle in line]
        for name, text in texts.items()
    }
    turns = in_turns({name: len(rows) for name, rows in found.items()})
    expected = [(name, *found[name][turn]) for name, turn in turns]
    for mode, query, most in (
        ("literal", needle, top_k),
        ("regex", re.escape(needle), 50),
    ):
        pages = call.pages("repo.search", query=query, mode=mode, top_k=most)
        parts = [expected[at : at + most] for at in range(0, len(expected), most)] or [[]]
        assert [sorted(lines(page)) for page in pages] == [sorted(part) for part in parts]
    files = call.result("repo.search", query=needle, mode="literal", show="files")["files"]
    assert [file["path"] for file in files] == list(dict.fromkeys(row[0] for row in expected))


def test_files_are_shown_with_their_counts_in_pages(root: Path, tmp_path: Path) -> None:
    files = {f"many/{number:03}.txt": "item\n" * (number % 3 + 1) for number in range(150)}
    write(root, dict(files))
    call = Caller(root, tmp_path / "data")
    call.result("repo.refresh_index")
    asked: dict[str, Any] = {"query": "item", "mode": "literal", "show": "files"}
    found: list[tuple[str, int]] = []
    page = call.result("repo.search", **asked, max_chars=2000)
    assert (page["truncated"], page["counted_all"]) == (True, True)
    assert page["matching_files"] == 152
    while True:
        found += [(item["path"], item["count"]) for item in page["files"]]
        if not page["cursor"]:
            break
        page = call.result("repo.search", **asked, max_chars=2000, cursor=page["cursor"])
    assert len(found) == 152
    assert found == [("src/a.py", 2), *sorted(found[1:], key=lambda row: (-row[1], row[0]))]
    assert set(found) >= {(path, text.count("item")) for path, text in files.items()}


def test_smart_case_follows_the_query(call: Caller) -> None:
    def count(query: str) -> int:
        found = call.result("repo.search", query=query, mode="literal", smart_case=True)
        return len(lines(found))

    assert (count("get_item("), count("GET_ITEM(")) == (5, 1)


def test_an_expression_matches_across_lines(call: Caller) -> None:
    found = call.result("repo.search", query=r"(?s)def first.*?return", mode="regex")
    assert [(path, number) for path, number, _ in lines(found)] == [
        ("src/a.py", number) for number in (1, 2, 3, 4)
    ]


CALLS = """\
run(request, 1)
run(
    request, 2)
x = run(  # why
    request, 3)
run(

    request, 4)
run(other,
    request)
"""


def texts(answer: dict[str, Any]) -> list[str]:
    return [item for item in answer["warnings"] if "line end" in item]


def crossing(root: Path, data: Path) -> Caller:
    write(root, {"calls.py": CALLS, "tests/test_calls.py": "run(\n    request, 5)\n"})
    call = Caller(root, data)
    call.result("repo.refresh_index")
    return call


def test_blanks_of_an_expression_may_be_line_ends(root: Path, tmp_path: Path) -> None:
    call = crossing(root, tmp_path / "data")
    asked = {"query": r"\brun\(\s*request, \d", "mode": "regex"}
    answer = call("repo.search", **asked)
    found = answer["result"]
    assert [(file["path"], file["lines"], file["ends"]) for file in found["files"]] == [
        (
            "calls.py",
            "1: run(request, 1)\n2: run(\n3-     request, 2)\n6: run(\n7- \n8-     request, 4)",
            "2-3, 6-8",
        ),
        ("tests/test_calls.py", "1: run(\n2-     request, 5)", "1-2"),
    ]
    assert (found["matching_lines"], found["matching_files"], found["counted_all"]) == (4, 2, True)
    assert texts(answer) == ["3 of these cross a line end, which \\s may be"]
    files = call.result("repo.search", **asked, show="files")
    assert [(file["path"], file["count"]) for file in files["files"]] == [
        ("calls.py", 3),
        ("tests/test_calls.py", 1),
    ]


def test_pages_go_on_with_matches_over_line_ends(root: Path, tmp_path: Path) -> None:
    call = crossing(root, tmp_path / "data")
    write(root, {f"many/{number}.py": "run(\n" + "#" * 250 + "\n" for number in range(30)})
    call.result("repo.refresh_index")
    for query in (r"run\(\s*#", r"run\([^x]*#{9}"):  # with and without lines that match alone
        pages = call.pages("repo.search", query=query, mode="regex", max_chars=2000)
        shown = [(path, line) for page in pages for path, line, _ in lines(page)]
        assert len(pages) > 1
        assert pages[0]["matching_files"] == len({path for path, _ in shown})
        assert shown == sorted(set(shown), key=shown.index)
        assert {(f"many/{number}.py", 2) for number in range(30)} <= set(shown)


def test_a_class_may_be_a_line_end_where_no_line_matches(root: Path, tmp_path: Path) -> None:
    call = crossing(root, tmp_path / "data")
    answer = call("repo.search", query=r"why[^)]*, 3", mode="regex")
    assert lines(answer["result"]) == [
        ("calls.py", 4, "x = run(  # why"),
        ("calls.py", 5, "    request, 3)"),
    ]
    assert texts(answer) == ["no line matches alone; 1 across line ends, which \\s or [^x] may be"]
    # a line that matches is all that a class finds
    alone = call("repo.search", query=r"run\([^)]*request", mode="regex")
    assert len(lines(alone["result"])) == 1
    assert texts(alone) == []


def test_blanks_at_the_edges_of_a_match_do_not_go_over_lines(call: Caller) -> None:
    for query, count in ((r"^\s*def", 2), (r"\)\s*$", 5), (r"\s+get_item", 4)):
        answer = call("repo.search", query=query, mode="regex")
        assert answer["result"]["matching_lines"] == count
        assert texts(answer) == []


def test_matches_over_lines_count_once(call: Caller) -> None:
    found = call.result("repo.search", query="2\n    return", mode="literal")
    assert (found["matching_lines"], found["files"][0]["ends"]) == (1, "3-4")


def test_files_of_other_kinds_that_match_are_told(root: Path, tmp_path: Path) -> None:
    page = "<a (click)='get_item(1)'>"
    write(root, {"web/a.component.html": page, "tests/test_a.py": "get_item(9)\n"})
    call = Caller(root, tmp_path / "data")
    call.result("repo.refresh_index")
    asked = {"query": "get_item(", "mode": "literal"}
    [note] = call("repo.search", **asked, kind="code")["warnings"]
    named = "tests 1, documents 1 (web/a.component.html), other 1 (src/b.txt)"
    assert note == f"kind=code leaves out files that match: {named}"
    assert call("repo.search", **asked, kind="code", file_glob="src/*.py")["warnings"] == []
    assert call("repo.search", **asked)["warnings"] == []


@pytest.mark.parametrize(
    "filters", [{"file_glob": "src/c*"}, {"language": "rust"}, {"kind": "documents"}]
)
def test_filters_without_a_match_say_where_there_are_some(
    call: Caller, filters: dict[str, str]
) -> None:
    asked = {"query": "get_item(", "mode": "literal"}
    answer = call("repo.search", **asked, **filters)
    [name] = filters
    text = f"nothing matches with {name}; without, 2 files do: src/a.py, src/b.txt"
    assert text in answer["warnings"]
    assert (
        call("repo.search", query="nowhere_at_all", mode="literal", kind="code")["warnings"] == []
    )


GLOBS = ["src/**, lib/*.py", "src/**, !*.txt", "!src/**", "!*.py, !tests/", "{src,lib}/a*"]


@pytest.mark.parametrize("glob", [*GLOBS, "lib/**, !lib/**"])
@pytest.mark.parametrize("mode", ["bm25", "literal", "regex"])
@pytest.mark.parametrize("is_indexed", [True, False])
def test_lists_of_globs_select_what_a_walk_with_them_does(
    root: Path, tmp_path: Path, glob: str, mode: str, *, is_indexed: bool
) -> None:
    names = ["lib/a.py", "lib/b/c.py", "tests/test_a.py", "a.py"]
    more = {path: f"get_item({at})\n" for at, path in enumerate(names)}
    write(root, dict(more))
    every = ["src/a.py", "src/b.txt", *more]
    call = Caller(root, tmp_path / "data")
    if is_indexed:
        call.result("repo.refresh_index")
    found = call.result("repo.search", query="get_item", mode=mode, file_glob=glob)
    shown = {item["path"] for item in found["files"] or found["hits"]}
    expected = {path for path in every if GlobList(glob).matches(path)}
    assert shown == expected
    listed = call.result("repo.list_files", glob=f"{glob}, !.*")
    assert {item["path"] for item in listed["files"]} == expected
    if mode != "bm25":
        assert found["matching_files"] == len(expected) or not is_indexed


def test_equal_questions_get_equal_answers(call: Caller) -> None:
    asked = {"query": "get_item(", "mode": "literal", "top_k": 1}
    answers = [call.result("repo.search", **asked) for _ in range(5)]
    assert all(answer == answers[0] for answer in answers)
    assert (answers[0]["matching_lines"], answers[0]["counted_all"]) == (4, True)


@pytest.mark.parametrize(
    ("limit", "query", "mode"),
    [
        ("_COUNTED_BYTES", "get_item(", "literal"),
        ("_COUNTED_SEARCHES", r"get_ite[m]\(", "regex"),
    ],
)
def test_a_count_that_ends_early_is_a_lower_bound(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, query: str, mode: str
) -> None:
    monkeypatch.setattr(search_exact, limit, 1)
    call = Caller(root, tmp_path / "few", limits={"max_search_hits": 1})
    call.result("repo.refresh_index")
    answers = [call.result("repo.search", query=query, mode=mode) for _ in range(2)]
    assert answers[0] == answers[1]
    assert 1 <= answers[0]["matching_lines"] < 4
    assert answers[0]["counted_all"] is False


@pytest.mark.parametrize("query", ["x*", r"\b", "^", r"\w"])
def test_a_page_of_lines_that_all_match_takes_little_more_than_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    made: list[Spans] = []

    def spans(self: CompiledExpression, rows: bytes) -> Spans:
        made.append(every(self, rows))
        return made[-1]

    every = CompiledExpression.spans
    monkeypatch.setattr(CompiledExpression, "spans", spans)
    monkeypatch.setattr(search_exact, "_COUNTED_SEARCHES", 500)
    files = {f"{number:03}.txt": "some words of a line\n" * 50 for number in range(400)}
    call = Caller(write(tmp_path / "root", dict(files)), tmp_path / "data")
    call.result("repo.refresh_index")
    page = call.result("repo.search", query=query, mode="regex", top_k=5)
    assert (len(lines(page)), page["counted_all"]) == (5, False)
    assert 500 <= page["matching_lines"] < 1_000
    # of 20,000 lines, each with up to 27 matches; those of a page and of a count are looked for
    assert sum(item.searches for item in made) < 15_000


@pytest.fixture
def dense(tmp_path: Path) -> Caller:
    """One file with many matches, and others behind it with a single one."""
    many = "".join(f"def made_{number}():\n    pay(\n{number})\n" for number in range(90))
    one = "def f():\n    pay(\n0)\n"
    files: dict[str, str | bytes] = {
        "a_dense.py": many,
        **{f"b{number}.py": one for number in range(12)},
    }
    caller = Caller(write(tmp_path / "root", files), tmp_path / "data")
    caller.result("repo.refresh_index")
    return caller


def test_pages_of_symbols_have_each_line_once(dense: Caller) -> None:
    given = {"query": r"pay\(", "mode": "regex", "show": "symbols"}
    shown: list[tuple[str, int]] = []
    cursor = ""
    while not shown or cursor:
        page = dense.result("repo.search", **given, **({"cursor": cursor} if cursor else {}))
        shown += [
            (file["path"], int(row.split(":")[0]))
            for file in page["files"]
            for row in file["lines"].split("\n")
            if re.match(r"\d+:", row)
        ]
        cursor = page.get("cursor", "")
    wanted = [("a_dense.py", 3 * number + 2) for number in range(90)]
    wanted += [(f"b{number}.py", 2) for number in range(12)]
    assert sorted(shown) == sorted(wanted)


def test_matches_over_lines_are_shown_by_their_first_lines_where_they_fill_a_page(
    dense: Caller,
) -> None:
    given = {"query": r"pay\(\n\d+\)", "mode": "regex", "show": "symbols", "max_chars": 2000}
    full = dense.result("repo.search", **given, file_glob="a_dense.py")
    rows = [row for row in full["files"][0]["lines"].split("\n") if not row.startswith("@")]
    assert all(row.endswith("pay(") for row in rows)
    assert full["files"][0]["ends"].startswith("2-3, 5-6")
    few = dense.result("repo.search", **given, file_glob="b1*.py")
    assert few["files"][0]["lines"] == "@ f\n2:     pay(\n3- 0)"


def test_a_page_of_a_changed_index_says_so(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"m{at}.py": "needle = 1\n" for at in range(6)}
    root = write(tmp_path / "root", files)
    call = Caller(root, tmp_path / "data")
    asked = {"query": "needle", "mode": "literal", "top_k": 2}
    cursor = call.result("repo.search", **asked)["cursor"]
    assert call("repo.search", **asked, cursor=cursor)["warnings"] == []
    write(root, {"n.py": "needle = 2\n"})
    call.result("repo.refresh_index")
    (text,) = call("repo.search", **asked, cursor=cursor)["warnings"]
    assert text.startswith("the index has changed since the last page")


def test_declarations_of_an_older_text_stand_above_no_line(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "def one():\n    needle = 1\n    return needle\n"})
    parts = served(root, tmp_path / "data")
    parts.manager.refresh(FOREVER)

    def above(line: int) -> object:
        return Symbols(parts.sandbox, parts.manager.snapshot()).at("a.py", line)

    assert above(2) is not None
    write(root, {"a.py": "other = 1\nneedle = 1\n\n\ndef one():\n    return needle\n"})
    assert above(2) is None


def test_files_of_other_kinds_are_told_of_the_same_language(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        **dict.fromkeys(("app/a.py", "tests/test_a.py"), "needle = 1\n"),
        **dict.fromkeys(("docs/a.md", "tests/a.test.js"), "needle\n"),
    }
    call = Caller(write(tmp_path / "root", files), tmp_path / "data")
    asked = {"query": "needle", "mode": "literal", "kind": "code", "language": "python"}
    warnings = call("repo.search", **asked)["warnings"]
    assert "kind=code leaves out files that match: tests 1" in warnings
