"""Owners in queries, in answers to questions, and of changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.changes.reviews import reviewed
from tests.repo_mcp.toolsets.interrogator.test_symbol import Linked
from tests.repo_mcp.tree_files import write

FILES: dict[str, str | bytes] = {
    ".github/CODEOWNERS": "* @shop/all\n/pay/ @shop/pay jane@x.org\n/free/\n",
    "MAINTAINERS": "TAX RULES\nM:\tTed Tax <ted@x.org>\nF:\tpay/tax.py\n",
    "pay/tax.py": "def retry_tax(price):\n    return price * 2\n",
    "pay/card.py": "def retry_card(price):\n    return price\n",
    "web/page.py": "def retry_page(price):\n    return price\n",
    "free/any.py": "def retry_any(price):\n    return price\n",
}


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Linked:
    folder = tmp_path_factory.mktemp("owned")
    caller = Linked(write(folder / "root", FILES), folder / "data")
    caller.linked()
    return caller


def paths(call: Linked, query: str) -> set[str]:
    return {hit["path"] for hit in call.result("repo.search", query=query)["hits"]}


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("owner:@shop/pay", {"pay/tax.py", "pay/card.py"}),
        ("owner:jane", {"pay/tax.py", "pay/card.py"}),
        ('owner:"Tax Rules"', {"pay/tax.py"}),
        ("owner:ted@x.org", {"pay/tax.py"}),
        ("owner:shop/all", {"web/page.py"}),
        ("-owner:@shop/pay ext:py", {"web/page.py", "free/any.py"}),
        ("owner:@shop/pay -owner:ted", {"pay/card.py"}),
    ],
)
def test_a_query_is_limited_to_the_files_of_an_owner(
    call: Linked, condition: str, expected: set[str]
) -> None:
    assert paths(call, f"retry price {condition}") == expected
    assert paths(call, f"{condition} retry price") == expected


def test_a_name_that_nobody_has_is_a_word(call: Linked) -> None:
    answer = call("repo.search", query="retry owner:card")
    assert answer["result"]["hits"][0]["path"] == "pay/card.py"
    assert any("nobody of this name owns a file" in text for text in answer["warnings"])


def ask(call: Linked, **arguments: object) -> dict[str, Any]:
    (part,) = call.result("repo.ask", **arguments)["parts"]
    found: dict[str, Any] = part
    return found


@pytest.mark.parametrize(
    "arguments",
    [
        {"question": "who owns pay/tax.py?"},
        {"names": ["pay/tax.py"], "want": "owners"},
        {"names": ["retry_tax"], "want": "owners"},
        {"more": ["owners: pay/tax.py"]},
    ],
)
def test_the_owners_of_a_file_are_told_with_their_places(
    call: Linked, arguments: dict[str, object]
) -> None:
    part = ask(call, **arguments)
    assert part["verdict"] == "answered"
    assert part["lines"] == [
        "pay/tax.py",
        " owner: @shop/pay, jane@x.org (/pay/ .github/CODEOWNERS:2)",
        " maintainer: Ted Tax <ted@x.org> (TAX RULES, pay/tax.py MAINTAINERS:3)",
    ]


def test_a_part_of_the_repository_has_a_title(call: Linked) -> None:
    part = ask(call, question="who maintains the tax rules")
    assert part["lines"] == [
        "maintainer: Ted Tax <ted@x.org> (TAX RULES, pay/tax.py MAINTAINERS:3)"
    ]


def test_what_somebody_owns_is_counted(call: Linked) -> None:
    part = ask(call, names=["jane@x.org"], want="owners")
    assert part["lines"][:2] == ["jane@x.org owns 2 files", " pay: 2"]


def test_a_folder_has_the_owners_of_its_files(call: Linked) -> None:
    part = ask(call, names=["pay/"], want="owners")
    assert part["lines"] == [
        "pay: 2 files",
        " @shop/pay: 2",
        " jane@x.org: 2",
        " Ted Tax <ted@x.org> (maintainer): 1",
    ]


def test_a_question_that_names_no_part_is_one_about_code_too(call: Linked) -> None:
    owners, places = call.result("repo.ask", question="who owns the retried card")["parts"]
    assert owners["verdict"].startswith("partly: no part and no owner has this name")
    assert owners["lines"][:2] == [
        "pay/card.py",
        " owner: @shop/pay, jane@x.org (/pay/ .github/CODEOWNERS:2)",
    ]
    assert any("def retry_card" in line for line in places["lines"])


def test_files_without_owners_leave_the_question_open(call: Linked) -> None:
    part = ask(call, names=["free/any.py"], want="owners")
    assert part["verdict"] == "partly: no file says who owns it"


def test_without_a_file_that_says_so_the_verdict_says_what_is_missing(tmp_path: Path) -> None:
    caller = Linked(write(tmp_path / "root", {"a.py": "x = 1\n"}), tmp_path / "data")
    caller.linked()
    part = ask(caller, names=["a.py"], want="owners")
    assert part["verdict"] == (
        "not in this repository: no CODEOWNERS, MAINTAINERS or OWNERS is here"
    )


@pytest.mark.servers
def test_a_change_is_reviewed_by_the_owners_before_it(tmp_path: Path) -> None:
    old = {path: text for path, text in FILES.items() if isinstance(text, str)}
    new = {
        ".github/CODEOWNERS": "* @thief\n",
        "pay/tax.py": "def retry_tax(price):\n    return price * 3\n",
        "pay/card.py": "def retry_card(price):\n    return 0\n",
    }
    review = reviewed(tmp_path, old, new, linked=False)
    assert review.owners == [
        "@shop/pay: 2 files, as pay/card.py",
        "jane@x.org: 2 files, as pay/card.py",
        "@shop/all: .github/CODEOWNERS",
        "Ted Tax <ted@x.org> (maintainer): pay/tax.py",
    ]


@pytest.mark.servers
def test_nobody_owns_what_the_change_itself_gives_them(tmp_path: Path) -> None:
    new = {"CODEOWNERS": "* @thief\n", "a.py": "x = 2\n"}
    assert reviewed(tmp_path, {"a.py": "x = 1\n"}, new, linked=False).owners == []
