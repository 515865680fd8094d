"""Branches of conditional compilation that a text is parsed with, if its directives break it."""

from __future__ import annotations

import pytest

from code_graph.treesitter.branches import fitting_branches

BOTH = "#ifdef A\n#define SIZE 1\n#else\n#define SIZE 2\n#endif\n"


@pytest.mark.parametrize(
    "before",
    [
        "",
        "/* " + "a long comment\n" * 200 + "*/\n",
        "#define LIST \\\n" + "  entry, \\\n" * 300 + "  last\n",
        "int size = 1; " + "// a long line" * 200 + "\n",
    ],
)
def test_branches_fit_behind_what_begins_far_before_them(before: str) -> None:
    kept = fitting_branches(before + BOTH)
    assert [line for line in kept.split("\n") if "SIZE" in line] == [
        "#define SIZE 1",
        "#define SIZE 2",
    ]
    assert len(kept) == len(before + BOTH)


def test_of_branches_in_an_expression_the_first_is_kept() -> None:
    kept = fitting_branches(
        "int size = /* " + "long\n" * 500 + "*/ 1 +\n#if A\n 2;\n#else\n 3;\n#endif\n"
    )
    assert "2;" in kept
    assert "3;" not in kept
