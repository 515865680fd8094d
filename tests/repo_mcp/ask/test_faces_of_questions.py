"""A question has one record, whether the tool, the command or the page is asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from docs.sample_shop import commit_files, run_command
from repo_mcp.answers.asked import WANTS
from tests.repo_mcp.cli.graph.graph_process import PYTHON
from tests.repo_mcp.web.browsing import Browser

# as many characters as a page has by default
_ROOM: Final = 40_000
# what each argument is to the command and to the page; others have its name
_OPTIONS: Final = {"question": "", "names": "--name"}
_FIELDS: Final = {"question": "q"}
_JOINTS: Final = {"names": ", ", "more": "\n"}
ASKED: Final[Mapping[str, Mapping[str, Any]]] = {
    "words": {"question": "where is the tax added"},
    "names": {"names": ["Price", "shop/tax.py:1-4", '"math.floor(net, 2)"', "shop/", "nowhere"]},
    **{want: {"names": ["add_tax"], "want": want} for want in WANTS if want != "tour"},
    "tour": {"want": "tour"},
    "ends": {"from": "_forgotten", "to": "add_tax", "over": "total"},
    "further": {"question": "who calls add_tax", "more": ["tests: total", "Price", ".env"]},
    "report": {"question": "gross is wrong", "names": ["total"], "want": "fix"},
    "nothing": {"names": ["nothing_like_this"]},
    "blocked": {"names": [".env"]},
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    """Pages of a tree with a commit, whose index and graph commands have made."""
    browser = Browser(tmp_path_factory.mktemp("asked"), {**PYTHON, ".env": "TOKEN=1\n"})
    commit_files(browser.root)
    browser.app.call("repo.history", {"words": "shop"}, lambda: False)
    command(browser, {"names": ["add_tax"], "want": "uses"})
    return browser


def command(browser: Browser, arguments: Mapping[str, Any]) -> Any:  # noqa: ANN401 JSON
    line = ["ask", "--json", "--max-chars", str(_ROOM), "--data-dir", str(browser.data)]
    for name, value in arguments.items():
        option = _OPTIONS.get(name, f"--{name}")
        for text in value if isinstance(value, list) else [value]:
            line += [option, text] if option else [text]
    return json.loads(run_command(browser.root, line, piped=True).out)


def target(arguments: Mapping[str, Any]) -> str:
    fields = {
        _FIELDS.get(name, name): _JOINTS[name].join(value) if isinstance(value, list) else value
        for name, value in arguments.items()
    }
    return f"/ask.json?{urlencode(fields)}"


@pytest.mark.parametrize("name", ASKED)
def test_tool_command_and_page_have_one_record(browser: Browser, name: str) -> None:
    given = {**ASKED[name], "max_chars": _ROOM}
    called = browser.app.call("repo.ask", given, lambda: False)["structuredContent"]
    # the first answer of a server says what the repository is
    called["result"].pop("tour", None)
    typed = command(browser, ASKED[name])
    typed.pop("warnings")
    assert typed == called["result"]
    shown = browser.get(target(ASKED[name])).json
    assert shown["result"] == called["result"]
    assert shown["warnings"] == called["warnings"]
