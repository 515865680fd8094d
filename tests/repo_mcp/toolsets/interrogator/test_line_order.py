"""Lines of files come in turns, and what a page leaves out is named within its room."""

from __future__ import annotations

from hypothesis import given, strategies as st

from repo_mcp.search import FileCount
from repo_mcp.toolsets.interrogator.line_order import (
    FileOrder,
    FileRest,
    LinePlace,
    name_rest,
    runs_of,
)
from repo_mcp.toolsets.kit.answers import size

COUNTS = st.dictionaries(st.text("abc", min_size=1, max_size=2), st.integers(1, 5), max_size=6)


def rank(path: str) -> int:
    return len(path)


@given(COUNTS, st.lists(st.integers(1, 4), min_size=1, max_size=20))
def test_parts_of_any_size_have_each_line_once_in_turns(
    counts: dict[str, int], sizes: list[int]
) -> None:
    order = FileOrder([FileCount(*item) for item in counts.items()], rank)
    files = sorted(counts, key=lambda path: (rank(path), -counts[path], path))
    model = [
        LinePlace(turn, counts[path], path)
        for turn in range(5)
        for path in files
        if turn < counts[path]
    ]
    shown, last = [], LinePlace()
    for most in [*sizes, *[1] * len(model)]:
        part = [place for place, _ in zip(order.after(last), range(most), strict=False)]
        shown += part
        last = part[-1] if part else last
    assert shown == model


FILES = st.lists(
    st.builds(
        lambda path, more, numbers, is_shown: FileRest(
            path, more + len(numbers), runs_of(sorted(numbers)), is_shown=is_shown
        ),
        st.text("ab/", min_size=1, max_size=12),
        st.integers(1, 30),
        st.sets(st.integers(1, 60), max_size=20),
        st.booleans(),
    ),
    max_size=12,
    unique_by=lambda file: file.path,
)


@given(FILES, st.integers(0, 600))
def test_files_are_named_within_the_room_before_the_numbers_of_any(
    files: list[FileRest], room: int
) -> None:
    also, others = name_rest(files, room)
    listed = [*also.values(), *others]
    more = int(others[-1].split()[0]) if others and " more file" in others[-1] else 0
    assert len(listed) - bool(more) + more == len(files)
    fields = len('"also":') * len(also)
    assert sum(map(size, listed)) + fields <= room or len(listed) == bool(more)


def test_runs_of_lines_have_their_ends() -> None:
    file = FileRest("a.py", 9, runs_of([3, 4, 5, 8, 11, 12]))
    assert name_rest([file], 100)[1] == ["a.py: 3-5, 8, 11-12, 3 more"]
    assert name_rest([file], 22)[1] == ["a.py: 3-5, 6 more"]
    assert name_rest([file], 15)[1] == ["a.py (9)"]
    assert name_rest([file._replace(is_shown=True)], 100)[0] == {"a.py": "3-5, 8, 11-12, 3 more"}
