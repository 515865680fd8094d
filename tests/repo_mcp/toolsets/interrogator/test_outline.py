"""`repo.outline`: the declarations of a file's current content, with the fields of version 2."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from code_graph import Languages
from code_graph.facts import MODULE, Declaration
from repo_mcp.answers.repository import OutlineResult, OutlineSymbol
from repo_mcp.toolsets.interrogator.outline import summarise
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import write
from tests.repo_mcp.workspace.workspaces import serve

CODE = '''\
"""Module."""


class Shop(Base, metaclass=Meta):
    """Sells things.

    More text.
    """

    def sell(self, item: str, *, price: int = 1) -> bool:
        """Sell one."""
        if price:
            def receipt() -> str: ...
        return True


try:
    import fast
except ImportError:
    def fallback(): ...
'''


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files: dict[str, str | bytes] = {
        "shop.py": CODE,
        "broken.py": "def a(:\n    pass\n\ndef b(): pass\n",
        "no_code.py": "<<< no code >>>\n",
        "main.c": "/* Adds. */\nint add(int a, int b)\n{\n\treturn a + b;\n}\n",
        "flags.c": "enum flags { ZERO, ONE, ALL };\nstruct pair { int second, first; };\n",
        "guide.md": "# Title\n\nAbout.\n\n## Part\n\nText.\n",
        "data.csv": "a,b\n",
        "large.py": "".join(f"def function_{n}(argument): ...\n" for n in range(300)),
        ".env": "TOKEN=hidden",
        "logo.bin": b"\0\1",
    }
    return write(tmp_path / "root", files)


@pytest.fixture(params=[False, True], ids=["parsed", "indexed"])
def call(request: pytest.FixtureRequest, root: Path, tmp_path: Path) -> Caller:
    caller = Caller(root, tmp_path / "data")
    if request.param:
        caller.result("repo.refresh_index")
    return caller


def by_name(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {item["name"]: item for item in found["symbols"]}


def test_what_is_declared_on_the_line_of_its_type_follows_it(call: Caller) -> None:
    """In the order in which it is written, and not of names."""
    found = call.result("repo.outline", path="flags.c")["symbols"]
    names = ["flags", "ZERO", "ONE", "ALL", "pair", "second"]
    assert [item["name"] for item in found][: len(names)] == names
    inner = call.result("repo.outline", path="flags.c", depth=1)["symbols"]
    assert [item["name"] for item in inner] == ["flags", "pair"]


@pytest.mark.requirement("INT-11.4-outline")
def test_symbols_have_the_fields_of_version_2(call: Caller) -> None:
    found = call.result("repo.outline", path="shop.py")
    assert (found["language"], found["status"]) == ("python", "full")
    whole = call.answer("repo.outline", path="shop.py")["structuredContent"]["result"]
    # what is absent: in a class with parent_symbol, in the module without, and not conditional
    symbols = by_name(whole)
    assert symbols["Shop"] == {
        "kind": "class",
        "name": "Shop",
        "signature": "class Shop(Base, metaclass=Meta)",
        "start_line": 4,
        "end_line": 14,
        "doc": "Sells things.",
    }
    assert symbols["sell"] == {
        "kind": "method",
        "name": "sell",
        "signature": "def sell(self, item: str, *, price: int = 1) -> bool",
        "start_line": 10,
        "end_line": 14,
        "doc": "Sell one.",
        "parent_symbol": "Shop",
    }
    assert symbols["receipt"]["parent_symbol"] == "Shop.sell"
    assert symbols["receipt"]["scope_kind"] == "function"
    assert symbols["receipt"]["is_conditional"] is True
    assert symbols["receipt"]["decl_context"] == "class Shop > def sell > if"
    assert symbols["fallback"]["is_conditional"] is True
    order = [(item["start_line"], -item["end_line"]) for item in found["symbols"]]
    assert order == sorted(order)


def test_other_languages_and_prose_have_outlines_too(call: Caller) -> None:
    found = call.result("repo.outline", path="main.c")
    assert (found["language"], by_name(found)["add"]["doc"]) == ("c", "Adds.")
    found = call.result("repo.outline", path="guide.md")
    assert [item["name"] for item in found["symbols"]] == ["Title", "Part"]
    assert by_name(found)["Part"]["parent_symbol"] == "Title"


@pytest.mark.requirement("INT-10.3-unparseable")
def test_of_a_file_that_can_not_be_parsed_nothing_is_shown_and_that_is_said(call: Caller) -> None:
    found = call("repo.outline", path="no_code.py")
    assert found["ok"]
    assert (found["result"]["symbols"], found["result"]["total"]) == ([], 0)
    assert "syntax errors" in found["warnings"][0]


def test_a_syntax_error_leaves_the_other_declarations_and_is_told(call: Caller) -> None:
    found = call("repo.outline", path="broken.py")
    assert (found["result"]["status"], list(by_name(found["result"]))) == ("partial", ["a", "b"])
    assert "syntax errors" in found["warnings"][0]


def test_where_no_language_is_known_that_is_said(call: Caller) -> None:
    found = call("repo.outline", path="data.csv")
    assert (found["result"]["symbols"], found["result"]["language"]) == ([], "")
    assert "the language of this file is unknown" in found["warnings"][0]


def test_it_is_that_of_the_file_as_it_is_now(call: Caller, root: Path) -> None:
    call.result("repo.outline", path="shop.py")
    write(root, {"shop.py": "def other(): ...\n", "main.c": "int only(void) { return 1; }\n"})
    assert list(by_name(call.result("repo.outline", path="shop.py"))) == ["other"]
    assert list(by_name(call.result("repo.outline", path="main.c"))) == ["only"]


def test_pages_make_up_the_whole(call: Caller) -> None:
    pages = call.pages("repo.outline", path="large.py", max_chars=4_000)
    assert len(pages) > 5
    names = [item["name"] for page in pages for item in page["symbols"]]
    assert names == [f"function_{n}" for n in range(300)]
    assert {page["total"] for page in pages} == {300}
    assert [page["truncated"] for page in pages] == [True] * (len(pages) - 1) + [False]


def test_a_page_goes_on_at_its_line_in_a_changed_file(call: Caller, root: Path) -> None:
    first = call.result("repo.outline", path="large.py", max_chars=3_000)
    line = first["symbols"][-1]["start_line"]
    write(root, {"large.py": "".join(f"def changed_{n}(): ...\n" for n in range(300))})
    found = call("repo.outline", path="large.py", cursor=first["cursor"])
    assert found["result"]["symbols"][0]["start_line"] == line + 1
    assert "the file changed since" in found["warnings"][0]


@pytest.mark.parametrize(
    ("path", "code"),
    [(".env", "path_denied"), ("none.py", "not_found"), ("logo.bin", "binary_file")],
)
def test_what_can_not_be_read_has_no_outline(call: Caller, path: str, code: str) -> None:
    assert call.refusal("repo.outline", path=path)["code"] == code


def test_a_parser_that_fails_costs_the_outline_of_one_file(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = Caller(root, tmp_path / "data")
    adapter = Languages().adapter_for("shop.py")

    def fail(*_: object) -> None:
        raise RuntimeError("text of a file")

    monkeypatch.setattr(type(adapter), "facts", fail)
    found = call("repo.outline", path="shop.py")
    assert found["result"]["status"] == "failed"
    assert "text of a file" not in str(found)


def test_full_names_do_not_hide_what_stands_alone(call: Caller, root: Path) -> None:
    write(root, {"same.py": "class A:\n    def f(self): ...\n\nclass B:\n    def f(self): ...\n"})
    found = call.answer("repo.outline", path="same.py")
    text = found["content"][0]["text"]
    assert text.split("\n")[1:-1] == [
        *("1-2 class A", "  2 def f(self)", "4-5 class B", "  5 def f(self)"),
    ]


def test_lines_that_end_before_they_begin_are_refused(call: Caller) -> None:
    refused = call.refusal("repo.outline", path="src/a.py", start_line=9, end_line=3)
    assert refused["code"] == "argument_invalid"
    assert "line 3 is before line 9" in refused["reason"]


def test_a_path_that_is_nearly_right_is_corrected(call: Caller) -> None:
    call.result("repo.refresh_index")
    assert "did you mean shop.py" in call.refusal("repo.outline", path="shpo.py")["reason"]
    assert "perhaps" not in call.refusal("repo.outline", path=".env")["reason"]


def names(found: dict[str, Any]) -> list[str]:
    return [item["name"] for item in found["symbols"]]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"kinds": ["class"]}, ["Shop"]),
        ({"kinds": "method, function"}, []),
        ({"kinds": ["Method", "function"]}, ["sell", "receipt", "fallback"]),
        ({"depth": 1}, ["Shop", "fallback"]),
        ({"depth": 2}, ["Shop", "sell", "fallback"]),
        ({"match": "ELL"}, ["sell"]),
        ({"match": "s*"}, ["Shop", "sell"]),
        ({"match": "Shop"}, ["Shop"]),
        ({"match": "shop.*"}, ["sell", "receipt"]),
        ({"match": "p.sell"}, ["sell"]),
        ({"match": "*l"}, ["sell"]),
        ({"match": "shop.*e*pt"}, ["receipt"]),
        ({"start_line": 15}, ["fallback"]),
        ({"end_line": 9}, ["Shop"]),
        ({"start_line": 12, "end_line": 12}, ["Shop", "sell", "receipt"][:2]),
        ({"match": "nothing"}, []),
    ],
)
def test_a_part_of_a_file_can_be_asked_for(
    call: Caller, arguments: dict[str, Any], expected: list[str]
) -> None:
    found = call.result("repo.outline", path="shop.py", **arguments)
    assert (names(found), found["total"]) == (expected, len(expected))


def test_a_large_file_is_told_by_its_outer_declarations_with_their_lines(
    call: Caller, root: Path
) -> None:
    """Of 1,300 declarations the list of those at the top, each with the number of those inside."""
    long = ", ".join(f"argument_{number}: int" for number in range(9))
    bases = ", ".join(f"Base{number}" for number in range(9))
    body = "".join(f"    def method_{n}(self, {long}): ...\n" for n in range(12))
    write(root, {"wide.py": "".join(f"class Class{n}({bases}):\n{body}" for n in range(100))})
    answer = call.answer("repo.outline", path="wide.py")
    text = answer["content"][0]["text"].split("\n")
    assert text[0] == "wide.py (python): 100 of 1300 declarations"
    assert text[1:4] == [
        *("method 1200, class 100", "1-13 class Class0 (+12)", "14-26 class Class1 (+12)")
    ]
    found = call.result("repo.outline", path="wide.py")
    rows = found["symbols"]
    assert [row["name"] for row in rows] == [f"Class{n}" for n in range(100)]
    assert all(row["end_line"] == row["start_line"] + 12 for row in rows)
    assert (found["depth"], found["truncated"]) == (1, True)
    part = call.result("repo.outline", path="wide.py", start_line=14, end_line=26)
    assert names(part) == ["Class1", *(f"method_{n}" for n in range(12))]
    deep = call.result("repo.outline", path="wide.py", depth=2)
    assert names(deep)[:14] == ["Class0", *(f"method_{n}" for n in range(12)), "Class1"]
    more = call.result("repo.outline", path="wide.py", depth=2, cursor=deep["cursor"])
    assert deep["symbols"][-1]["end_line"] < more["symbols"][0]["end_line"]


def test_the_pages_of_the_top_level_are_followed_by_the_whole_list(
    call: Caller, root: Path
) -> None:
    body = "    x: int\n    y: int\n"
    write(root, {"many.py": "".join(f"class LongName{n}:\n{body}" for n in range(90))})
    pages = call.pages("repo.outline", path="many.py", max_chars=4_000)
    top = [f"LongName{n}" for n in range(90)]
    listed = [name for page in pages for name in names(page)]
    assert listed[:90] == top
    assert [name for name in listed[90:] if name not in "xy"] == top
    assert len(listed) == 90 + 270


def test_a_folder_has_an_outline_of_folders_and_files(call: Caller, root: Path) -> None:
    write(root, {"sub/a.py": "def first(): ...\n", "sub/in/b.py": "x = 1\n", "sub/in/c/d.py": ""})
    write(root, {"sub/.env": "TOKEN=hidden", "sub/note.txt": "text\n"})
    call.result("repo.refresh_index")
    found = call.result("repo.outline", path="sub")
    assert (found["status"], found["total"], found["symbols"]) == ("folder", 4, [])
    assert found["folders"] == ["sub/in/ 2 files"]
    assert found["files"] == ["sub/a.py (python, 1 declaration): first", "sub/note.txt"]
    assert "hidden" not in str(call.answer("repo.outline", path="sub"))


def test_the_few_files_below_a_folder_of_folders_are_outlined(call: Caller, root: Path) -> None:
    write(root, {"deep/in/a.py": "def first(): ...\n", "deep/in/c/d.py": "def second(): ...\n"})
    call.result("repo.refresh_index")
    found = call.result("repo.outline", path="deep")
    rows = ["deep/in/a.py (python, 1 declaration): first"]
    assert found["files"] == [*rows, "deep/in/c/d.py (python, 1 declaration): second"]
    assert not found["folders"]


def test_the_outline_of_the_root_names_the_main_declarations(call: Caller) -> None:
    call.result("repo.refresh_index")
    files = call.result("repo.outline", path=".")["files"]
    assert "shop.py (python, 4 declarations): Shop, fallback" in files
    large = next(row for row in files if row.startswith("large.py"))
    assert large.startswith("large.py (python, 300 declarations): function_0, ")
    assert large.endswith(", …")
    assert not any("logo.bin" in row or ".env" in row for row in files)


def test_a_folder_is_outlined_as_it_is_now(call: Caller, root: Path) -> None:
    call.result("repo.refresh_index")
    write(root, {"shop.py": "def other(): ...\n"})
    files = call.result("repo.outline", path=".")["files"]
    assert "shop.py (python, 1 declaration): other" in files


def test_the_pages_of_a_folder_make_up_the_whole(call: Caller, root: Path) -> None:
    names = [f"wide/{'x' * 40}{number:03}" for number in range(90)]
    write(root, {f"{name}.py": "def run(): ...\n" for name in names})
    write(root, {f"{name}/a.py": "" for name in names})
    call.result("repo.refresh_index")
    pages = call.pages("repo.outline", path="wide", max_chars=2_500)
    assert len(pages) > 4
    folders = [row for page in pages for row in page["folders"]]
    files = [row for page in pages for row in page["files"]]
    assert folders == [f"{name}/ 1 file" for name in names]
    assert files == [f"{name}.py (python, 1 declaration): run" for name in names]


@pytest.mark.parametrize(
    ("path", "code"), [(".git", "path_denied"), ("..", "path_outside"), ("none/", "not_found")]
)
def test_a_folder_that_can_not_be_shown_has_no_outline(
    call: Caller, root: Path, path: str, code: str
) -> None:
    write(root, {".git/config": "[core]\n"})
    assert call.refusal("repo.outline", path=path)["code"] == code


def test_of_a_deep_file_as_many_levels_as_fit_are_listed(call: Caller, root: Path) -> None:
    body = "".join(f"    def method_{n}(self, argument): ...\n" for n in range(40))
    write(root, {"deep.py": "".join(f"class Class{n}:\n{body}" for n in range(9))})
    found = call.result("repo.outline", path="deep.py")
    assert names(found) == [f"Class{n}" for n in range(9)]
    assert (found["depth"], found["truncated"], found["total"]) == (1, True, 369)
    assert found["kinds"] == "method 360, class 9"
    one = call.result("repo.outline", path="deep.py", match="Class3.*")
    assert len(one["symbols"]) == 40
    assert names(call.result("repo.outline", path="deep.py", match="Class3")) == ["Class3"]


def test_an_outline_takes_less_than_a_third_of_its_file(call: Caller, root: Path) -> None:
    body = "".join(
        f'    def method_{n}(self, argument):\n        """Does it."""\n        return {n}\n'
        for n in range(90)
    )
    write(root, {"dense.py": f"class Dense:\n{body}"})
    size = (root / "dense.py").stat().st_size
    answer = call.answer("repo.outline", path="dense.py")
    assert len(answer["content"][0]["text"]) < size * 0.35
    assert len(str(answer["structuredContent"])) < size * 0.4


def test_names_of_all_methods_come_before_the_signatures_of_classes(
    call: Caller, root: Path
) -> None:
    """Where their signatures don't fit, each declaration but the fields has a line."""
    long = ", ".join(f"argument_{number}: int" for number in range(9))
    filler = "        # text\n" * 20
    body = "".join(f"    def method_{n}(self, {long}):\n{filler}        ...\n" for n in range(20))
    fields = "".join(f"    field_{n}: int\n" for n in range(20))
    write(root, {"long.py": "".join(f"class Class{n}:\n{fields}{body}" for n in range(4))})
    found = call.result("repo.outline", path="long.py")
    assert names(found) == [
        name for n in range(4) for name in (f"Class{n}", *(f"method_{at}" for at in range(20)))
    ]
    assert {item["signature"] for item in found["symbols"]} == {""}
    assert (found["left_out"], found["depth"], found["truncated"]) == ("field", 0, True)
    whole = call.pages("repo.outline", path="long.py")[1:]
    listed = [item for page in whole for item in page["symbols"]]
    assert len(listed) == found["total"] == 4 * 41
    assert all(item["signature"] for item in listed)


def test_a_level_that_does_not_fit_with_its_constants_is_listed_without_them(
    call: Caller, root: Path
) -> None:
    constants = "".join(f"#define FLAG_{n} {n}\n" for n in range(400))
    fields = "".join(f"    int field_{n};\n" for n in range(60))
    write(root, {"flags.h": f"{constants}struct whole {{\n{fields}}};\n"})
    found = call.result("repo.outline", path="flags.h")
    assert names(found) == ["whole"]
    assert (found["left_out"], found["total"]) == ("field, macro", 461)


def test_a_namespace_is_no_level(call: Caller, root: Path) -> None:
    body = "".join(f"  class Class{n} {{ void run(); }};\n" for n in range(3))
    write(root, {"space.cc": f"namespace outer {{ namespace inner {{\n{body}}} }}\n"})
    found = call.result("repo.outline", path="space.cc", depth=1)
    assert names(found) == ["outer", "inner", "Class0", "Class1", "Class2"]
    long = "".join(f"  class LongClass{n} {{\n{'    void run();' * 9}\n  }};\n" for n in range(60))
    text = f"namespace outer {{\n{long}}}\n" + "".join(f"// text {n}\n" for n in range(2_000))
    write(root, {"large.cc": text})
    page = call.result("repo.outline", path="large.cc")
    assert (names(page)[0], names(page)[1], len(page["symbols"])) == ("outer", "LongClass0", 61)
    assert (page["depth"], page["symbols"][1]["inside"]) == (1, 9)


def test_names_are_looked_for_in_a_folder_and_below(call: Caller, root: Path) -> None:
    till = "class Till:\n    def close(self): ...\n    def open(self): ...\n"
    write(root, {"shop/till.py": till, "shop/deep/close.py": "def close_all(): ...\n"})
    call.result("repo.refresh_index")
    found = call.result("repo.outline", path="shop", match="close")
    assert found["files"] == ["shop/deep/close.py: close_all 1", "shop/till.py: Till.close 2"]
    assert (found["folders"], found["total"], found["truncated"]) == ([], 2, False)
    classes = call.result("repo.outline", path="shop", kinds=["class"])
    assert classes["files"] == ["shop/till.py: Till 1"]
    answer = call("repo.outline", path="shop", match="nothing")
    assert answer["warnings"] == ["no indexed file in this folder or below declares such a name"]


def test_files_with_a_name_come_in_pages(call: Caller, root: Path) -> None:
    write(root, {f"many/{n:03}.py": f"def close_the_till_{n}(): ...\n" for n in range(200)})
    call.result("repo.refresh_index")
    pages = call.pages("repo.outline", path="many", match="till_*", max_chars=2000)
    pages += call.pages("repo.outline", path="many", match="*till_*", max_chars=2000)
    files = [line for page in pages for line in page["files"]]
    assert len(pages) > 3
    assert files == [f"many/{n:03}.py: close_the_till_{n} 1" for n in range(200)]


def test_members_of_a_type_that_has_very_many_are_names_in_its_row(tmp_path: Path) -> None:
    long_name = "that_has_a_name_which_takes_most_of_a_line"
    filler = "        // more text that stands in it\n" * 6
    methods = "".join(
        f"    int step_{n}_{long_name}() {{\n{filler}        return {n};\n    }}\n\n"
        for n in range(130)
    )
    code = (
        "public class Whole {\n    int first;\n\n"
        "    int first(int a) {\n        return a;\n    }\n\n"
        "    int first(int a, int b) {\n        return a;\n    }\n\n"
        f"{methods}    static class Inner {{\n        void run() {{}}\n    }}\n}}\n"
    )
    call = Caller(write(tmp_path / "root", {"Whole.java": code}), tmp_path / "data")
    found = call.result("repo.outline", path="Whole.java")
    assert [row["name"] for row in found["symbols"]] == ["Whole", "Inner"]
    assert found["symbols"][0]["members"][:2] == ["first 4,8", f"step_0_{long_name} 12"]
    assert len(found["symbols"][0]["members"]) == 131
    assert found["symbols"][1]["members"] == ["run 1313"]
    assert (found["left_out"], found["depth"], found["truncated"]) == ("field", 0, True)
    text = call.answer("repo.outline", path="Whole.java")["content"][0]["text"].splitlines()
    assert text[0] == "Whole.java (java): 135 of 136 declarations"
    assert text[3].startswith(f"  first 4,8; step_0_{long_name} 12; ")


def test_accessors_are_left_out_of_names_where_that_makes_them_fit(tmp_path: Path) -> None:
    long_name = "ThatHasANameWhichTakesMostOfALineAsSomeDo"
    code = "".join(f"    int getIt{n}{long_name}() {{ return 1; }}\n" for n in range(250))
    code += "".join(f"    int step{n}() {{ return 1; }}\n" for n in range(60))
    whole = f"public class Whole {{\n{code}}}\n"
    call = Caller(write(tmp_path / "root", {"Whole.java": whole}), tmp_path / "data")
    found = call.result("repo.outline", path="Whole.java")
    assert found["left_out"] == "accessors"
    assert found["symbols"][0]["members"] == [f"step{n} {n + 252}" for n in range(60)]


def flat_rows(count: int) -> tuple[list[Declaration], list[OutlineSymbol]]:
    names = [f"function_{number}" for number in range(count)]
    shown = [
        Declaration("function", name, number, number, number, 4, MODULE, f"def {name}():")
        for number, name in enumerate(names, 1)
    ]
    rows = [
        OutlineSymbol(kind="function", name=name, signature=name, start_line=1, end_line=1)
        for name in names
    ]
    return shown, rows


def test_the_outline_of_very_many_declarations_looks_at_what_has_room() -> None:
    count, room, looked = 20_000, 2_000, 0

    def cost(row: OutlineSymbol) -> int:
        nonlocal looked
        looked += 1
        return len(row.name) + 4

    shown, rows = flat_rows(count)
    begun = time.process_time()
    result = OutlineResult(path="a.py", language="python", status="full", total=count, symbols=[])
    assert not summarise(result, shown, range(count), rows, room, cost, lambda: None)
    assert looked < room
    # a tenth of a second: each of them with each other one took a minute
    assert time.process_time() - begun < 15


def test_an_outline_that_is_cancelled_ends(root: Path, tmp_path: Path) -> None:
    write(root, {"flat.py": "".join(f"def f_{number}(): ...\n" for number in range(3_000))})
    with serve(("repo_root", str(root)), data=tmp_path / "data") as app:
        asked = 0

        def cancelled() -> bool:
            nonlocal asked
            asked += 1
            return asked > 100

        answer = app.call("repo.outline", {"path": "flat.py"}, cancelled)
        assert "cancelled" in answer["content"][0]["text"]
        assert asked < 200
