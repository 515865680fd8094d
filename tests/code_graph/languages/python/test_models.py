"""Managers and query sets of Django give objects of the models that hold them."""

from __future__ import annotations

import pytest

from tests.code_graph.sources import calls

MODELS = """from django.db import models


class Rows(models.Manager):
    def clear(self):
        return self.get().show()


class Field:
    def __get__(self, owner, kind):
        return Tags()


class Tags:
    def add(self):
        pass


class Plant(models.Model):
    tags = Field()

    def show(self):
        pass


class Tree(Plant):
    rows = Rows()
"""


@pytest.mark.parametrize(
    "call",
    [
        "Plant.objects.get(pk=1).show()",
        "Plant.objects.filter(a=1).order_by('b').first().show()",
        "one, made = Plant.objects.get_or_create(a=1)\n    one.show()",
        "Plant.objects.all()[0].show()",
        "for one in Plant.objects.exclude(a=1):\n        one.show()",
        "Tree.rows.create().show()",
        "(await Plant.objects.aget(pk=1)).show()",
    ],
)
def test_what_a_manager_gives_is_an_object_of_the_model(call: str) -> None:
    sources = {
        "models.py": MODELS,
        "use.py": f"from models import *\n\n\nasync def use():\n    {call}\n",
    }
    assert "use.use calls models.Plant.show" in calls(sources)


def test_members_of_a_manager_of_the_repository_are_its_own() -> None:
    use = "from models import Tree\n\n\ndef use():\n    Tree.rows.clear()\n"
    assert "use.use calls models.Rows.clear" in calls({"models.py": MODELS, "use.py": use})


def test_a_descriptor_of_a_model_is_called_and_has_its_value() -> None:
    use = "from models import Plant\n\n\ndef use():\n    Plant.objects.get().tags.add()\n"
    found = calls({"models.py": MODELS, "use.py": use})
    assert {"use.use calls models.Field.__get__", "use.use calls models.Tags.add"} <= found


def test_other_classes_have_no_managers() -> None:
    head = "class Plant:\n    def show(self):\n        pass\n\n\n"
    use = f"{head}def use():\n    Plant.objects.get().show()\n"
    assert calls({"use.py": use}) == set()


def test_query_sets_keep_their_own_class_and_are_managers() -> None:
    text = """from django.db import models


class Rows(models.QuerySet):
    def green(self):
        pass


class Kept(models.Manager):
    def other(self):
        pass


class Plant(models.Model):
    rows = Rows.as_manager()
    both = Kept.from_queryset(Rows)()


def own():
    Plant.rows.filter(a=1).exclude(b=1).green()


def both():
    Plant.both.other()
    Plant.both.green()
"""
    found = calls({"plants.py": text})
    assert "plants.own calls plants.Rows.green" in found
    assert {"plants.both calls plants.Kept.other", "plants.both calls plants.Rows.green"} <= found


def test_an_object_of_a_model_may_put_a_descriptor_in_its_place() -> None:
    text = """class Reader:
    def __get__(self, owner, kind):
        return Rows()


class Rows:
    def show(self):
        pass


class Records:
    def contribute_to_class(self, owner, name):
        setattr(owner, name, Reader())


class Plain:
    def place(self, owner, name):
        setattr(owner, name, Reader())


class Plant:
    records = Records()
    plain = Plain()


def use():
    Plant().records.show()


def unused():
    Plant().plain.show()
"""
    found = calls({"plants.py": text})
    assert {"plants.use calls plants.Rows.show", "plants.use calls plants.Reader.__get__"} <= found
    assert not any(row.startswith("plants.unused calls plants.R") for row in found)
