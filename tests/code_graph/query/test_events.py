"""Calls on which a library runs registered functions lead to these, in any file."""

from __future__ import annotations

import pytest

from code_graph.model import Confidence, EdgeType
from code_graph.query.neighbours import incoming_edges, outgoing_edges, up_to
from code_graph.query.snapshot import GraphSnapshot
from tests.code_graph.linked_files import graph_of_texts, symbol_named

CALLS = up_to(Confidence.DISPATCH, (EdgeType.CALLS,))

SHOP = """\
from functools import partial

from blinker import Namespace
from django.db import models
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver

signals = Namespace()
sold = signals.signal("sold")
moved = signals.signal("moved")


class Plant(models.Model):
    pass


class Plain:
    def save(self): ...


class Keeper:
    def start(self):
        post_save.connect(self.kept, sender=Plant)
        post_delete.connect(
            partial(self.gone, 1),
        )
        sold.connect(self.told)

    def kept(self, sender): ...

    def gone(self, number, sender): ...

    def told(self, sender): ...


@moved.connect
def on_move(sender): ...


def saves():
    Plant().save()


def makes():
    Plant.objects.create(name="x")


def plain():
    Plain().save()


def deletes():
    Plant().delete()


def sells():
    sold.send(None)


def moves():
    moved.send(None)
"""

SITE = """\
from flask import Flask

app = Flask(__name__)


class Users:
    def init_app(self, app):
        app.after_request(self.remember)
        app.context_processor(self.names)

    def remember(self, response): ...

    def names(self): ...


@app.before_request
def check(): ...


@app.route("/plants")
def plants(): ...
"""

TEST = """\
from site_app import app


def test_known():
    with app.test_client() as client:
        client.get("/plants")


def test_unknown(box):
    box.get("plants")
"""


@pytest.fixture(name="graph", scope="module")
def _graph() -> GraphSnapshot:
    return graph_of_texts({"shop.py": SHOP, "site_app.py": SITE, "test_site.py": TEST})


def callers(graph: GraphSnapshot, name: str) -> set[str]:
    found = incoming_edges(graph, symbol_named(graph, name).id, CALLS)
    names = (graph.symbol(edge.source) for edge in found)
    return {item.qualified_name for item in names if item is not None} - {name}


def callees(graph: GraphSnapshot, name: str) -> set[str]:
    found = outgoing_edges(graph, symbol_named(graph, name).id, CALLS)
    names = (graph.symbol(edge.target) for edge in found if not edge.external)
    return {item.qualified_name for item in names if item is not None}


@pytest.mark.parametrize(
    ("function", "telling"),
    [
        ("shop.Keeper.kept", {"shop.saves", "shop.makes"}),
        ("shop.Keeper.gone", {"shop.deletes"}),
        ("shop.Keeper.told", {"shop.sells"}),
        ("shop.on_move", {"shop.moves"}),
        ("site_app.Users.remember", {"test_site.test_known"}),
        ("site_app.check", {"test_site.test_known"}),
        ("site_app.Users.names", set()),
    ],
)
def test_a_registered_function_is_called_on_its_events(
    graph: GraphSnapshot, function: str, telling: set[str]
) -> None:
    told = callers(graph, function) - {"shop.Keeper.start", "site_app.Users.init_app"}
    assert {item for item in told if item not in {"shop", "site_app"}} == telling
    for name in telling:
        assert function in callees(graph, name)


def test_what_tells_of_nothing_calls_no_registered_function(graph: GraphSnapshot) -> None:
    assert callees(graph, "shop.plain") == {"shop.Plain", "shop.Plain.save"}
    assert callees(graph, "test_site.test_unknown") == set()
