"""The text of PDF is searched, read and quoted by the same lines; hostile files do no harm."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from repo_mcp import documents
from repo_mcp.documents.pdf import PdfTexts
from repo_mcp.errors import Problem
from tests.repo_mcp.documents.pdf_files import bomb, circle, pdf_of, with_table
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.workspace.workspaces import call, serve, text_of

pytestmark = pytest.mark.servers

REPORT = pdf_of(
    ["The quarterly report", "names a distant warehouse."], ["Second page", "quotes (7) pallets"]
)
LINES = [
    "--- page 1 ---",
    "The quarterly report",
    "names a distant warehouse.",
    "--- page 2 ---",
    "Second page",
    "quotes (7) pallets",
]


@contextmanager
def reader(folder: Path, seconds: float = 60.0) -> Iterator[PdfTexts]:
    made = PdfTexts(str(folder), seconds)
    try:
        yield made
    finally:
        made._end()


def reason(found: PdfTexts, data: bytes) -> str:
    with pytest.raises(Problem) as caught:
        found.text(data)
    assert caught.value.code == "document_unread"
    return caught.value.reason


@pytest.mark.parametrize("compress", [False, True])
def test_each_page_begins_with_its_number(tmp_path: Path, compress: bool) -> None:  # noqa: FBT001 a parameter
    data = pdf_of(["One"], ["Two"], compress=compress)
    with reader(tmp_path) as found:
        assert found.text(data).decode().split("\n")[:4] == [
            "--- page 1 ---",
            "One",
            "--- page 2 ---",
            "Two",
        ]


def test_a_text_is_kept_by_its_content(tmp_path: Path) -> None:
    with reader(tmp_path) as first:
        text = first.text(REPORT)
    with reader(tmp_path) as second:
        assert second.text(REPORT) == text
        assert second._process is None
    (kept,) = (tmp_path / "documents").glob("*-1")
    kept.write_bytes(b"+changed by somebody else\n")
    with reader(tmp_path) as third:
        assert third.text(REPORT) == text


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"%PDF-1.4\nnothing", "damaged"),
        (b"", "damaged"),
        (REPORT[: len(REPORT) // 2], "text"),
        (circle(), "text"),
        (pdf_of([]), "no text"),
        (with_table([b"<< /Type /Catalog >>"]), "damaged"),
    ],
    ids=["nothing", "empty", "half", "circle", "pictures", "pages"],
)
def test_why_a_document_has_no_text(tmp_path: Path, data: bytes, why: str) -> None:
    with reader(tmp_path) as found:
        said = reason(found, data)
        assert why in said or "damaged" in said
        # the next document is read, and the reason is kept
        assert b"distant" in found.text(REPORT)
        assert reason(found, data) == said


def test_a_document_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    with reader(tmp_path, 0.5) as found:
        said = reason(found, bomb(8 << 20))
        assert "too long" in said or "damaged" in said
        assert found._process is None
    with reader(tmp_path) as other:
        assert b"distant" in other.text(REPORT)


def test_the_process_ends_with_its_reader(tmp_path: Path) -> None:
    found = PdfTexts(str(tmp_path))
    found.text(REPORT)
    process = found._process
    assert process is not None
    assert process.is_alive()
    del found
    gc.collect()
    assert not process.is_alive()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "root", {"docs/report.pdf": REPORT, "notes.md": "# Notes\n"})
    return tmp_path / "root"


def test_searching_reading_and_quoting_have_the_same_lines(root: Path) -> None:
    with serve(("repo_root", str(root)), data=root.parent / "data") as app:
        ranked = text_of(app, "repo.search", query="distant warehouse")
        assert "docs/report.pdf" in ranked
        assert "names a distant warehouse." in ranked
        for mode, query in (("literal", "distant"), ("regex", r"^names a \w+ warehouse")):
            answer = call(app, "repo.search", query=query, mode=mode)
            (hit,) = answer["structuredContent"]["result"]["files"]
            assert (hit["path"], hit["lines"]) == ("docs/report.pdf", f"3: {LINES[2]}")
        shown = text_of(app, "repo.open_file", path="docs/report.pdf")
        for number, line in enumerate(LINES, 1):
            assert f"{number}: {line}" in shown
        third = call(app, "repo.open_file", path="docs/report.pdf", start_line=3, end_line=3)
        assert "names a distant warehouse." in json.dumps(third["structuredContent"])
        assert "quarterly" not in json.dumps(third["structuredContent"])


def test_a_document_may_be_larger_than_a_text_file(root: Path) -> None:
    large = REPORT + b"%" + b"x" * (2 << 20) + b"\n" + REPORT[REPORT.index(b"xref") :]
    write(root, {"docs/large.pdf": large, "large.txt": "x" * (2 << 20)})
    with serve(("repo_root", str(root)), data=root.parent / "data") as app:
        found = text_of(app, "repo.search", query="distant warehouse")
        assert "docs/large.pdf" in found
        assert call(app, "repo.open_file", path="large.txt")["isError"]


def test_a_file_that_is_only_called_so_is_text_of_the_usual_size(root: Path) -> None:
    write(root, {"plain.pdf": "a distant shore\n", "large.pdf": "a distant sea\n" * 100_000})
    with serve(("repo_root", str(root)), data=root.parent / "data") as app:
        found = text_of(app, "repo.search", query="distant", mode="literal")
        assert "plain.pdf" in found
        assert "large.pdf" not in found
        assert "max_file_bytes" in text_of(app, "repo.open_file", path="large.pdf")


def test_without_the_extra_the_file_is_named_with_what_reads_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "has_pdf", lambda: False)
    with serve(("repo_root", str(root)), data=root.parent / "data") as app:
        assert "report.pdf" not in text_of(app, "repo.search", query="distant warehouse")
        answer = call(app, "repo.open_file", path="docs/report.pdf")
        assert answer["isError"]
        assert "repo-mcp[pdf]" in str(answer)
        assert "left out: 1 document_unread" in text_of(app, "repo.refresh_index", force=True)


def test_an_edit_of_a_document_is_seen(root: Path) -> None:
    with serve(("repo_root", str(root)), data=root.parent / "data") as app:
        text_of(app, "repo.search", query="distant warehouse")
        write(root, {"docs/report.pdf": pdf_of(["Now a nearby harbour"])})
        text_of(app, "repo.refresh_index")
        assert "docs/report.pdf" in text_of(app, "repo.search", query="nearby harbour")
        assert "report.pdf:3" not in text_of(app, "repo.search", query="distant", mode="literal")
