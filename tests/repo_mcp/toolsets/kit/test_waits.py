"""An answer that is not complete says when it will be, and never just to ask again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repo_mcp import errors
from repo_mcp.app import App
from repo_mcp.budget import Budget
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.model import Progress
from repo_mcp.repository import OpenGraph
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.toolsets.codeagent import errors as codeagent
from repo_mcp.toolsets.kit.index_warnings import (
    COMPARING,
    linking_warning,
    rest_text,
)
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.tree_files import write

# invites to ask the same again, without a word on when that helps
LOOP = re.compile(r"again (?:in|soon|later|shortly)\b|in a moment|in a few seconds")
NO_USE = "asking the same"


@pytest.mark.parametrize(
    ("files", "seconds", "left"),
    [
        (0, 3.0, "is being prepared"),
        (10, 0.0, "is being prepared"),
        (10, 1.0, "about 9 s"),
        (99, 1.0, "about 1 s"),
        (100, 5.0, "about 1 s"),
        (1, 2.5, "about 248 s"),
    ],
)
def test_what_is_left_takes_as_long_as_what_is_done(files: int, seconds: float, left: str) -> None:
    assert left in rest_text(Progress("words", files, 100, 0, 0, seconds))


def test_no_warning_asks_for_the_same_call_at_once() -> None:
    assert "call again" not in COMPARING.text


def test_no_error_invites_a_loop() -> None:
    hints = [entry.hint for entry in errors.TABLE.values()]
    hints += [entry.hint for entry in codeagent.TABLE.values()]
    assert [hint for hint in hints if LOOP.search(hint.rstrip("."))] == []


@pytest.mark.parametrize(
    ("running", "said"),
    [
        (None, "the rest is being prepared: asking the same again at once is of no use"),
        (
            Progress("linking", 20, 100, 0, 0, 2.0),
            "the rest is ready in about 8 s: asking the same sooner is of no use",
        ),
    ],
)
def test_the_rest_has_an_estimate_where_there_is_one(running: Progress | None, said: str) -> None:
    assert rest_text(running) == said
    warning = linking_warning(OpenGraph(None, follows=False, linked=running)).text
    assert warning.startswith("symbols are still being linked")
    assert warning.endswith(said)
    assert ("linking 20 of 100 files, 2 s so far" in warning) == (running is not None)


@pytest.fixture
def shallow(tmp_path: Path) -> Iterator[Options]:
    """A repository whose index lacks the declarations of a file, and can't be completed."""
    root = write(tmp_path / "root", {"a.py": "x = 1\n", "b.py": "y = 2\n"})
    options = Options(
        str(root),
        str(tmp_path / "data"),
        watch=False,
        toolsets=("interrogator", "swiftindex", "codeagent"),
    )
    manager: IndexManager = services(options).manager.single
    manager.refresh(Budget())
    write(root, {"a.py": "class JSONEncoder:\n    pass\n"})
    manager.refresh_paths(["a.py"], Budget(), deep=False)
    assert manager.state().shallow
    with manager.text.store.lock(0):
        yield options


def _warnings(options: Options, tool: str, **arguments: object) -> list[str]:
    """The texts of an answer, or of a refusal, about declarations that are still to come."""
    clock = Clock()
    clock.step = 0.1
    found: Any = App(options, clock).call(tool, arguments, lambda: False)["structuredContent"]
    # a bundle of words alone is refused until then
    texts: list[str] = [*found.get("warnings", []), found.get("result", {}).get("reason", "")]
    return [text for text in texts if "declarations of some files are not indexed yet" in text]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("repo.search", {"query": "JSONEnc"}),
        ("repo.build_context_bundle", {"prompt": "what is JSONEnc"}),
        ("search_code", {"query": "JSONEnc"}),
    ],
)
def test_a_search_says_that_declarations_are_still_to_come(
    shallow: Options, tool: str, arguments: dict[str, str]
) -> None:
    (text,) = _warnings(shallow, tool, **arguments)
    assert "parts of their names not found" in text
    assert NO_USE in text
