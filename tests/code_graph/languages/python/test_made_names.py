"""Classes and members whose names a program puts together: `type(…)`, `"visit_" + kind`."""

from __future__ import annotations

import pytest

from tests.code_graph.sources import calls

FORMS = """import types


class Meta(type):
    def __init__(cls, name, bases, members):
        pass

    def __call__(cls, *given):
        pass


class Base:
    def __init_subclass__(cls):
        pass


class Form(Base, metaclass=Meta):
    def show(self):
        pass


def make(name, **members):
    return type(name, (Form,), members)


def make_new(name):
    return types.new_class(name, (Form,))


def use():
    make("Plants")().show()


def use_new():
    made = make_new("Plants")
    made().show()


def ask(form):
    return type(form)
"""


@pytest.mark.parametrize("name", ["make", "make_new"])
def test_making_a_class_calls_what_its_statement_would(name: str) -> None:
    found = {row for row in calls({"forms.py": FORMS}) if row.startswith(f"forms.{name} ")}
    assert found == {
        f"forms.{name} calls forms.Meta.__init__",
        f"forms.{name} calls forms.Base.__init_subclass__",
    }


@pytest.mark.parametrize("name", ["use", "use_new"])
def test_a_made_class_has_what_its_bases_have(name: str) -> None:
    found = calls({"forms.py": FORMS})
    assert f"forms.{name} calls forms.Form.show" in found
    assert f"forms.{name} calls forms.Meta.__call__" in found
    assert not any(row.startswith("forms.ask ") for row in found)


VISITOR = """class Visitor:
    def visit(self, node):
        {body}

    def visit_name(self, node):
        pass

    def visit_text(self, node):
        pass

    def other(self, node):
        pass
"""


@pytest.mark.parametrize(
    "body",
    [
        'getattr(self, "visit_" + node.kind)(node)',
        'getattr(self, f"visit_{node.kind}")(node)',
        'getattr(self, "visit_%s" % node.kind)(node)',
        'name = f"visit_{node.kind}"\n        method = getattr(self, name)\n        method(node)',
    ],
)
def test_the_beginning_of_a_name_tells_which_members_may_be_called(body: str) -> None:
    found = calls({"visits.py": VISITOR.format(body=body)})
    assert {row for row in found if row.startswith("visits.Visitor.visit ")} == {
        "visits.Visitor.visit calls visits.Visitor.visit_name",
        "visits.Visitor.visit calls visits.Visitor.visit_text",
    }


def test_a_name_of_which_no_part_is_written_tells_nothing() -> None:
    found = calls({"visits.py": VISITOR.format(body="getattr(self, node.kind)(node)")})
    assert not any(row.startswith("visits.Visitor.visit ") for row in found)


SETS = """import pytest

from plants import EVERY, PAIRS


@pytest.mark.parametrize("kind", EVERY)
def test_each(kind):
    kind()


@pytest.mark.parametrize(("kind", "size"), PAIRS)
def test_pair(kind, size):
    kind()
"""
PLANTS = """class Tree:
    def __init__(self):
        pass


class Grass:
    def __init__(self):
        pass


EVERY = [Tree, Grass]
PAIRS = [(Tree, 1), (Grass, 2)]
"""


@pytest.mark.parametrize("name", ["test_each", "test_pair"])
def test_marks_give_what_a_list_elsewhere_holds(name: str) -> None:
    found = calls({"plants.py": PLANTS, "test_plants.py": SETS})
    for kind in ("Tree", "Grass"):
        assert f"test_plants.{name} calls plants.{kind}.__init__" in found


def test_a_member_that_stands_for_a_method_calls_it() -> None:
    text = """from unittest.mock import MagicMock


class Users:
    def find(self):
        pass


class Watched(Users):
    find: MagicMock


def use(users: Watched):
    users.find()
"""
    assert "users.use calls users.Users.find" in calls({"users.py": text})
