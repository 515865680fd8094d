"""Edges of contracts: a use of a text leads to what gives it, in whatever language."""

from __future__ import annotations

import pytest

from code_graph.link.linker import GraphLinker
from code_graph.link.source_tree import SourceTree
from code_graph.model import Strategy

SERVER = """
from flask import Blueprint, Flask
pages = Blueprint("pages", __name__, url_prefix="/api")

@pages.route("/users/<int:number>", methods=["GET", "POST"])
def user(number): ...

@pages.get("/users/me")
def own(): ...

@pages.delete("/users/<int:number>")
def remove(number): ...

def listed(): ...

pages.add_url_rule("/users", "listed", view_func=listed)
"""
FOUND_BY = range(Strategy.FRAMEWORK, len(Strategy))


def edges_of(texts: dict[str, str], path: str) -> set[tuple[int, str, str]]:
    """Line, strategy and target of the edges of a file that a text leads along."""
    tree = SourceTree(texts)
    linker = GraphLinker(tree)
    names = {
        symbol.id: symbol.qualified_name for one in tree.paths() for symbol in linker.declared(one)
    }
    return {
        (edge.line, Strategy(edge.strategy).name.lower(), names[edge.target])
        for edge in linker.link(path).edges
        if edge.strategy in FOUND_BY
    }


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("requests.get(f'{base}/api/users/{number}')", "server.user"),
        ("requests.get('http://localhost:8000/api/users/' + str(number))", "server.user"),
        ("requests.post('/api/users/%s' % number)", "server.user"),
        ("requests.get('/api/users/7?full=1')", "server.user"),
        ("requests.get('/api/users/me')", "server.own"),
        ("requests.delete('/api/users/7/')", "server.remove"),
        ("requests.get('/api/users')", "server.listed"),
        ("requests.get(f'{base}/users/me')", "server.own"),  # the client adds the beginning
        ("requests.get('/v2/api/users/me')", "server.own"),  # the server does
        ("requests.put('/api/users/7')", None),
        ("requests.get('https://api.example.com/api/users/7')", None),
        ("requests.get('/api/groups')", None),
        ("requests.get(address)", None),
        ("text = 'requests.get(\"/api/users/me\")'", None),
        ("pass  # requests.get('/api/users/me')", None),
    ],
)
def test_a_request_leads_to_the_handler_of_its_path(
    request_text: str, expected: str | None
) -> None:
    texts = {"server.py": SERVER, "client.py": f"def ask():\n    {request_text}\n"}
    found = edges_of(texts, "client.py")
    assert found == ({(2, "route", expected)} if expected else set())


def test_a_handler_may_be_imported_and_in_another_language() -> None:
    texts = {
        "server/routes.ts": (
            "import express from 'express';\nimport { show } from './show';\n"
            "const router = express.Router();\napp.use('/v1', router);\n"
            "router.get('/items/:id', guard, show.one.bind(show));\n"
        ),
        "server/show.ts": "export const show = { one(request, response) {} };\n",
        "client.go": (
            'package client\nimport ("net/http"; "fmt")\nfunc ask(number int) {\n'
            '\thttp.Get(fmt.Sprintf("%s/v1/items/%d", base, number))\n}\n'
        ),
    }
    assert edges_of(texts, "client.go") == {(4, "route", "show.one")}


@pytest.mark.parametrize(
    "call",
    [
        'http.NewRequest("GET", base+"/users/me", nil)',
        'http.NewRequest(http.MethodGet, base+"/users/me", nil)',
        'http.NewRequestWithContext(ctx, "GET", base+"/users/me", nil)',
        'httptest.NewRequest("GET", "/users/me", body)',
        'http.Get(base + "/users/me")',
    ],
)
def test_requests_of_go_have_their_path_where_the_function_takes_it(call: str) -> None:
    texts = {"server.py": SERVER, "client.go": f"package client\nfunc ask() {{\n\t{call}\n}}\n"}
    assert edges_of(texts, "client.go") == {(3, "route", "server.own")}


def test_queries_lead_to_tables_and_settings_to_where_they_are_set() -> None:
    texts = {
        "schema.sql": "CREATE TABLE users (id int);\n",
        "Dockerfile": "FROM base\nENV STORE=/data\n",
        "main.go": (
            'package main\nimport "os"\nfunc main() {\n\tos.Getenv("STORE")\n\tos.Getenv("OTHER")\n'
            '\tdb.Query("SELECT id FROM users")\n\tprint("taken from users of ours")\n}\n'
        ),
    }
    found = {(line, how) for line, how, _ in edges_of(texts, "main.go")}
    assert found == {(4, "setting"), (6, "table")}


def test_a_text_that_many_give_leads_nowhere() -> None:
    texts = {
        f"service{number}.py": "@app.route('/health')\ndef health(): ...\nfrom flask import Flask\n"
        for number in range(9)
    }
    texts["client.py"] = "requests.get('/health')\n"
    assert edges_of(texts, "client.py") == set()
    del texts["service0.py"]
    assert len(edges_of(texts, "client.py")) == 8


def test_a_use_depends_on_what_is_not_given_yet() -> None:
    texts = {"client.py": "requests.get('/api/users/me')\n", "server.py": ""}
    before = GraphLinker(SourceTree(texts)).link("client.py")
    after = GraphLinker(SourceTree({**texts, "server.py": SERVER})).link("server.py")
    assert not before.edges
    assert {key for key, _ in after.exports} & {*before.dependencies}
