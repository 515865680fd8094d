"""Planted changes differ, stay parseable, and change prototypes along with their definition."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from bench.changes.checkers import errors_of_gcc
from bench.changes.planting import planted

C = """\
static int twice(int a);

int all(int a) {
  return twice(a);
}

static int twice(int a) {
  return 2 * a;
}
"""
GCC = """\
a.c:4:10: error: implicit declaration of function 'twice'
<command-line>: error: implicit declaration of function 'gone_7'
<command-line>: note: in expansion of macro 'planted_join'
./a.c:1:19: note: in expansion of macro 'gone'
a.c:7:10: note: in expansion of macro 'TWICE'
a.c:9:1: warning: unused
"""


def test_prototypes_change_with_their_definition(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(C)
    found = {item.kind: item.text.replace(" (", "(") for item in planted(tmp_path, ["a.c"], 1)}
    assert set(found) == {"rename", "remove", "parameter", "fewer"}
    assert found["rename"].count("twice_planted_here(int a)") == 2
    assert "static" not in found["remove"]
    assert found["parameter"].count("twice(struct planted_here *planted, int a)") == 2
    assert found["fewer"].count("twice()") == 2
    assert all("return twice(a)" in text for text in found.values())


def test_no_change_is_planted_twice(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(a):\n    return a\n\n\ndef g(b):\n    return f(b)\n")
    found = [*islice(planted(tmp_path, ["a.py"], 1), 20)]
    assert len(found) == len({(item.kind, item.name) for item in found}) == 10


def test_errors_in_macros_are_where_these_are_written() -> None:
    errors, causes = errors_of_gcc(GCC)
    assert errors == {("a.c", 4), ("a.c", 1)}
    assert causes == {("a.c", 7)}
