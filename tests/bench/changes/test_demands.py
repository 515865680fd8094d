"""Members that types demand come, go and are renamed: reviews name each type that lacks one."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.changes.demanding_types import TEMPLATES, Template
from bench.changes.demands import KINDS, judged, planted, tree_of
from tests.repo_mcp.changes.reviews import reviewed

pytestmark = pytest.mark.servers
MEMBERS = ["save", "load", "title"]


def filled(template: Template) -> dict[str, str]:
    return dict(tree_of(template, "Store", MEMBERS))


@pytest.mark.parametrize("kind", KINDS)
def test_each_language_has_what_a_compiler_reports(kind: str, tmp_path: Path) -> None:
    files = {item.language: filled(item) for item in TEMPLATES}
    changes = [planted(kind, item, files[item.language], "save") for item in TEMPLATES]
    old = {path: text for tree in files.values() for path, text in tree.items()}
    review = reviewed(tmp_path, old, {k: v for item in changes for k, v in item.files.items()})
    places = {(item.path, item.line): item.reason for item in review.places or ()}
    for item in changes:
        counts = judged(item, places)
        assert counts["found"] == counts["wanted"], item
        # a type of Go that nothing takes for the interface is told, and a compiler says nothing
        assert counts["more"] <= (item.language == "go"), (item, places)


def test_a_place_may_be_reported_at_one_of_its_lines() -> None:
    template = next(item for item in TEMPLATES if item.language == "java")
    change = planted("added", template, filled(template), "save")
    lines = {place: "" for wanted in change.wanted for place in wanted}
    counts = judged(change, {**lines, ("java/other.java", 1): "", ("go/x.go", 1): ""})
    assert (counts["wanted"], counts["found"], counts["more"]) == (4, 4, 1)
