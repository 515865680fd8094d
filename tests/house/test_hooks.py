"""Hooks with one user are found, and others are not taken for such."""

from __future__ import annotations

import ast

import pytest

from tests.house.hooks import hooks_with_one_user

RULES = "class Rules:\n    def awaited(self, given):\n        return given\n"
SWIFT = "class Swift(Rules):\n    def awaited(self, given):\n        return call(given)\n"
SINK = "class Sink(Protocol):\n    def write(self, text): ...\n"
FILE = "class File:\n    def write(self, text):\n        self.text = text\n"
SEARCH = "class Search(Record):\n    words: str\n    weigh: Callable[[str], float] | None\n"
GIVEN = "def weight(text): ...\nsearch = Search('a', weight)\n"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"code_graph/rules.py": RULES, "code_graph/languages/swift/a.py": SWIFT}, "Rules.awaited"),
        ({"sink.py": SINK, "file.py": FILE}, "Sink"),
        ({"search.py": SEARCH, "asks.py": GIVEN}, "weigh"),
        ({"search.py": SEARCH, "asks.py": "Search('a', weigh=lambda text: 1)"}, "weigh"),
    ],
)
def test_one_user_is_found(files: dict[str, str], found: str) -> None:
    (line,) = hooks_with_one_user({path: ast.parse(text) for path, text in files.items()})
    assert f": {found}" in line


@pytest.mark.parametrize(
    "files",
    [
        # of two languages
        {
            "code_graph/rules.py": RULES,
            "code_graph/languages/swift/a.py": SWIFT,
            "code_graph/languages/go/a.py": SWIFT.replace("Swift", "Go"),
        },
        # it does something for all others
        {
            "code_graph/rules.py": RULES.replace("return given", "return call(given)"),
            "code_graph/languages/swift/a.py": SWIFT,
        },
        {"sink.py": SINK, "file.py": FILE, "memory.py": FILE.replace("File", "Memory")},
        {"search.py": SEARCH, "asks.py": GIVEN, "other.py": GIVEN},
        # what is given is decided elsewhere
        {"search.py": SEARCH, "asks.py": "def ask(weigh):\n    return Search('a', weigh)\n"},
    ],
)
def test_other_users_are_known(files: dict[str, str]) -> None:
    assert not [*hooks_with_one_user({path: ast.parse(text) for path, text in files.items()})]
