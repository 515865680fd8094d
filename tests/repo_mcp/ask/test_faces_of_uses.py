"""Every face gives the same uses of a method that is called through an interface or a base.

Each tree has one method that nothing calls by its own type: an answer that leaves the call out may
neither be empty nor say that it is complete.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from repo_mcp.ask import Doubt
from tests.repo_mcp.cli.graph.graph_process import Commands
from tests.repo_mcp.toolsets.codeagent.test_graph_tools import Graph
from tests.repo_mcp.toolsets.interrogator.test_symbol import Linked
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.web.browsing import Browser


class Dispatched(NamedTuple):
    """A tree in which the only call of a method goes through what it overrides."""

    files: Mapping[str, str]
    # the method, and the place and function of the call
    name: str
    place: str
    caller: str
    # reaches the caller
    outer: str

    @property
    def tree(self) -> dict[str, str | bytes]:
        """The files as bytes or text."""
        return {**self.files}


TREES = {
    "python": Dispatched(
        {
            "base.py": (
                "from abc import ABC, abstractmethod\n\n\nclass Account(ABC):\n"
                "    @abstractmethod\n    def pay(self, amount): ...\n"
            ),
            "card.py": (
                "from base import Account\n\n\nclass Card(Account):\n"
                "    def pay(self, amount):\n        return amount\n"
            ),
            "till.py": (
                "from base import Account\n\n\ndef charge(account: Account):\n"
                "    return account.pay(1)\n\n\ndef close(account: Account):\n"
                "    return charge(account)\n"
            ),
        },
        "Card.pay",
        "till.py:5",
        "charge",
        "close",
    ),
    "java": Dispatched(
        {
            "shop/Store.java": "package shop;\n\npublic interface Store { void save(String k); }\n",
            "shop/FileStore.java": (
                "package shop;\n\npublic class FileStore implements Store {\n"
                "    public void save(String key) { }\n}\n"
            ),
            "shop/Keeper.java": (
                "package shop;\n\npublic class Keeper {\n    private final Store store;\n"
                "    Keeper(Store store) { this.store = store; }\n"
                '    void keep() {\n        store.save("a");\n    }\n'
                "    void close() {\n        keep();\n    }\n}\n"
            ),
        },
        "FileStore.save",
        "shop/Keeper.java:7",
        "keep",
        "close",
    ),
    "csharp": Dispatched(
        {
            "ISender.cs": "namespace Shop;\npublic interface ISender { void Send(string text); }\n",
            "Mailer.cs": (
                "namespace Shop;\npublic class Mailer : ISender {\n"
                "    public void Send(string text) { }\n}\n"
            ),
            "Notifier.cs": (
                "namespace Shop;\npublic class Notifier {\n    private readonly ISender sender;\n"
                "    public Notifier(ISender sender) { this.sender = sender; }\n"
                '    public void Notify() {\n        sender.Send("x");\n    }\n'
                "    public void Close() { Notify(); }\n}\n"
            ),
        },
        "Mailer.Send",
        "Notifier.cs:6",
        "Notify",
        "Close",
    ),
    "typescript": Dispatched(
        {
            "sink.ts": "export interface Sink { write(text: string): void }\n",
            "file.ts": (
                'import { Sink } from "./sink";\n\nexport class FileSink implements Sink {\n'
                "  write(text: string): void {}\n}\n"
            ),
            "emit.ts": (
                'import { Sink } from "./sink";\n\nexport function emit(sink: Sink): void {\n'
                '  sink.write("x");\n}\n\nexport function close(sink: Sink): void {\n'
                "  emit(sink);\n}\n"
            ),
        },
        "FileSink.write",
        "emit.ts:4",
        "emit",
        "close",
    ),
    "go": Dispatched(
        {
            "go.mod": "module example.com/shop\n",
            "reader.go": "package shop\n\ntype Reader interface{ Fetch(key string) string }\n",
            "disk.go": (
                "package shop\n\ntype Disk struct{}\n\n"
                "func (d *Disk) Fetch(key string) string { return key }\n"
            ),
            "load.go": (
                'package shop\n\nfunc load(r Reader) string {\n\treturn r.Fetch("k")\n}\n\n'
                "func closeAll(r Reader) string {\n\treturn load(r)\n}\n"
            ),
        },
        "Disk.Fetch",
        "load.go:4",
        "load",
        "closeAll",
    ),
}


@pytest.fixture(params=TREES)
def tree(request: pytest.FixtureRequest) -> Dispatched:
    """The tree of one language."""
    return TREES[request.param]


def test_the_tools_list_the_call_and_its_callers(tree: Dispatched, tmp_path: Path) -> None:
    call = Graph(write(tmp_path / "root", tree.tree), tmp_path / "data").linked()
    path, _, line = tree.place.partition(":")
    for tool in ("get_callers", "get_references", "get_dependents"):
        answer = call(tool, node_id=tree.name)
        places = {
            (row["name"], row["confidence"], row["seen_in"], place.partition(":")[0])
            for row in answer["results"]
            for place in row["places"]
            if row["edge_type"] == "calls"
        }
        assert places == {(tree.caller, "dispatch", path, line)}, tool
        assert answer["complete_list"] is True, tool
        assert not answer.get("could_add"), tool
    impact = call("get_impact", node_id=tree.name)
    assert {row["name"] for row in impact["results"]} == {tree.caller, tree.outer}
    way = call("get_path", source=tree.outer, target=tree.name)["results"]
    assert [step["confidence"] for step in way] == ["exact", "dispatch"]
    assert call("get_symbol", node_id=tree.name)["reference_count"] == 1


def test_a_tool_that_leaves_the_call_out_counts_it(tree: Dispatched, tmp_path: Path) -> None:
    call = Graph(write(tmp_path / "root", tree.tree), tmp_path / "data").linked()
    answer = call("get_callers", node_id=tree.name, include_dispatch=False)
    assert answer["results"] == []
    assert (answer["complete_list"], answer["could_add"]) == (False, [tree.place])


def test_the_commands_list_the_call_and_its_callers(
    tree: Dispatched,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    commands = Commands(tmp_path, tree.tree, monkeypatch, capfd)
    for command in ("callers", "refs", "dependents", "impact"):
        facts = commands(command, tree.name, "--json").facts
        assert facts["complete_list"] is True, command
        places = {
            f"{place['file_path']}:{place['line']}"
            for row in facts["results"]
            if row["distance"] == 1 and row["edge_type"] == "calls"
            for place in row["places"]
        }
        assert places == {tree.place}, command
        without = commands(command, tree.name, "--confidence", "contract", "--json").facts
        assert (without["complete_list"], without["could_add"]) == (False, [tree.place]), command
    steps = commands("path", tree.outer, tree.name, "--json").facts["steps"]
    assert [step["confidence"] for step in steps] == ["exact", "dispatch"]
    used = commands("symbol", tree.name, "--json").facts
    assert [f"{row['path']}:{row['line']}" for row in used["callers"]] == [tree.place]
    assert used["complete_list"] is True


def test_the_page_lists_the_call(tree: Dispatched, tmp_path: Path) -> None:
    browser = Browser(tmp_path, tree.tree)
    page = browser.get(f"/symbol?name={tree.name}").text
    assert "Nothing calls it." not in page
    assert "Nothing uses it." not in page
    assert re.search(r"\b1 reference\b", page)
    assert tree.place in page


EXTENSION: dict[str, str | bytes] = {
    "Texts.cs": (
        "namespace Shop.Texts;\npublic static class Texts {\n"
        "    public static string Shout(this string text) => text;\n}\n"
    ),
    "Label.cs": (
        "using Shop.Texts;\nusing Far;\nnamespace Shop;\npublic class Label {\n"
        "    public string Loud() {\n        return Source.Get(1).Name.Shout();\n    }\n}\n"
    ),
}


def test_an_extension_is_called_on_what_something_outside_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    call = Graph(write(tmp_path / "root", EXTENSION), tmp_path / "data").linked()
    answer = call("get_callers", node_id="Texts.Shout")
    rows = [(row["name"], row["confidence"], row["seen_in"]) for row in answer["results"]]
    assert (rows, answer["complete_list"]) == ([("Loud", "probable", "Label.cs")], True)
    (tmp_path / "shell").mkdir()
    commands = Commands(tmp_path / "shell", EXTENSION, monkeypatch, capfd)
    assert [line.split(": ")[1] for line in commands("callers", "Texts.Shout").lines] == [
        "Shop.Label.Loud [probable]"
    ]
    (tmp_path / "pages").mkdir()
    page = Browser(tmp_path / "pages", EXTENSION).get("/symbol?name=Texts.Shout").text
    assert "Label.cs:6" in page


@pytest.mark.parametrize(
    "other",
    [
        # another declaration that may be meant
        {"Own.cs": "class Own { public string Shout() => null; }\n"},
        # without the using, no extension is seen
        {"Label.cs": str(EXTENSION["Label.cs"]).replace("using Shop.Texts;\n", "\n")},
        # with another number of arguments
        {"Label.cs": str(EXTENSION["Label.cs"]).replace("Shout()", "Shout(1)")},
    ],
)
def test_an_extension_is_not_called_where_another_method_may_be_meant(
    other: dict[str, str | bytes], tmp_path: Path
) -> None:
    call = Graph(write(tmp_path / "root", {**EXTENSION, **other}), tmp_path / "data").linked()
    assert call("get_callers", node_id="Texts.Shout")["results"] == []


def test_a_list_is_not_complete_where_a_file_with_the_name_is_not_parsed_whole(
    tmp_path: Path,
) -> None:
    whole = "class Box { void open() {} void run() { open(); } }\n"
    files: dict[str, str | bytes] = {
        "Box.java": whole,
        "Odd.java": "class Odd { ~%& ( here { void use(Box box) { box.open(); } }\n",
    }
    call = Graph(write(tmp_path / "root", files), tmp_path / "data").linked()
    answer = call("get_references", node_id="Box.open")
    assert answer["complete_list"] is False
    assert Doubt.PARTIAL in answer["doubts"]
    write(tmp_path / "root", {"Odd.java": "class Odd { void use(Box box) { box.open(); } }\n"})
    assert call.linked()("get_references", node_id="Box.open")["complete_list"] is True


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.cpp", "struct P { P(); bool operator==(const P& o) const; };\nP p;\n", "P.operator=="),
        ("a.cpp", "struct P {\n P();\n};\nP p;\n", "a.cpp:2"),
        ("a.py", "class P:\n    def __eq__(self, other):\n        return True\n", "P.__eq__"),
        ("a.rb", "class P\n  def <=>(other)\n    1\n  end\nend\n", "a.rb:2"),
        ("A.cs", "class P { public int this[int at] => at; }\n", "P.this"),
    ],
)
def test_a_list_of_what_syntax_uses_without_a_name_is_not_complete(
    tmp_path: Path, path: str, text: str, name: str
) -> None:
    call = Graph(write(tmp_path / "root", {path: text}), tmp_path / "data").linked()
    answer = call("get_references", node_id=name)
    assert (answer["complete_list"], Doubt.SYNTAX in answer["doubts"]) == (False, True)


OVERLOADS: dict[str, str | bytes] = {
    "shop/Store.java": (
        "package shop;\n\npublic class Store {\n"
        "    public void save(String key) { }\n"
        "    public void save(String key, int times) { }\n}\n"
    ),
    "shop/Keeper.java": (
        "package shop;\n\npublic class Keeper {\n"
        '    void once(Store store) {\n        store.save("a");\n    }\n'
        '    void twice(Store store) {\n        store.save("a", 2);\n    }\n}\n'
    ),
}
USES_OF_OVERLOADS = ("shop/Keeper.java:5", "shop/Keeper.java:8")


def test_a_name_alone_means_its_overloads_at_every_face(tmp_path: Path) -> None:
    root = write(tmp_path / "root", OVERLOADS)
    call = Graph(root, tmp_path / "data").linked()
    for tool in ("get_callers", "get_references"):
        answer = call(tool, node_id="Store.save")
        places = {
            f"{row['seen_in']}:{place.partition(':')[0]}"
            for row in answer["results"]
            if row["edge_type"] == "calls"
            for place in row["places"]
        }
        assert places == {*USES_OF_OVERLOADS}
        assert len(answer["overloads"]) == 1
        assert answer["complete_list"]
        assert answer["lines_of_name"] == {"use": 2, "own": 2}
    one = call("get_callers", node_id="shop/Store.java:5")
    assert [row["name"] for row in one["results"]] == ["twice"]
    assert "overloads" not in one
    assert {row["name"] for row in call("get_impact", node_id="Store.save")["results"]} >= {
        "once",
        "twice",
    }


@pytest.mark.parametrize("command", ["callers", "refs", "impact", "symbol"])
def test_commands_mean_the_overloads_of_a_name(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    commands = Commands(tmp_path, OVERLOADS, monkeypatch, capfd)
    answer = commands(command, "Store.save", "--json")
    assert {int(line) for line in re.findall(r'"line": ?(\d+)', answer.out)} >= {5, 8}
    assert len(answer.facts["overloads"]) == 1


def test_dependents_of_a_name_are_those_of_its_overloads_at_every_face(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    call = Graph(write(tmp_path / "tools", OVERLOADS), tmp_path / "index").linked()
    answer = call("get_dependents", node_id="Store.save", edge_type="calls")
    facts = Commands(tmp_path, OVERLOADS, monkeypatch, capfd)(
        "dependents", "Store.save", "--json"
    ).facts
    for name in ("overloads", "lines_of_name"):
        assert len(facts[name]) == len(answer[name]), name
    assert {row["name"] for row in answer["results"]} == {"once", "twice"}
    assert {row["symbol"]["name"] for row in facts["results"]} == {"once", "twice"}
    assert facts["lines_of_name"] == answer["lines_of_name"]


COMPUTED: dict[str, str | bytes] = {
    "rates.py": "def read():\n    return 2\n\n\nRATE = read()\n",
}


@pytest.mark.parametrize("question", ["callees", "dependencies"])
def test_a_value_uses_what_computes_it_at_every_face(
    question: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    call = Graph(write(tmp_path / "tools", COMPUTED), tmp_path / "index").linked()
    answer = call(f"get_{question}", node_id="RATE")
    assert [(row["name"], row["places"]) for row in answer["results"]] == [("read", ["5:8"])]
    commands = Commands(tmp_path, COMPUTED, monkeypatch, capfd)
    facts = commands(question, "RATE", "--json").facts
    assert [row["symbol"]["name"] for row in facts["results"]] == ["read"]
    assert [place["line"] for place in facts["results"][0]["places"]] == [5]
    assert facts["complete_list"] == answer["complete_list"]


MADE: dict[str, str | bytes] = {
    "shop/Lid.java": "package shop;\n\npublic class Lid {\n    void close() { }\n}\n",
    "shop/Tight.java": (
        "package shop;\n\npublic class Tight extends Lid {\n    void close() { }\n}\n"
    ),
    "shop/Box.java": (
        "package shop;\n\npublic class Box {\n    Box(Lid lid) {\n        lid.close();\n    }\n}\n"
    ),
}


def test_overrides_of_what_a_constructor_calls_are_callees_of_its_class_at_every_face(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    call = Graph(write(tmp_path / "tools", MADE), tmp_path / "index").linked()
    answer = call("get_callees", node_id="Box", include_dispatch=True)
    expected = [("shop.Lid.close", "exact"), ("shop.Tight.close", "dispatch")]
    assert [(row["qualified_name"], row["confidence"]) for row in answer["results"]] == expected
    facts = Commands(tmp_path, MADE, monkeypatch, capfd)(
        "callees", "Box", "--confidence", "dispatch", "--json"
    ).facts
    assert [
        (row["symbol"]["qualified_name"], row["confidence"]) for row in facts["results"]
    ] == expected
    assert (facts["resolved"], answer["resolved"]) == (2, 2)


KEYED: dict[str, str | bytes] = {
    "settings.py": "import os\n\nFORMAT = os.environ['SHOP_FORMAT']\n",
    "docs/settings.md": "# Settings\n\n## SHOP_FORMAT\n\nHow prices look.\n",
}


def test_a_heading_of_a_setting_is_the_setting_that_code_reads_at_every_face(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    call = Linked(write(tmp_path / "tools", KEYED), tmp_path / "index").linked()
    commands = Commands(tmp_path, KEYED, monkeypatch, capfd)
    for answer in (
        call.symbol("SHOP_FORMAT"),
        commands("symbol", "SHOP_FORMAT", "--json").facts,
    ):
        assert (answer["kind"], answer["path"], answer["start_line"]) == (
            "setting",
            "settings.py",
            3,
        )
