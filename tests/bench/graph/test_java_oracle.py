"""The oracle of Java says what javac does, in the words of the product."""

from __future__ import annotations

import shutil

import pytest

from bench.graph.edges import CALLS, IMPLEMENTS, OVERRIDES, REFERENCES, At, Truth, Where
from bench.graph.java_oracle import judge

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("javac") is None, reason="javac is not installed"),
]

SOURCE = """\
package p;
interface Reader { int read(int x); }
class Readers {
  static final Reader INT = new Reader() {
    public int read(int x) { return other(x); }
    int other(int y) { return y; }
  };
  enum Kind {
    ONE(1) { int size() { return 2; } }, TWO;
    Kind(int count) { }
    Kind() { }
    int size() { return 1; }
  }
  record Pair(int left, String right) { }
  Readers() { this(1); }
  Readers(long x) { missing(new Gone()); INT.read(new Pair(1, "x").left()); }
  void take(Object x) { take("x"); }
  void take(String x) { }
}
"""


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Truth:
    root = tmp_path_factory.mktemp("java")
    (root / "p").mkdir()
    (root / "p" / "Readers.java").write_text(SOURCE, "utf-8")
    out = root / "truth.jsonl"
    judge(root, out)
    return Truth.read(out)


def where(line: int, name: str) -> Where:
    return Where("p/Readers.java", line, name)


def edges(truth: Truth, type_: str) -> set[tuple[str, int, str, int]]:
    return {
        (edge.source.name, edge.source.line, edge.target.name, edge.target.line)
        for edge in truth.edges
        if edge.type == type_
    }


def test_calls_name_the_overload_and_the_constructor_that_are_chosen(truth: Truth) -> None:
    assert edges(truth, CALLS) == {
        ("read", 5, "other", 6),
        ("ONE", 9, "Kind", 10),
        ("TWO", 9, "Kind", 11),
        ("Readers", 15, "Readers", 16),
        ("Readers", 16, "read", 2),
        ("Readers", 16, "Pair", 14),
        ("take", 17, "take", 18),
    }


def test_classes_without_a_name_have_bases_and_members(truth: Truth) -> None:
    assert edges(truth, IMPLEMENTS) == {("Reader$1", 4, "Reader", 2), ("ONE", 9, "Kind", 8)}
    assert edges(truth, OVERRIDES) == {("read", 5, "read", 2), ("size", 9, "size", 12)}


def test_what_is_missing_is_not_judged(truth: Truth) -> None:
    line = SOURCE.split("\n")[15]
    for name in ("missing", "Gone"):
        at = At("p/Readers.java", 16, line.index(name))
        assert (CALLS, at) not in truth.judged
        assert (REFERENCES, at) not in truth.judged


def test_a_constructor_belongs_to_its_class(truth: Truth) -> None:
    assert truth.holders[where(10, "Kind")] == where(8, "Kind")
    assert truth.kinds[where(14, "left")] == "property"
