"""Methods that an inherited one of a library calls are called where that is called."""

from __future__ import annotations

import pytest

from tests.code_graph.sources import calls

SOURCES = {
    "work.py": """from ast import NodeVisitor
from collections.abc import MutableMapping
from threading import Thread

from django import forms
from django.db import models


class Job(Thread):
    def run(self):
        pass

    def other(self):
        pass


class Names(NodeVisitor):
    def visit_Name(self, node):
        self.generic_visit(node)

    def other(self):
        pass


class Headers(MutableMapping):
    def __getitem__(self, key):
        pass

    def __setitem__(self, key, value):
        pass


class Box(Thread):
    def start(self):
        super().start()

    def run(self):
        pass


class Tags(models.Manager):
    def get_queryset(self):
        pass


class Plant(models.Model):
    tags = Tags()

    def save(self):
        pass


class PlantForm(forms.ModelForm):
    def clean_name(self):
        pass


class Name(forms.CharField):
    def clean(self, value):
        pass


class NameForm(forms.Form):
    name = Name()
    other = forms.CharField()


class Rows(models.QuerySet):
    def _clone(self):
        pass

    def _fetch_all(self):
        pass


class Plain:
    def run(self):
        pass
"""
}


@pytest.mark.parametrize(
    ("call", "methods"),
    [
        ("Job().start()", {"Job.run"}),
        ("Job().join()", set()),
        ("Names().visit(x)", {"Names.visit_Name"}),
        ("Headers().get(x)", {"Headers.__getitem__"}),
        ("Headers().update(x)", {"Headers.__setitem__"}),
        ("Plant.tags.filter(a=1)", {"Tags.get_queryset"}),
        ("Plant.objects.create(a=1)", {"Plant.save"}),
        ("Plant.objects.filter(a=1)", set()),
        ("PlantForm(x).is_valid()", {"PlantForm.clean_name"}),
        ("NameForm(x).is_valid()", {"Name.clean"}),
        ("x in Headers()", {"Headers.__getitem__"}),
        ("Rows().filter(a=1)", {"Rows._clone"}),
        ("[row for row in Rows()]", {"Rows._fetch_all"}),
        ("Plain().start()", set()),
    ],
)
def test_a_call_of_what_is_inherited_calls_the_hooks_of_the_object(
    call: str, methods: set[str]
) -> None:
    use = f"from work import *\n\n\ndef use(x):\n    {call}\n"
    found = {
        row.removeprefix("use.use calls work.")
        for row in calls({**SOURCES, "use.py": use})
        if row.startswith("use.use ")
    }
    made = {"Job", "Names", "Headers", "PlantForm", "NameForm", "Rows", "Plain"}
    assert found - made == methods


def test_a_call_through_super_calls_the_hooks_of_the_own_class() -> None:
    assert "work.Box.start calls work.Box.run" in calls(SOURCES)


def test_a_hook_calls_those_of_what_it_calls() -> None:
    assert "work.Names.visit_Name calls work.Names.visit_Name" in calls(SOURCES)


def test_a_session_passes_members_on_to_one_of_the_own_class() -> None:
    text = """from sqlalchemy import orm


class Own(orm.Session):
    def get_bind(self):
        pass


def use(session: orm.scoped_session[Own]):
    session.commit()


def other(session: orm.scoped_session[Own]):
    session.expunge()
"""
    found = calls({"sessions.py": text})
    assert "sessions.use calls sessions.Own.get_bind" in found
    assert not any(row.startswith("sessions.other") for row in found)
