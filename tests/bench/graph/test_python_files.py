"""The places that the oracle is asked about stand where the text has the name."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from bench.graph.edges import Where
from bench.graph.hierarchy import linearized
from bench.graph.python_files import BASE, CALL, USE, PythonFile, parse


def parsed(folder: Path, text: str) -> PythonFile:
    (folder / "a.py").write_text(textwrap.dedent(text), "utf-8")
    file = parse(folder, "a.py")
    assert file is not None
    return file


def places(file: PythonFile, role: str) -> list[tuple[str, str]]:
    return [(place.owner.name, place.name) for place in file.places if place.role == role]


def test_places_belong_to_the_declaration_that_evaluates_them(tmp_path: Path) -> None:
    file = parsed(
        tmp_path,
        """
        class A(Base):
            x = make()

            @wrap(1)
            def f(self, y=default(outer)):
                return (lambda: self.g(y))()
        """,
    )
    assert places(file, CALL) == [("A", "make"), ("A", "default"), ("f", "g")]
    assert places(file, BASE) == [("A", "Base")]
    assert ("f", "self") in places(file, USE)


def test_two_calls_that_begin_with_one_name_are_no_place(tmp_path: Path) -> None:
    file = parsed(tmp_path, "@make(1)\ndef f(): pass\nmake(2)(3)\nmake(4).run(5)\n")
    assert places(file, CALL) == [("", "run"), ("", "make")]


def test_names_of_comprehensions_are_their_own(tmp_path: Path) -> None:
    file = parsed(tmp_path, "a = [b for b, c in d if (e := b)]\n")
    assert {each.where.name: each.kind for each in file.at.values()} == {
        "a": "variable",
        "b": "local",
        "c": "local",
        "e": "variable",
    }


def test_positions_are_in_characters(tmp_path: Path) -> None:
    file = parsed(tmp_path, 'x = "äö€𝄞" + f(1)\n')
    (call,) = (place for place in file.places if place.role == CALL)
    assert file.lines[0].startswith("f(1)", call.position.column)


def test_declarations_of_one_name_are_one(tmp_path: Path) -> None:
    file = parsed(
        tmp_path,
        """
        if x:
            def f(): pass
        else:
            def f(): pass
        class C:
            @property
            def p(self): pass
            @p.setter
            def p(self, value): self.q = value
        """,
    )
    found = {file.canonical(each): each.kind for each in file.at.values() if each.kind != "local"}
    assert found[Where("a.py", 3, "f")] == "function"
    assert found[Where("a.py", 8, "p")] == "property"
    assert found[Where("a.py", 10, "q")] == "attribute"
    assert Where("a.py", 5, "f") not in found


def test_an_alias_knows_what_it_stands_for(tmp_path: Path) -> None:
    file = parsed(tmp_path, "import m\nrun = m.start\n")
    (alias,) = (each.alias for each in file.at.values() if each.alias is not None)
    assert file.lines[1].startswith("start", alias.column)


def test_a_file_with_an_error_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def (", "utf-8")
    assert parse(tmp_path, "a.py") is None


@pytest.mark.parametrize(
    ("bases", "expected"),
    [
        ({"D": "BC", "B": "A", "C": "A", "A": ""}, "DBCA"),
        ({"D": "AB", "B": "A", "A": ""}, None),
        ({"A": "A"}, None),
    ],
)
def test_classes_are_searched_in_the_order_of_python(
    bases: dict[str, str], expected: str | None
) -> None:
    def of(where: Where) -> list[Where]:
        return [Where("a.py", 1, name) for name in bases[where.name]]

    order = linearized(Where("a.py", 1, next(iter(bases))), of)
    assert (None if order is None else "".join(each.name for each in order)) == expected
