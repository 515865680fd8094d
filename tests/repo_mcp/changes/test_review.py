"""A change is reviewed by the edges of both sides: places that break, tests, what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from index_format import Snapshot
from repo_mcp.ask import DIRECT, INCIDENTAL
from repo_mcp.changes import (
    BREAKS,
    MAY_BREAK,
    MEANS_OTHER,
    ChangeQuestion,
)
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.on_demand import OnDemand
from repo_mcp.indexing.workers.on_demand import LinkedNow
from repo_mcp.model import QuestionFiles
from tests.repo_mcp.changes.reviews import Reviewed, commit, places, reviewed
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.trees import write

pytestmark = pytest.mark.servers
PRICES = """\
def total(a, b=1):
    return a * b


def gone(x):
    return helper(x)


def helper(x):
    return x


class Shop:
    def __init__(self, n, name=""):
        self.n = n

    def sell(self, many):
        return total(self.n, many)
"""
USER = """\
from shop.prices import Shop, gone
from shop.prices import total as sum_up


def run():
    shop = Shop(3, "x")
    shop.sell(2)
    return sum_up(1, 2), gone(shop.n)


def fine():
    return sum_up(1)
"""
TESTS = """\
from shop.app import run
from shop.prices import Shop


def test_run():
    assert run()


def test_other():
    assert Shop(1)
"""
FILES = {
    "shop/__init__.py": "",
    "shop/prices.py": PRICES,
    "shop/app.py": USER,
    "tests/test_app.py": TESTS,
}


@pytest.mark.parametrize("linked", [True, False])
def test_calls_that_do_not_fit_any_more_break(tmp_path: Path, *, linked: bool) -> None:
    new = PRICES.replace("total(a, b=1)", "total(a)").replace("a * b", "a")
    review = reviewed(tmp_path, FILES, {"shop/prices.py": new}, linked=linked)
    assert places(review) == [
        (BREAKS, "shop/app.py", 8, "total"),
        (BREAKS, "shop/prices.py", 18, "total"),
    ]
    assert [item.kind for item in review.declarations] == ["signature"]


@pytest.mark.parametrize("linked", [True, False])
def test_uses_of_what_is_gone_break(tmp_path: Path, *, linked: bool) -> None:
    new = PRICES.replace("def gone(x):\n    return helper(x)\n\n\n", "")
    review = reviewed(tmp_path, FILES, {"shop/prices.py": new}, linked=linked)
    assert places(review) == [
        (BREAKS, "shop/app.py", 1, "gone"),
        (BREAKS, "shop/app.py", 8, "gone"),
    ]
    if linked:
        assert review.unused is not None
        assert [item.name for item in review.unused] == ["helper"]
    else:
        assert review.unused is None


def test_a_renamed_function_says_its_new_name(tmp_path: Path) -> None:
    body = "".join(f"    step{number}(x)\n" for number in range(8))
    old = {"a.py": f"def first(x):\n{body}", "b.py": "from a import first\n\nfirst(1)\n"}
    review = reviewed(tmp_path, old, {"a.py": f"def second(x):\n{body}"})
    assert review.places is not None
    assert {(item.path, item.line, item.reason) for item in review.places} == {
        ("b.py", 1, "it is `second` now"),
        ("b.py", 3, "it is `second` now"),
    }


def test_uses_that_were_changed_along_are_fine(tmp_path: Path) -> None:
    new = {
        "shop/prices.py": PRICES.replace("gone(x)", "went(x)").replace("total(a, b=1)", "total(a)"),
        "shop/app.py": USER.replace("gone", "went").replace("sum_up(1, 2)", "sum_up(1)"),
    }
    new["shop/prices.py"] = new["shop/prices.py"].replace("total(self.n, many)", "total(self.n)")
    assert places(reviewed(tmp_path, FILES, new)) == []


def test_a_moved_function_is_found_where_imports_follow(tmp_path: Path) -> None:
    body = "    " + "\n    ".join(f"step{number}(x)" for number in range(6)) + "\n    return x\n"
    old = {
        "a.py": f"def f(x):\n{body}",
        "b.py": "",
        "one.py": "from a import f\n\nf(1)\n",
        "two.py": "from a import f\n\nf(2)\n",
    }
    new = {"a.py": "", "b.py": f"def f(x):\n{body}", "one.py": "from b import f\n\nf(1)\n"}
    review = reviewed(tmp_path, old, new)
    assert [item.kind for item in review.declarations] == ["moved"]
    assert places(review) == [(BREAKS, "two.py", 1, "f"), (BREAKS, "two.py", 3, "f")]


def test_a_removed_override_means_the_one_of_its_base(tmp_path: Path) -> None:
    base = "class Base:\n    def name(self):\n        return 1\n\n\n"
    own = "class Own(Base):\n    def name(self):\n        return 2\n\n    x = 1\n"
    use = "from a import Own\n\n\ndef f(item: Own):\n    return item.name()\n"
    without = own.replace("    def name(self):\n        return 2\n\n", "")
    old = {"a.py": base + own, "b.py": use}
    assert places(reviewed(tmp_path, old, {"a.py": base + without})) == [
        (MEANS_OTHER, "b.py", 5, "Own.name")
    ]


def test_an_import_that_is_gone_breaks_its_uses(tmp_path: Path) -> None:
    new = USER.replace("from shop.prices import Shop, gone\n", "from shop.prices import Shop\n")
    found = places(reviewed(tmp_path, FILES, {"shop/app.py": new}))
    assert found == [(MAY_BREAK, "shop/app.py", 8, "gone")]


def test_a_file_that_is_moved_breaks_those_that_import_it(tmp_path: Path) -> None:
    new = {"shop/prices.py": None, "shop/costs.py": PRICES}
    found = places(reviewed(tmp_path, FILES, new))
    assert (BREAKS, "shop/app.py", 1, "Shop") in found
    assert (BREAKS, "tests/test_app.py", 2, "Shop") in found


def test_a_new_abstract_member_is_demanded_of_subclasses(tmp_path: Path) -> None:
    base = "from abc import ABC, abstractmethod\n\n\nclass Base(ABC):\n    x = 1\n"
    more = base + "\n    @abstractmethod\n    def run(self): ...\n"
    users = (
        "from a import Base\n\n\nclass One(Base):\n    pass\n\n\n"
        "class Two(Base):\n    def run(self):\n        pass\n"
    )
    review = reviewed(tmp_path, {"a.py": base, "b.py": users}, {"a.py": more})
    assert places(review) == [(MAY_BREAK, "b.py", 4, "Base.run")]


CASES = {
    "typescript": (
        "a.ts",
        "export function f(a: number): number { return a }\n",
        "export function f(a: number, b: string): number { return a }\n",
        "b.ts",
        "import { f } from './a'\n\nexport const x = f(1)\n",
    ),
    "go": (
        "a.go",
        "package p\n\nfunc F(a int) int { return a }\n",
        "package p\n\nfunc F(a int, b string) int { return a }\n",
        "b.go",
        "package p\n\nvar x = F(1)\n",
    ),
    "java": (
        "A.java",
        "class A {\n  static int f(int a) { return a; }\n}\n",
        "class A {\n  static int f(int a, String b) { return a; }\n}\n",
        "B.java",
        "class B {\n  int g() {\n    return A.f(1);\n  }\n}\n",
    ),
    "csharp": (
        "A.cs",
        "class A {\n  public static int F(int a) { return a; }\n}\n",
        "class A {\n  public static int F(int a, string b) { return a; }\n}\n",
        "B.cs",
        "class B {\n  int G() {\n    return A.F(1);\n  }\n}\n",
    ),
    "rust": (
        "src/a.rs",
        "pub fn f(a: i32) -> i32 { a }\n",
        "pub fn f(a: i32, b: &str) -> i32 { a }\n",
        "src/lib.rs",
        "mod a;\n\npub fn g() -> i32 { a::f(1) }\n",
    ),
    "c": (
        "a.h",
        "int f(int a);\n",
        "int f(int a, char *b);\n",
        "b.c",
        '#include "a.h"\n\nint g(void) { return f(1); }\n',
    ),
}


@pytest.mark.parametrize("language", CASES)
def test_calls_are_judged_in_other_languages(language: str, tmp_path: Path) -> None:
    path, old, new, user, use = CASES[language]
    files = {path: old, user: use, "Cargo.toml": '[package]\nname = "p"\n', "go.mod": "module p\n"}
    review = reviewed(tmp_path, files, {path: new})
    assert [(item.path, item.line) for item in review.places or ()] == [(user, 3)]


def test_a_type_that_lost_an_interface_breaks_where_it_is_made(tmp_path: Path) -> None:
    value = "package p\n\ntype Value interface {\n\tSet(s string) error\n}\n"
    own = (
        "package p\n\ntype own struct{}\n\nfunc newOwn() *own { return &own{} }\n\n"
        "func (o *own) Set(s string) error { return nil }\n"
    )
    use = "package p\n\nfunc take(v Value) {}\n\nfunc run() { take(newOwn()) }\n"
    old = {"go.mod": "module p\n", "value.go": value, "own.go": own, "use.go": use}
    review = reviewed(
        tmp_path, old, {"own.go": own.replace("Set(s string)", "Set(s string, n int)")}
    )
    assert places(review) == [(MAY_BREAK, "use.go", 5, "Value")]


def test_a_type_that_lost_an_interface_breaks_in_cases_and_results(tmp_path: Path) -> None:
    value = "package p\n\ntype Value interface {\n\tSet(s string) error\n}\n"
    own = "package p\n\ntype own struct{}\n\nfunc (o *own) Set(s string) error { return nil }\n"
    use = (
        "package p\n\nfunc is(v Value) bool {\n\tswitch v.(type) {\n\tcase *own:\n"
        "\t\treturn true\n\t}\n\treturn false\n}\n\n"
        "func give() Value { return &own{} }\n\nfunc other() any { return &own{} }\n"
    )
    old = {"go.mod": "module p\n", "value.go": value, "own.go": own, "use.go": use}
    review = reviewed(tmp_path, old, {"own.go": own.replace("Set(s", "Put(s")})
    assert places(review) == [
        (MAY_BREAK, "use.go", 5, "Value"),
        (MAY_BREAK, "use.go", 11, "Value"),
    ]


def test_a_value_that_is_taken_for_another_interface_goes_on(tmp_path: Path) -> None:
    values = (
        "package p\n\ntype Value interface {\n\tSet()\n}\n\ntype List interface {\n\tAdd()\n}\n"
    )
    own = (
        "package p\n\ntype own struct{}\n\nfunc newOwn() *own { return &own{} }\n\n"
        "func (o *own) Set() {}\n\nfunc (o *own) Add() {}\n"
    )
    use = (
        "package p\n\nfunc take(v Value) {}\n\nfunc all(v List) {}\n\nfunc run() {\n"
        "\ttake(newOwn())\n\tall(newOwn())\n}\n"
    )
    old = {"go.mod": "module p\n", "values.go": values, "own.go": own, "use.go": use}
    review = reviewed(tmp_path, old, {"own.go": own.replace("Add()", "Add(n int)")})
    assert places(review) == [(MAY_BREAK, "use.go", 9, "List")]


def test_lists_of_exports_and_code_behind_overloads_go_on(tmp_path: Path) -> None:
    own = (
        "export function f(a: string): string\nexport function f(a: number): string\n"
        "export function f(a: string | number): string { return '' }\n\n"
        "export function g(a: number): number { return a }\n"
    )
    index = "export {\n  f,\n  g,\n} from './own'\n"
    use = "import { f, g } from './index'\n\nf(1)\ng(1)\n"
    new = own.replace("string | number", "unknown").replace("g(a: number)", "g()")
    review = reviewed(tmp_path, {"own.ts": own, "index.ts": index, "use.ts": use}, {"own.ts": new})
    assert places(review) == [(BREAKS, "use.ts", 4, "g")]


def test_members_of_a_parameters_type_hide_no_function(tmp_path: Path) -> None:
    own = "export function f(a: number): number { return a }\n"
    use = "import { f } from './own'\n\nf(1)\n"
    new = own.replace("(a", "(b: { first: string }, a")
    review = reviewed(tmp_path, {"own.ts": own, "use.ts": use}, {"own.ts": new})
    assert places(review) == [(BREAKS, "use.ts", 3, "f")]


def test_an_argument_for_a_parameter_of_another_type_may_break(tmp_path: Path) -> None:
    own = "export function f(a: number, b?: string) { return a }\n"
    use = "import { f } from './own'\n\nf(1)\n"
    old = {"own.ts": own, "use.ts": use}
    review = reviewed(tmp_path / "one", old, {"own.ts": own.replace("a: number, ", "")})
    assert places(review) == [(MAY_BREAK, "use.ts", 3, "f")]
    other = own.replace("a: number", "first: number")
    assert places(reviewed(tmp_path / "other", old, {"own.ts": other})) == []


# --- sides


def test_the_same_change_from_every_side(tmp_path: Path) -> None:
    root = tmp_path / "root"
    commit(root, FILES)
    new = PRICES.replace("total(a, b=1)", "total(a)").replace("a * b", "a")
    write(root, {"shop/prices.py": new})
    patch = run_git(root, "diff").decode()
    opened = Reviewed(root, tmp_path / "data")
    expected = [
        (BREAKS, "shop/app.py", 8, "total"),
        (BREAKS, "shop/prices.py", 18, "total"),
    ]
    assert places(opened.review()) == expected
    assert places(opened.review(ChangeQuestion(patch=patch))) == expected  # it is applied already
    assert places(opened.review(ChangeQuestion(since="HEAD"))) == expected
    run_git(root, "add", "-A")
    assert places(opened.review(ChangeQuestion(staged=True))) == expected
    run_git(root, "commit", "-qm", "change")
    for question in (ChangeQuestion(rev="HEAD"), ChangeQuestion(rev="HEAD~1..HEAD")):
        assert places(opened.review(question)) == expected
    # another commit follows, in which all is mended: the one before broke it all the same
    mended = {
        "shop/app.py": USER.replace("sum_up(1, 2)", "sum_up(1)"),
        "shop/prices.py": new.replace("total(self.n, many)", "total(self.n)"),
    }
    commit(root, mended)
    opened.close()
    opened = Reviewed(root, tmp_path / "data")
    assert places(opened.review(ChangeQuestion(rev="HEAD~1"))) == expected
    assert places(opened.review(ChangeQuestion(rev="HEAD"))) == []
    assert places(opened.review(ChangeQuestion(rev="HEAD~2...HEAD"))) == []
    assert places(opened.review()) == []
    opened.close()


def test_a_patch_that_is_not_applied_is_reviewed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    commit(root, FILES)
    write(root, {"shop/prices.py": PRICES.replace("total(a, b=1)", "total(a)")})
    patch = run_git(root, "diff").decode()
    run_git(root, "checkout", "-q", ".")
    opened = Reviewed(root, tmp_path / "data")
    found = places(opened.review(ChangeQuestion(patch=patch)))
    assert (BREAKS, "shop/app.py", 8, "total") in found
    assert (root / "shop/prices.py").read_text() == PRICES
    opened.close()


def test_what_is_staged_is_told_from_what_is_not(tmp_path: Path) -> None:
    root = tmp_path / "root"
    commit(root, FILES)
    new = PRICES.replace("total(a, b=1)", "total(a)")
    write(root, {"shop/prices.py": new})
    run_git(root, "add", "-A")
    write(root, {"shop/prices.py": PRICES})
    opened = Reviewed(root, tmp_path / "data")
    assert opened.review().files == []
    found = places(opened.review(ChangeQuestion(staged=True)))
    assert (BREAKS, "shop/app.py", 8, "total") in found
    opened.close()


@pytest.mark.parametrize(
    "asked",
    [
        ChangeQuestion(rev="HEAD", staged=True),
        ChangeQuestion(rev="nothing"),
        ChangeQuestion(since="HEAD~99"),
        ChangeQuestion(patch="nothing"),
    ],
)
def test_wrong_questions_are_refused(asked: ChangeQuestion, tmp_path: Path) -> None:
    with pytest.raises(Problem) as refused:
        reviewed(tmp_path, {"a.py": "x = 1\n"}, {}, asked)
    assert refused.value.code == "argument_invalid"


def test_denied_files_are_no_part_of_a_review(tmp_path: Path) -> None:
    review = reviewed(
        tmp_path,
        {"a.py": "x = 1\n", ".env": "KEY=1\n"},
        {".env": "KEY=2\n", "a.py": "x = 2\n"},
    )
    assert [item.path for item in review.files] == ["a.py"]
    patch = "--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-KEY=1\n+KEY=2\n"
    with pytest.raises(Problem) as refused:
        reviewed(tmp_path / "other", {".env": "KEY=1\n"}, {}, ChangeQuestion(patch=patch))
    assert refused.value.code == "path_denied"


def test_only_a_part_of_a_change_is_reviewed(tmp_path: Path) -> None:
    new = {
        "shop/prices.py": PRICES.replace("def gone(x):\n    return helper(x)\n\n\n", ""),
        "shop/app.py": USER.replace("3", "4"),
    }
    review = reviewed(tmp_path, FILES, new, ChangeQuestion(path="shop/app.py"))
    assert [item.path for item in review.files] == ["shop/app.py"]


# --- tests


def test_tests_are_chosen_by_edges_and_names(tmp_path: Path) -> None:
    new = PRICES.replace("return helper(x)", "return helper(x) + 1")
    review = reviewed(tmp_path, FILES, {"shop/prices.py": new})
    (chosen,) = review.tests
    assert (chosen.path, list(chosen.names)) == ("tests/test_app.py", ["test_run"])


def test_tests_of_a_file_that_is_not_linked_in_time_are_those_of_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, path = tmp_path / "root", "shop/prices.py"
    commit(root, FILES)
    write(root, {path: PRICES.replace("return helper(x)", "return helper(x) + 1")})
    patch = run_git(root, "diff").decode()
    run_git(root, "checkout", "-q", ".")
    link = OnDemand.link

    def link_others(
        linker: OnDemand,
        text: Snapshot,
        asked: QuestionFiles,
        *rest: Any,  # noqa: ANN401 as it takes them
    ) -> LinkedNow | None:
        others = QuestionFiles([item for item in asked.paths if item != path])
        return link(linker, text, others, *rest)

    monkeypatch.setattr(OnDemand, "link", link_others)
    opened = Reviewed(root, tmp_path / "data")
    (chosen,) = opened.review(ChangeQuestion(patch=patch)).tests
    assert (chosen.path, list(chosen.names)) == ("tests/test_app.py", ["test_run"])
    opened.close()


def test_registered_functions_lead_to_those_who_read_the_register(tmp_path: Path) -> None:
    old = {
        "filters.py": "def upper(x):\n    return x\n\n\nFILTERS = {\n    'upper': upper,\n}\n",
        "engine.py": "from filters import FILTERS\n\n\ndef run(x):\n    return FILTERS[x](x)\n",
        "tests/test_engine.py": "from engine import run\n\n\ndef test_it():\n    run('upper')\n",
        "tests/test_none.py": "def test_nothing():\n    pass\n",
    }
    review = reviewed(
        tmp_path, old, {"filters.py": old["filters.py"].replace("return x", "return 2")}
    )
    assert [(item.path, list(item.names)) for item in review.tests] == [
        ("tests/test_engine.py", ["test_it"])
    ]


def test_who_reads_a_register_of_many_may_use_another_one(tmp_path: Path) -> None:
    names = [f"filter_{number}" for number in range(20)]
    functions = "".join(f"def {name}(x):\n    return 1\n\n\n" for name in names)
    entries = "".join(f"    '{name}': {name},\n" for name in names)
    old = {
        "filters.py": f"{functions}FILTERS = {{\n{entries}}}\n",
        "engine.py": "from filters import FILTERS\n\n\ndef run(x):\n"
        "    return sorted(FILTERS, key=x)\n",
        "tests/test_engine.py": "from engine import run\n\n\ndef test_it():\n    run('filter_1')\n",
        "tests/test_one.py": "from filters import filter_1\n\n\ndef test_it():\n    filter_1(0)\n",
    }
    new = old["filters.py"].replace("return 1", "return 2", 2)
    review = reviewed(tmp_path, old, {"filters.py": new})
    assert [(item.path, list(item.names), item.is_sure) for item in review.tests] == [
        ("tests/test_one.py", ["test_it"], True),
        ("tests/test_engine.py", ["test_it"], False),
    ]


def test_members_that_are_looked_up_lead_to_those_who_look(tmp_path: Path) -> None:
    visitor = (
        "class Visitor:\n    def visit(self):\n        return getattr(self, NAME)()\n\n\n"
        "class Own(Visitor):\n    def visit_a(self):\n        return 1\n"
    )
    old = {
        "visitor.py": visitor,
        "tests/test_visits.py": "from visitor import Own\n\n\ndef test_it():\n    Own().visit()\n",
    }
    review = reviewed(tmp_path, old, {"visitor.py": visitor.replace("return 1", "return 2")})
    assert [item.path for item in review.tests] == ["tests/test_visits.py"]


def chosen_by(tmp_path: Path, files: dict[str, str], path: str) -> dict[str, list[str]]:
    """The tests that a change of `1` to `2` in a file chooses."""
    review = reviewed(tmp_path, files, {path: files[path].replace("return 1", "return 2")})
    return {item.path: list(item.names) for item in review.tests}


def test_fixtures_lead_to_the_tests_that_ask_for_them(tmp_path: Path) -> None:
    files = {
        "app.py": "class App:\n    def run(self):\n        return 1\n",
        "tests/conftest.py": "import pytest\nfrom app import App\n\n\n@pytest.fixture\ndef app():\n"
        "    return App()\n",
        "tests/test_run.py": "def test_run(app):\n    app.run()\n\n\ndef test_other():\n    pass\n",
    }
    assert chosen_by(tmp_path, files, "app.py") == {"tests/test_run.py": ["test_run"]}


OVERRIDING = (
    "from abc import ABC\n\n\nclass Base(ABC):\n    def area(self):\n        pass\n\n\n"
    "class Shape(Base):\n    def area(self):\n        return 1\n"
)
ENCODING = (
    "import json\n\n\nclass Shape(json.JSONEncoder):\n    def default(self, o):\n        return 1\n"
)


def test_values_of_decorators_lead_to_the_tests_that_they_decorate(tmp_path: Path) -> None:
    old = {
        "shapes.py": "class A:\n    def run(self):\n        return 1\n\n\n"
        "class B(A):\n    def run(self):\n        return 2\n\n\ndef make():\n    return A()\n",
        "tests/test_shapes.py": "import pytest\nfrom shapes import A, B, make\n\nCASES = [B]\n\n\n"
        "@pytest.mark.parametrize('kind', [A])\ndef test_one(kind):\n    assert kind()\n\n\n"
        "@pytest.mark.parametrize('kind', CASES)\ndef test_two(kind):\n    assert kind()\n\n\n"
        "@pytest.fixture(params=[make])\ndef made(request):\n    return request.param()\n\n\n"
        "def test_three(made):\n    assert made\n\n\ndef test_none():\n    pass\n",
    }

    def chosen(number: int, before: str, behind: str) -> list[tuple[list[str], bool]]:
        new = old["shapes.py"].replace(before, behind)
        review = reviewed(tmp_path / str(number), old, {"shapes.py": new})
        return [(sorted(item.names), item.is_sure) for item in review.tests]

    assert chosen(1, "return A()", "return 3") == [(["test_three"], True)]
    assert chosen(2, "class B(A):", "class B:") == [(["test_two"], True)]
    assert chosen(3, "class A:", "class A(list):") == [
        (["test_one", "test_three", "test_two"], True)
    ]


def test_sure_tests_come_before_those_that_may_reach_a_change(tmp_path: Path) -> None:
    old = {
        "shop.py": "class Shop:\n    def __len__(self):\n        return one()\n\n\n"
        "def one():\n    return 1\n",
        "maker.py": "from shop import Shop\n\n\ndef make():\n    return Shop()\n",
        "tests/test_it.py": "from maker import make\nfrom shop import Shop, one\n\n\n"
        "def test_far():\n    assert make()\n\n\ndef test_len():\n    assert Shop()\n\n\n"
        "def test_one():\n    assert one()\n",
    }
    new = {"shop.py": old["shop.py"].replace("return 1\n", "return 2\n")}
    review = reviewed(tmp_path, old, new)
    assert [(item.names, item.is_sure) for item in review.tests] == [
        (["test_one", "test_len"], True),
        (["test_far"], False),
    ]
    # what is named after the changed file mostly runs it
    named = {"tests/test_shop.py": old.pop("tests/test_it.py"), **old}
    (chosen,) = reviewed(tmp_path / "named", named, new).tests
    assert chosen.is_sure
    assert set(chosen.names) == {"test_one", "test_len", "test_far"}


def test_who_uses_a_type_is_as_far_as_its_method_that_reaches_a_change(tmp_path: Path) -> None:
    chain = "".join(f"def f{n}():\n    return f{n - 1}()\n\n\n" for n in range(1, 6))
    old = {
        "shop.py": f"def f0():\n    return 1\n\n\n{chain}"
        "class Shop:\n    def __len__(self):\n        return f5()\n",
        "tests/test_a.py": "from shop import Shop\n\n\ndef test_far():\n    assert Shop()\n",
        "tests/test_b.py": "from shop import f2\n\n\ndef test_near():\n    assert f2()\n",
    }
    new = {"shop.py": old["shop.py"].replace("return 1\n", "return 2\n")}
    near, far = reviewed(tmp_path, old, new).tests
    assert (near.names, far.names) == (["test_near"], ["test_far"])
    assert near.nearness < far.nearness
    assert far.reasons[0].endswith("in 6 steps")


@pytest.mark.parametrize(
    "shape",
    [
        OVERRIDING,
        ENCODING,
        "class Shape:\n    def __eq__(self, other):\n        return 1\n",
        "class Shape:\n    def called_by_no_one(self):\n        return 1\n",
    ],
)
def test_a_method_that_no_edge_leads_to_is_run_by_users_of_its_type(
    tmp_path: Path, shape: str
) -> None:
    files = {
        "shape.py": shape,
        "tests/test_it.py": "from shape import Shape\n\n\ndef test_made():\n    Shape()\n\n\n"
        "def test_other():\n    pass\n",
        "tests/test_none.py": "def test_none():\n    pass\n",
    }
    assert chosen_by(tmp_path, files, "shape.py") == {"tests/test_it.py": ["test_made"]}


def test_a_member_of_an_object_is_run_by_tests_that_use_it_and_surely_if_they_name_it(
    tmp_path: Path,
) -> None:
    using = "const App = require('../app')\n\nmodule.exports.test%s = () => {\n  %s\n}\n"
    files = {
        "proto.js": "module.exports = {\n  set body (value) {\n    this.held = value\n  }\n}\n",
        "app.js": "const proto = require('./proto')\n\nclass App {\n  constructor () {\n"
        "    this.context = Object.create(proto)\n  }\n}\n\nmodule.exports = App\n",
        "test/one.test.js": using % ("One", "new App().use(it => { it.body = 1 })"),
        "test/two.test.js": using % ("Two", "new App().use(it => { it.state = 1 })"),
        "test/none.test.js": "module.exports.testNone = () => 1\n",
    }
    other = files["proto.js"].replace("= value", "= value + 1")
    found = reviewed(tmp_path, files, {"proto.js": other}).tests
    sure = {item.path: item.is_sure for item in found}
    assert sure == {"test/one.test.js": True, "test/two.test.js": False}


def test_a_function_in_a_member_is_made_by_it_and_not_by_users_of_its_object(
    tmp_path: Path,
) -> None:
    using = "const all = require('../all')\nmodule.exports"
    files = {
        "all.js": "module.exports = {\n  run () {\n    const inner = () => 1\n    return inner()\n"
        "  },\n  other () { return 2 }\n}\n",
        "test/a.test.js": f"{using}.testRun = () => all.run()\n",
        "test/b.test.js": f"{using}.testOther = () => all.other()\n",
    }
    found = reviewed(tmp_path, files, {"all.js": files["all.js"].replace("=> 1", "=> 3")}).tests
    reached = [item.path for item in found if any("reaches" in why for why in item.reasons)]
    assert reached == ["test/a.test.js"]


def test_a_function_that_is_named_in_a_text_alone_is_run_by_its_users(tmp_path: Path) -> None:
    files = {
        "parts.py": "def join_parts():\n    return 1\n",
        "maker.py": "def make():\n    return 'from parts import join_parts; join_parts()'\n",
        "tests/test_it.py": "from maker import make\n\n\ndef test_made():\n    exec(make())\n\n\n"
        "def test_other():\n    pass\n",
    }
    assert chosen_by(tmp_path, files, "parts.py") == {"tests/test_it.py": ["test_made"]}


def test_helpers_of_tests_choose_those_who_use_them(tmp_path: Path) -> None:
    head = "from app import run\n\n\ndef helper():\n    return run()\n\n\n"
    body = "def test_one():\n    helper()\n\n\ndef test_two():\n    pass\n"
    files = {"app.py": "def run():\n    return 1\n", "tests/test_it.py": head + body}
    assert chosen_by(tmp_path / "a", files, "app.py") == {"tests/test_it.py": ["test_one"]}
    files["tests/test_it.py"] = f"{head}MADE = helper()\n\n\n{body}"
    assert chosen_by(tmp_path / "b", files, "app.py") == {"tests/test_it.py": []}


def test_of_very_many_tests_all_of_the_file_are_chosen(tmp_path: Path) -> None:
    tests = "\n\n\n".join(f"def test_{number}():\n    run()" for number in range(60))
    files = {
        "app.py": "def run():\n    return 1\n",
        "tests/test_it.py": f"from app import run\n\n\n{tests}\n",
    }
    assert chosen_by(tmp_path, files, "app.py") == {"tests/test_it.py": []}


def test_tests_that_name_a_data_file_are_chosen(tmp_path: Path) -> None:
    old = {"rates.json": "{}\n", "tests/test_rates.py": "open('rates.json')\n"}
    review = reviewed(tmp_path, old, {"rates.json": "[]\n"})
    assert [item.path for item in review.tests] == ["tests/test_rates.py"]
    assert list(review.unparsed) == ["rates.json"]


def test_files_that_usually_change_along_are_missed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for number in range(4):
        commit(root, {"a.py": f"x = {number}\n", "b.py": f"y = {number}\n"})
    commit(root, {"c.py": "z = 1\n"})
    write(root, {"a.py": "x = 9\n"})
    opened = Reviewed(root, tmp_path / "data")
    review = opened.review()
    assert review.companions is not None
    assert [(item.path, item.together, item.of) for item in review.companions] == [("b.py", 4, 4)]
    write(root, {"b.py": "y = 9\n"})
    assert opened.review().companions == []
    opened.close()


def test_a_file_that_is_gone_by_now_is_not_missed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for number in range(4):
        commit(root, {"a.py": f"x = {number}\n", "b.py": f"y = {number}\n"})
    (root / "b.py").unlink()
    commit(root, {"c.py": "z = 1\n"})
    write(root, {"a.py": "x = 9\n"})
    opened = Reviewed(root, tmp_path / "data")
    assert opened.review().companions == []
    opened.close()


def test_commits_of_many_files_count_as_in_the_history_of_the_file(tmp_path: Path) -> None:
    root = tmp_path / "root"
    many = {f"more/{number}.txt": "text\n" for number in range(20)}
    commit(root, {"a.py": "x = 0\n", "b.py": "y = 0\n", **many})
    for number in range(1, 4):
        commit(root, {"a.py": f"x = {number}\n", "b.py": f"y = {number}\n"})
    write(root, {"a.py": "x = 9\n"})
    opened = Reviewed(root, tmp_path / "data")
    found = opened.review().companions or ()
    assert [(item.path, item.together, item.of) for item in found] == [("b.py", 4, 4)]
    opened.close()


def test_uses_that_are_known_by_name_alone_may_break(tmp_path: Path) -> None:
    old = {
        "a.py": "class A:\n    def only_here(self):\n        return 1\n\n    x = 1\n",
        "b.py": "def f(item):\n    return item.only_here()\n",
        "docs/a.md": "Call `only_here` for it.\n",
    }
    review = reviewed(tmp_path, old, {"a.py": "class A:\n    x = 1\n"})
    assert places(review) == [(MAY_BREAK, "b.py", 2, "A.only_here")]
    assert [item.confidence for item in review.places or ()] == ["possible"]
    assert list(review.mentions) == ["docs/a.md:1 `only_here`"]


def test_a_call_that_goes_with_another_overload_is_fine(tmp_path: Path) -> None:
    old = {
        "a.py": "from typing import overload\n\n\n@overload\ndef f(x: int) -> int: ...\n"
        "@overload\ndef f(x: int, y: str) -> str: ...\ndef f(x, y=None):\n    return x\n",
        "b.py": "from a import f\n\nf(1)\nf(1, 'x')\n",
    }
    less = old["a.py"].replace("def f(x: int, y: str)", "def f(x: int, y: str, z: str)")
    assert not [item for item in places(reviewed(tmp_path, old, {"a.py": less})) if item[2] == 3]


def test_documents_that_call_what_is_called_otherwise_are_named(tmp_path: Path) -> None:
    old = {
        "a.py": "def only_here(x):\n    return x\n",
        "docs/a.md": "Call `only_here(1)`.\n\nIt is called only_here.\n",
    }
    review = reviewed(tmp_path, old, {"a.py": old["a.py"].replace("(x)", "(x, y)")})
    assert list(review.mentions) == ["docs/a.md:1 `only_here(`"]


def test_a_name_that_others_have_says_nothing(tmp_path: Path) -> None:
    old = {
        "a.py": "class A:\n    def get(self):\n        return 1\n\n    x = 1\n",
        "b.py": "def f(item):\n    return item.get()\n\n\ndef get():\n    pass\n",
    }
    assert places(reviewed(tmp_path, old, {"a.py": "class A:\n    x = 1\n"})) == []


def test_an_import_that_nothing_uses_any_more_is_named(tmp_path: Path) -> None:
    old = {"a.py": "import os\nimport sys\n\nprint(os.sep, sys.argv)\n", "b.py": "x = 1\n"}
    review = reviewed(tmp_path, old, {"a.py": "import os\nimport sys\n\nprint(sys.argv)\n"})
    assert review.unused is not None
    assert [(item.kind, item.name, item.line) for item in review.unused] == [("import", "os", 1)]


def test_files_beside_the_part_that_is_reviewed_have_changed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for number in range(4):
        commit(root, {"a/a.py": f"x = {number}\n", "b/b.py": f"y = {number}\n"})
    write(root, {"a/a.py": "x = 9\n", "b/b.py": "y = 9\n"})
    opened = Reviewed(root, tmp_path / "data")
    review = opened.review(ChangeQuestion(path="a"))
    assert [item.path for item in review.files] == ["a/a.py"]
    assert review.companions == []
    opened.close()


@pytest.mark.parametrize("path", ["../outside.py", "/etc/passwd", "a/../../x", "link/secret.py"])
def test_a_patch_reads_nothing_outside(path: str, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("x = 1\n")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.py").write_text("x = 1\n")
    root = tmp_path / "root"
    commit(root, {"a.py": "x = 1\n"})
    (root / "link").symlink_to(tmp_path / "elsewhere")
    opened = Reviewed(root, tmp_path / "data")
    patch = f"--- {path}\n+++ {path}\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    with pytest.raises(Problem) as refused:
        opened.review(ChangeQuestion(patch=patch))
    assert refused.value.code in {"path_invalid", "path_outside", "patch_conflict"}
    opened.close()


def test_members_without_a_name_may_go(tmp_path: Path) -> None:
    maker = "(function () {\n  return function () {};\n})() as unknown as { new (): any }"
    before = f"const Empty = {maker};\n\nexport function parse() {{\n  return new Empty();\n}}\n"
    commit(tmp_path / "r", {"query.ts": before})
    behind = "export function parse() {\n  return Object.create(null);\n}\n"
    write(tmp_path / "r", {"query.ts": behind})
    review = Reviewed(tmp_path / "r", tmp_path / "data").review()
    gone = [change.before for change in review.declarations if change.kind == "removed"]
    assert "Empty" in [declared and declared.name for declared in gone]


def test_a_step_that_is_named_by_an_expression_may_go(tmp_path: Path) -> None:
    step = (
        "      - name: tox ${{ matrix.tox || format('py{0}', matrix.python) }}\n        run: tox\n"
    )
    begin = "name: Tests\non: push\njobs:\n  tests:\n    runs-on: ubuntu-latest\n    steps:\n"
    rest = "      - name: check\n        run: check\n"
    path = ".github/workflows/tests.yaml"
    review = reviewed(tmp_path, {path: begin + step + rest}, {path: begin + rest})
    gone = [change.before.name for change in review.declarations if change.before is not None]
    assert any("matrix.tox" in name for name in gone)
    assert review.mentions == []


def test_tests_that_call_what_has_changed_come_before_those_that_run_it_along(
    tmp_path: Path,
) -> None:
    steps = "".join(
        f"def step_{at}():\n    return step_{at + 1}()\n\n\n" for at in range(1, 6)
    ).replace("step_6()", "match(1)")
    files = {
        "shop/match.py": f"def match(a):\n    return a\n\n\n{steps}",
        "tests/conftest.py": (
            "import pytest\n\nfrom shop.match import match\n\n\n"
            "@pytest.fixture\ndef mail():\n    return match(1)\n"
        ),
        "tests/test_a_mail.py": "def test_mail(mail):\n    assert mail\n",
        "tests/test_far.py": (
            "from shop.match import step_1\n\n\ndef test_far():\n    assert step_1()\n"
        ),
        "tests/test_some.py": (
            "from shop.match import match, step_1, step_5\n\n\n"
            "def test_it():\n    assert match(1)\n\n\n"
            "def test_near():\n    assert step_5()\n\n\n"
            "def test_along():\n    assert step_1()\n"
        ),
    }
    changed = files["shop/match.py"].replace("return a\n", "return a + 1\n")
    review = reviewed(tmp_path, files, {"shop/match.py": changed})
    found = [(item.path, [*item.names], item.nearness) for item in review.tests if item.is_sure]
    assert found == [
        ("tests/test_some.py", ["test_it", "test_near"], DIRECT),
        ("tests/test_far.py", ["test_far"], INCIDENTAL),
        ("tests/test_a_mail.py", ["test_mail"], INCIDENTAL),
        ("tests/test_some.py", ["test_along"], INCIDENTAL),
    ]
