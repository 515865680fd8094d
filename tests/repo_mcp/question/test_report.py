"""A report is parted into title, names, files, prose and the rest."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from repo_mcp.question.query import MAX_TERMS, has_parts, is_report, parse_request
from repo_mcp.question.report import FileMention, read_report

REPORT = """\
## Cache grows after `evict_oldest`

<!-- Please search first, and tell your version of quickly -->
- [x] I have read the handbook

The pool in src/cache/pool.py keeps its entries. By the way, thanks for the logo.

### Environment

```
pip freeze
numpy==1.26
```

Traceback (most recent call last):
  File "/home/me/app.py", line 3, in main
    serve()
  File "/usr/lib/shop/src/cache/pool.py", line 40, in evict_oldest
    self.entries.pop()
IndexError: pop from empty list
"""


def test_a_report_is_parted() -> None:
    report = read_report(REPORT)
    assert report.title == "Cache grows after `evict_oldest`"
    assert "evict_oldest" in report.names
    assert "keeps its entries" in report.prose
    assert "numpy" in report.rest
    everything = f"{report.title} {report.names} {report.prose} {report.rest}"
    assert "quickly" not in everything
    assert "handbook" not in everything


def test_files_are_named_with_their_distance_from_the_fault() -> None:
    assert read_report(REPORT).files == (
        FileMention("src/cache/pool.py"),
        FileMention("usr/lib/shop/src/cache/pool.py", is_frame=True),
        FileMention("home/me/app.py", is_frame=True, depth=1),
        FileMention("IndexError"),  # behind these, a word as files are called
    )


def test_words_of_several_parts_may_name_files() -> None:
    text = "The rule is too eager\n\nno-shadow, ObservableQuery and evict_oldest of a-b/c.py fail."
    assert [mention.path for mention in read_report(text).files] == [
        "a-b/c.py",
        "no-shadow",
        "ObservableQuery",
    ]


def test_words_weigh_by_where_they_stand() -> None:
    weights = {word.term: word.weight for word in parse_request(REPORT).words}
    assert weights["evict_oldest"] > weights["cache"] > weights["entries"] > weights["numpy"] > 0


@pytest.mark.parametrize(
    ("text", "parts", "report"),
    [
        ("where is the cache", False, False),
        ("where is the cache\n", False, False),
        ("Cache grows\n\nIt keeps its entries.", True, False),
        ("Cache grows\n\n---", False, False),
        ("grows " * 40, True, False),
        ("grows " * 64, True, True),
        ('  File "cache.py", line 12, in grow', False, True),
    ],
)
def test_a_report_has_many_words_or_a_trace(text: str, *, parts: bool, report: bool) -> None:
    assert has_parts(text) == parts
    assert is_report(text) == report


def test_the_last_word_of_a_long_report_counts() -> None:
    filler = "\n".join(f"again w{number} and w{number}x" for number in range(4_000))
    query = parse_request(f"The cache grows\n\n{filler}\n\nIt is `evict_oldest`.")
    assert len(query.words) == MAX_TERMS
    assert "evict_oldest" in {word.term for word in query.words}


@given(st.text(max_size=400))
def test_any_text_with_a_word_is_a_query(text: str) -> None:
    query = parse_request(f"cache\n{text}")
    assert query.words
    assert all(word.weight > 0 for word in query.words)
