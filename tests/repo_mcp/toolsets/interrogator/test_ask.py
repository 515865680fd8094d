"""`repo.ask`: several questions in one call, each with a verdict and what comes next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.answers import asked
from repo_mcp.errors import Problem
from repo_mcp.toolsets.interrogator import symbol
from repo_mcp.toolsets.interrogator.asked_question import AskedQuestion, read_questions
from repo_mcp.toolsets.kit.services import ToolServices
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.toolsets.interrogator.test_symbol import FILES, Linked
from tests.repo_mcp.trees import write

NOTIFIERS = {
    f"notify/{name.lower()}.py": (
        "from notify.base import Notifier\n\n\n"
        f"class {name}Notifier(Notifier):\n    def send(self, text):\n        return text\n"
    )
    for name in ("Mail", "Slack", "Discord")
}
KINDS: dict[str, str | bytes] = {
    **FILES,
    **NOTIFIERS,
    "notify/base.py": "class Notifier:\n    def send(self, text):\n        return None\n",
    "notify/registry.py": (
        "from notify.discord import DiscordNotifier\nfrom notify.mail import MailNotifier\n"
        "from notify.slack import SlackNotifier\n\n\n"
        "ALL = {\n    'discord': DiscordNotifier,\n    'mail': MailNotifier,\n"
        "    'slack': SlackNotifier,\n}\n"
    ),
    "web/labels.json": '{\n  "discord": "Discord",\n  "mail": "Mail",\n  "slack": "Slack"\n}\n',
    "shop/config.py": "import os\n\nMAX_PRICE = int(os.environ.get('SHOP_MAX_PRICE', '9'))\n",
    "shop/limits.py": (
        "from shop import config\n\n\ndef is_allowed(price):\n    return price < config.MAX_PRICE\n"
    ),
    "shop/empty.py": "",
    "shop/receipt.py": "def print_receipt(sale):\n"
    + "".join(f"    sale.line_of_the_receipt_number_{at}(sale.items)\n" for at in range(60)),
    "docs/limits.md": "# Limits\n\nSet `maxPrice` (SHOP_MAX_PRICE) to the largest price.\n",
}


NOTIFIER_NAMES = ("MailNotifier", "SlackNotifier", "DiscordNotifier", "Notifier")


class Asking(Linked):
    """The tools of a repository whose graph is linked."""

    def ask(self, **arguments: object) -> dict[str, Any]:
        return self.result("repo.ask", **arguments)

    def part(self, **arguments: object) -> dict[str, Any]:
        """The one part of an answer."""
        (part,) = self.ask(**arguments)["parts"]
        found: dict[str, Any] = part
        return found

    def lines(self, **arguments: object) -> str:
        """The lines of all parts."""
        return "\n".join(line for part in self.ask(**arguments)["parts"] for line in part["lines"])


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Asking:
    folder = tmp_path_factory.mktemp("asked")
    asking = Asking(write(folder / "root", KINDS), folder / "data")
    asking.linked()
    return asking


def test_several_questions_are_answered_in_one_call(call: Asking) -> None:
    found = call.ask(
        names=["Card.pay", "shop/till.py:4-5", '"return len(str"'],
        more=["uses: check", "where is a price limited"],
    )
    titles = [part["title"] for part in found["parts"]]
    assert titles == [
        "shop/till.py:4-5",
        "Card.pay",
        '"return len(str"',
        "uses check",
        "where is a price limited",
    ]
    lines = ["\n".join(part["lines"]) for part in found["parts"]]
    assert "5:     return Card().pay(price)" in lines[0]
    assert "in sell" in lines[1]
    assert "shop/cards.py" in lines[2]
    assert "in Card.pay" in lines[3]
    assert "shop/limits.py" in lines[4]


def test_the_verdict_says_what_is_open(call: Asking) -> None:
    sure = call.part(names=["check"], want="uses")
    assert sure["verdict"].startswith(("answered", "several meanings"))
    absent = call.part(names=["NotDeclaredAnywhere"], want="uses")
    assert absent["verdict"].startswith("not in this repository")
    both = call.ask(names=["sell", "NotDeclaredAnywhere"], want="uses")
    assert both["verdict"].startswith("partly: open in 1 of 2 parts: ")
    assert "NotDeclaredAnywhere" in both["verdict"]


def test_names_that_are_no_symbol_are_looked_for_as_text(call: Asking) -> None:
    part = call.part(names=["SHOP_MAX_PRICE_UNKNOWN"])
    assert part["verdict"].startswith("not in this repository")
    assert not part["lines"]
    text = call.part(names=["largest price"])
    assert text["verdict"] == "answered"
    assert "docs/limits.md" in text["lines"]


def test_files_lines_and_folders_are_opened(call: Asking) -> None:
    part = call.part(names=["shop/till.py:4-5", "shop/base.py"])
    assert "shop/till.py:4-5 of 9" in part["lines"][0]
    assert any("class Account" in line for line in part["lines"])
    folder = call.part(names=["notify/"])
    assert folder["title"] == "outline notify"
    assert "MailNotifier" in "\n".join(folder["lines"])


def test_tests_of_a_symbol_stand_alone(call: Asking) -> None:
    part = call.part(names=["Card.pay"], want="tests")
    lines = "\n".join(part["lines"])
    assert "test_pay" in lines
    assert "used in code" not in lines


def test_a_setting_is_found_in_any_spelling(call: Asking) -> None:
    lines = call.lines(names=["MAX_PRICE"], want="setting")
    for path in ("shop/config.py", "shop/limits.py", "docs/limits.md"):
        assert path in lines
    assert "maxPrice" in lines


def test_another_of_a_kind_needs_what_its_siblings_have(call: Asking) -> None:
    part = call.part(names=["SlackNotifier"], want="plan")
    lines = "\n".join(part["lines"])
    assert part["verdict"] == "answered"
    assert "kind: Notifier (class, notify/base.py:1)" in lines
    assert "notify/registry.py (2 others)" in lines
    assert "9: 'slack': SlackNotifier," in lines
    assert "web/labels.json (2 others)" in lines
    assert "notify/slack.py (2 others)" in lines
    of_base = call.part(names=["Notifier"], want="plan")
    assert "3 symbols of it" in "\n".join(of_base["lines"])
    both = call.ask(names=["SlackNotifier", "MailNotifier"], want="plan")["parts"]
    assert [*both[0]["lines"]] == part["lines"]
    assert both[1]["lines"] == ["Notifier, as for SlackNotifier"]
    alone = call.part(names=["Long"], want="plan")
    assert alone["verdict"].startswith("not in this repository")


def test_a_flow_is_a_tree_of_calls(call: Asking) -> None:
    part = call.part(want="flow", **{"from": "sell", "to": "check"})
    assert part["verdict"] == "answered"
    steps = [line.strip() for line in part["lines"]]
    assert steps[0].startswith("shop.till.sell shop/till.py:4")
    assert any("Card.pay" in step for step in steps)
    assert any("check shop/cards.py:9" in step for step in steps)
    apart = call.part(want="flow", **{"from": "Long.part_1", "to": "check"})
    assert apart["verdict"].startswith("partly: no way of calls joins")


def test_a_report_gets_places(call: Asking) -> None:
    report = "Traceback (most recent call last):\n" + '  File "shop/till.py", line 5, in sell\n'
    part = call.part(question=f"{report}ValueError: price")
    assert part["title"] == "places for the report"
    assert "shop/till.py" in "\n".join(part["lines"])


def test_nothing_asked_is_an_error_that_says_so(call: Asking) -> None:
    assert "question or names" in call.refusal("repo.ask")["reason"]
    assert "want must be one of" in call.refusal("repo.ask", names=["a"], want="x")["reason"]


def test_a_part_that_is_refused_leaves_the_others(call: Asking) -> None:
    found = call.ask(names=["sell"], more=["why: sell"])
    titles = [part["title"] for part in found["parts"]]
    assert titles[0] == "sell"
    assert len(titles) == 2


@pytest.mark.parametrize("most", [2_000, 6_000, 20_000])
def test_the_answer_fits_its_size(call: Asking, most: int) -> None:
    names = ["shop/long.py", *(f"Long.part_{number}" for number in range(9))]
    more = [f"uses: Long.part_{number}" for number in range(10, 19)]
    answer = call.answer("repo.ask", names=names, more=more, max_chars=most)
    parts = len(answer["structuredContent"]["result"]["parts"])
    assert parts == 19 if most > 6_000 else 1 <= parts < 19


def test_the_next_page_of_a_part_is_a_call_that_is_written_out(call: Asking) -> None:
    names = ['"sale.line_of_the_receipt"', '"return text"']
    part = call.ask(names=names, max_chars=6_000)["parts"][0]
    tool, _, given = part["next"].partition(" ")
    assert tool == "repo.search"
    first = "\n".join(part["lines"])
    page = call.result(tool, **json.loads(given))
    assert "receipt_number_0(" in first
    later = [line for file in page["files"] for line in file["lines"].split("\n")]
    assert any("receipt_number_59(" in line for line in later)
    assert not any(line in first for line in later)


def test_what_does_not_fit_is_no_answer(call: Asking) -> None:
    part = call.part(names=["shop/long.py"], max_chars=2_000)
    assert part["verdict"].startswith("partly")
    assert part["next"]


def test_a_function_is_whole_where_other_parts_leave_room(call: Asking) -> None:
    names = ["print_receipt", *NOTIFIER_NAMES]
    roomy = call.ask(names=names, max_chars=12_000)
    assert [part["title"] for part in roomy["parts"]] == names
    assert any("receipt_number_59" in line for line in roomy["parts"][0]["lines"])
    tight = call.ask(names=names, max_chars=4_000)
    assert not any("receipt_number_59" in line for line in tight["parts"][0]["lines"])


def test_what_begins_with_a_slash_may_be_a_route(call: Asking) -> None:
    part = call.part(names=["/checkout"])
    assert part["verdict"].startswith("not in this repository: no line matches")


def test_a_place_that_cannot_be_read_is_no_answer(call: Asking) -> None:
    assert "outside" in call.part(names=["/etc/hosts.conf"])["verdict"]
    part = call.part(names=["shop/till.py:4-5", "../hosts.conf"])
    assert part["verdict"] == "partly: 1 of 2 places can't be read"
    opened = call.answer("repo.open_file", path="shop/till.py", ranges=["4-5", "../hosts.conf"])
    assert opened["structuredContent"]["verdict"] == part["verdict"]
    assert "../hosts.conf: the path leads outside the repository" in part["lines"]
    assert call.part(names=["shop/till.py:4-5", "shop/empty.py"])["verdict"] == "answered"


def test_a_range_of_a_file_that_is_not_there_is_no_name(call: Asking) -> None:
    found = call.ask(names=["shop/none.py:1-2", "sell"])
    assert [part["title"] for part in found["parts"]] == ["shop/none.py:1-2", "sell"]
    assert found["parts"][0]["verdict"].startswith("partly: there is no such file")


def test_a_name_that_only_a_whole_graph_tells_leaves_the_other_parts(
    call: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = symbol.find_symbol

    def find_linked(services: ToolServices, name: str, *given: Any) -> object:  # noqa: ANN401 as it is given
        if name == "Card":
            raise Problem("graph_missing")
        return find(services, name, *given)

    monkeypatch.setattr(symbol, "find_symbol", find_linked)
    both = call.ask(names=["Card", "sell"], question="where is a price checked", want="auto")
    titles = [part["title"] for part in both["parts"]]
    assert titles == ['"Card"', "sell", "where is a price checked"]
    assert any("class Card" in line for line in both["parts"][0]["lines"])
    assert both["parts"][0]["verdict"].startswith("partly: the symbols of the repository are being")
    alone = call.ask(names=["Card"], question="where is a price checked", want="auto")["parts"]
    assert alone[0]["verdict"].startswith("partly: the symbols of the repository are being linked")
    assert alone[1]["title"] == "where is a price checked"


def test_names_beyond_the_limit_are_left_for_another_call(call: Asking) -> None:
    names = [f"Long.part_{number}" for number in range(12)]
    answer = call.answer("repo.ask", names=names)["structuredContent"]
    assert "left for another call: Long.part_10, Long.part_11" in answer["warnings"]
    assert len(answer["result"]["parts"]) == 10


@pytest.mark.servers
def test_questions_may_be_about_a_revision(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "def old():\n    return 1\n"})
    run_git(root, "init", "-q")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-q", "-m", "first")
    write(root, {"a.py": "def new():\n    return 1\n"})
    run_git(root, "commit", "-q", "-a", "-m", "second")
    asking = Asking(root, tmp_path / "data")
    asking.linked()
    assert asking.part(names=["old"])["verdict"].startswith("not in this repository")
    assert "def old" in "\n".join(asking.part(names=["old"], rev="HEAD~1")["lines"])
    assert "first" in asking.lines(names=["a.py"], want="why", rev="HEAD~1")


@pytest.mark.servers
def test_the_next_page_of_a_revision_is_of_that_revision(tmp_path: Path) -> None:
    rows = "".join(f"value_{number} = 'a line that was written once'\n" for number in range(200))
    root = write(tmp_path / "root", {"a.py": rows})
    run_git(root, "init", "-q")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-q", "-m", "first")
    write(root, {"a.py": "def new():\n    return 1\n"})
    run_git(root, "commit", "-q", "-a", "-m", "second")
    asking = Asking(root, tmp_path / "data")
    part = asking.part(names=['"written once"'], rev="HEAD~1", max_chars=4_000)
    tool, _, given = part["next"].partition(" ")
    (page,) = asking.result(tool, **json.loads(given))["files"]
    assert page["path"] == "a.py"
    for number in range(12):
        run_git(root, "commit", "-q", "--allow-empty", "-m", f"third {number}")
        write(root, {"a.py": f"def new():\n    return {number}\n"})
        run_git(root, "commit", "-q", "-a", "-m", f"fourth {number}")
    part = asking.part(names=["a.py"], want="why", rev="HEAD~1")
    tool, _, given = part["next"].partition(" ")
    assert tool == "repo.history"
    assert asking.result(tool, **json.loads(given))["commits"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"names": ["a.b"]}, AskedQuestion(names=("a.b",))),
        ({"question": "uses: a.b, c"}, AskedQuestion(names=("a.b", "c"), want="uses")),
        ({"question": "flow: a -> b"}, AskedQuestion(want="flow", start="a", end="b")),
        ({"question": "Shop.pay"}, AskedQuestion(names=("Shop.pay",))),
        (
            {"question": "who calls Shop.pay"},
            AskedQuestion("who calls Shop.pay", ("Shop.pay",), "uses"),
        ),
        (
            {"question": "which tests cover Shop.pay?"},
            AskedQuestion("which tests cover Shop.pay?", ("Shop.pay",), "tests"),
        ),
        (
            {"question": "why is Shop.pay so slow"},
            AskedQuestion("why is Shop.pay so slow", ("Shop.pay",), "why"),
        ),
        (
            {"question": "where are prices limited"},
            AskedQuestion("where are prices limited", (), "where"),
        ),
        ({"question": "x " * 80}, AskedQuestion(("x " * 80).strip(), (), "fix")),
        ({"want": "tour"}, AskedQuestion(want="tour")),
    ],
)
def test_questions_are_read(given: dict[str, Any], expected: AskedQuestion) -> None:
    fields = {"more": None, **given}
    assert read_questions(fields) == [expected]


def test_further_questions_may_be_objects(call: Asking) -> None:
    of_object: dict[str, object] = {"names": ["check"], "want": "uses"}
    found = call.ask(names=["sell"], more=[of_object])
    assert [part["title"] for part in found["parts"]] == ["sell", "uses check"]
    of_text = call.ask(names=["sell"], more=[json.dumps(of_object)])
    assert of_text["parts"] == found["parts"]
    assert asked.USES in asked.WANTS


def test_the_first_answer_says_what_the_repository_is(tmp_path: Path) -> None:
    fresh = Linked(write(tmp_path / "root", KINDS), tmp_path / "data").linked()
    first = fresh.result("repo.ask", names=["sell"])
    assert "python" in first["tour"]
    assert fresh.result("repo.ask", names=["sell"])["tour"] == ""
    (tour,) = fresh.result("repo.ask", want="tour")["parts"]
    assert any(line.startswith("tests: tests") for line in tour["lines"])


def test_before_all_is_linked_nothing_is_said_to_be_absent(tmp_path: Path) -> None:
    fresh = Caller(write(tmp_path / "root", KINDS), tmp_path / "data")
    found = fresh("repo.ask", names=["sell"], want="uses")
    if found["ok"]:
        for part in found["result"]["parts"]:
            assert not part["verdict"].startswith("not in this repository")


def test_names_that_say_what_they_want_are_further_questions() -> None:
    given = {"more": None, "names": ["sell", "uses: check, pay"], "want": "fix", "question": "lost"}
    assert read_questions(given) == [
        AskedQuestion("lost", ("sell",), "fix"),
        AskedQuestion(names=("check", "pay"), want="uses"),
    ]
