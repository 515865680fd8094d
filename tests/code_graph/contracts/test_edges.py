"""Edges of contracts: a use of a text leads to what gives it, in whatever language."""

from __future__ import annotations

import pytest

from code_graph.link.linker import GraphLinker
from code_graph.link.source_tree import SourceTree
from code_graph.model import Strategy
from tests.code_graph.sources import link, relink

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


DJANGO = """
from django.urls import include, path, re_path
from rest_framework import routers
from views import Documents, Trash
router = routers.DefaultRouter()
router.register("documents", Documents)
urlpatterns = [re_path("^api/", include([path("trash/", Trash.as_view()), *router.urls]))]
"""
VIEWS = """
class Writing:
    def post(self, request): ...
class Trash(Writing):
    def get(self, request): ...
class Documents:
    def list(self, request): ...
    def create(self, request): ...
    def retrieve(self, request, pk): ...
    def partial_update(self, request, pk): ...
    def notes(self, request, pk): ...
    def bulk_edit(self, request): ...
"""


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ('client.get("/api/trash/")', {"views.Trash", "views.Trash.get"}),
        # inherited
        ('client.post("/api/trash/")', {"views.Trash", "views.Writing.post"}),
        ('client.delete("/api/trash/")', {"views.Trash"}),
        ('client.get("/api/documents/")', {"views.Documents", "views.Documents.list"}),
        ('client.post("/api/documents/")', {"views.Documents", "views.Documents.create"}),
        ('client.get("/api/documents/7/")', {"views.Documents", "views.Documents.retrieve"}),
        (
            'client.patch(f"/api/documents/{number}/")',
            {"views.Documents", "views.Documents.partial_update"},
        ),
        (
            'client.post(f"/api/documents/{number}/notes/")',
            {"views.Documents", "views.Documents.notes"},
        ),
        (
            'client.post("/api/documents/bulk-edit/")',
            {"views.Documents", "views.Documents.bulk_edit"},
        ),
        ('client.get("/api/documents/7/other/")', set()),
        ('client.get("/api/documents/7/notes/8/")', set()),
    ],
)
def test_a_request_leads_to_the_method_of_a_class_that_answers(
    request_text: str, expected: set[str]
) -> None:
    texts = {"urls.py": DJANGO, "views.py": VIEWS, "client.py": f"{request_text}\n"}
    found = edges_of(texts, "client.py")
    assert found == {(1, "route", target) for target in expected}


FLASK_CLASS = """
from flask import Flask
from flask.views import MethodView
app = Flask(__name__)
class Items(MethodView):
    def get(self): ...
    def put(self): ...
app.add_url_rule("/items", view_func=Items.as_view("items"), methods=["GET", "PUT"])
"""


def test_views_of_flask_have_a_method_for_each_verb() -> None:
    texts = {"server.py": FLASK_CLASS, "client.py": "requests.put('/items')\n"}
    expected = {(1, "route", "server.Items"), (1, "route", "server.Items.put")}
    assert edges_of(texts, "client.py") == expected


@pytest.mark.parametrize(
    ("path", "text", "is_found"),
    [
        ("tests/test_own.py", "answer = rest_api_client.get('/api/users/me')", True),
        ("tests/test_own.py", "answer = self.anyone.get(f'{base}/api/users/me/')", True),
        ("own.test.ts", "await browser.get('/api/users/me')", True),
        ("own.test.ts", "await browser.get(`${base}/api/users/me`)", True),
        ("tests/test_own.py", "rest_api_client.get('users/me')", False),
        ("tests/test_own.py", "rest_api_client.get(address)", False),
        ("tests/test_own.py", "rest_api_client.put('/api/users/me')", False),
        ("tests/test_own.py", "get('/api/users/me')", False),
        ("own.py", "found = cache.get('/api/users/me')", False),
    ],
)
def test_a_path_that_a_test_asks_anything_for_is_a_request(
    path: str, text: str, *, is_found: bool
) -> None:
    found = edges_of({"server.py": SERVER, path: f"{text}\n"}, path)
    assert found == ({(1, "route", "server.own")} if is_found else set())


def test_a_path_that_several_give_is_no_request_of_any_receiver() -> None:
    texts = {
        "a/server.py": SERVER,
        "b/server.py": SERVER,
        "test_own.py": "some.get('/api/users/me')\n",
    }
    assert edges_of(texts, "test_own.py") == set()


SETTINGS = """
import os
INSTALLED_APPS = []
NAME = os.getenv("APP_NAME")
OTHER: str = "x"
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from django.conf import settings\nsettings.NAME.lower()\n", {(2, "NAME")}),
        ("from django.conf import settings\ngetattr(settings, 'OTHER', 1)\n", {(2, "OTHER")}),
        ("from django.conf import settings\nsettings.MISSING\n", set()),
        ("def test_it(settings):\n    settings.NAME = 1\n", {(2, "NAME")}),
        (
            "@override_settings(NAME='a', OTHER=dict(NAME=3))\ndef test_it(): ...\n",
            {(1, "NAME"), (1, "OTHER")},
        ),
        ("with self.settings(NAME=1): ...\n", {(1, "NAME")}),
        ("from own import settings\nsettings.NAME\n", set()),
        ("self.settings.NAME\n", set()),
    ],
)
def test_an_option_of_django_leads_to_the_module_that_gives_it(
    text: str, expected: set[tuple[int, str]]
) -> None:
    found = edges_of({"site/settings.py": SETTINGS, "use.py": text}, "use.py")
    assert found == {(line, "setting", f"site.settings.{name}") for line, name in expected}


def test_an_option_of_flask_leads_to_the_class_that_gives_it() -> None:
    texts = {
        "config.py": "class Config:\n    PAGE_SIZE = 20\n",
        "use.py": "current_app.config['PAGE_SIZE']\napp.config.get('PAGE_SIZE')\n",
    }
    found = {(line, "setting", "config.Config.PAGE_SIZE") for line in (1, 2)}
    assert edges_of(texts, "use.py") == found


TABLES = """\
export const routes = {
  x: (id: string) => `/things/${id}`,
  y: '/y',
  nested: { z: '/deep/z', w: (id: string) => `/deep/${id}/w` },
  fn(id: string) { return `/fn/${id}`; },
  block: (id: string) => { return `/block/${id}`; },
  'in-quotes': '/quotes', "quoted": '/quoted',
} as const;
export const frozen = Object.freeze({ list: '/list', more: { last: "/last" } });
export const arrow = (id: string) => `/arrow/${id}`;
export function makePath(id: string): string { return `/made/${id}`; }
export class Api { static readonly items = '/items'; }
"""
ANSWERS = """\
import express from "express";
const app = express();
app.post("/things/:id", things);
app.get("/y", y);
app.get("/deep/z", z);
app.put("/deep/:id/w", w);
app.get("/fn/:id", method);
app.get("/block/:id", block);
app.get("/quoted", quoted);
app.get("/list", list);
app.get("/last", last);
app.get("/arrow/:id", arrow);
app.get("/made/:id", made);
app.get("/items", items);
app.get("/own/:id", own);
""" + "".join(
    f"function {name}(req, res) {{}}\n"
    for name in "things y z w method block quoted list last arrow made items own".split()  # noqa: SIM905 a list of words reads better
)


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("this.requests.post(routes.x(id))", "things"),
        ("axios.get(routes.y)", "y"),
        ("fetch(routes.y)", "y"),
        ("axios({ url: routes.y, method: 'get' })", "y"),
        ("axios.get(routes.nested.z)", "z"),
        ("axios.put(routes.nested.w(id), {})", "w"),
        ("axios.get(routes.fn(id))", "method"),
        ("axios.get(routes.block(id))", "block"),
        ("axios.get(routes.quoted)", "quoted"),
        ("axios.get(frozen.list)", "list"),
        ("axios.get(frozen.more.last)", "last"),
        ("axios.get(arrow(id))", "arrow"),
        ("axios.get(makePath(id))", "made"),
        ("axios.get(Api.items)", "items"),
        ("axios.get(all.routes.y)", "y"),
        ("axios.get(table.own(id))", "own"),
        # another method, or a member that no path is
        ("axios.delete(routes.y)", None),
        ("axios.get(routes.missing)", None),
        ("axios.get(id.y)", None),
    ],
)
def test_a_path_of_a_table_is_that_of_a_request(request_text: str, expected: str | None) -> None:
    client = (
        'import axios from "axios";\n'
        'import { routes, frozen, arrow, makePath, Api } from "./routes";\n'
        'import * as all from "./routes";\n'
        "const table = { own: (id: string) => `/own/${id}` };\n"
        f"class Client {{ requests: any; load(id: any) {{ return {request_text}; }} }}\n"
    )
    texts = {"web/routes.ts": TABLES, "web/client.ts": client, "server/app.ts": ANSWERS}
    found = {target for _, how, target in edges_of(texts, "web/client.ts") if how == "route"}
    assert found == ({expected} if expected else set())


def test_a_path_of_a_table_that_changes_is_looked_up_again() -> None:
    client = (
        'import axios from "axios";\nimport { frozen, routes } from "./routes";\n'
        "export const load = () => [axios.get(frozen.list), axios.get(routes.y)];\n"
    )
    tree = SourceTree({"routes.ts": TABLES, "client.ts": client, "server/app.ts": ANSWERS})
    linked = link(tree)
    for old, new in [("'/list'", "'/gone'"), ("'/y'", "'/gone'"), ("'/gone'", "'/list'")]:
        edited = tree.texts()["routes.ts"].replace(old, new)
        tree = tree.edited("routes.ts", edited)
        linked = relink(linked, tree, "routes.ts")
        assert linked == link(tree)


APP = (
    "from fastapi import FastAPI\nfrom fastapi.testclient import TestClient\n"
    "app = FastAPI()\n\n@app.get('/items')\ndef items(): ...\n\n"
    "def test_items():\n    TestClient(app).get('/items')\n"
)
ASKING = "def test_other(client):\n    client.get('/items')\n"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        # its own, and not that of another test
        ({"tests/test_b.py": APP.replace("/items", "/other")}, "tests.test_b.items"),
        ({"tests/test_b.py": ASKING}, None),
        ({"tests/test_b.py": f"from tests.test_a import app\n{ASKING}"}, "tests.test_a.items"),
        # by a file that helps tests, and those of fixtures
        (
            {
                "tests/test_b.py": f"from tests.apps import app\n{ASKING}",
                "tests/apps.py": "from tests.test_a import app\n",
            },
            "tests.test_a.items",
        ),
        (
            {
                "tests/test_a.py": "",
                "tests/conftest.py": APP.partition("def test")[0],
                "tests/test_b.py": ASKING,
            },
            "tests.conftest.items",
        ),
        # of the product, which every test may ask
        ({"app.py": APP.partition("def test")[0], "tests/test_b.py": ASKING}, "app.items"),
        # a client of the product asks no server of a test
        (
            {"tests/test_b.py": "", "client.py": "import requests\nrequests.get('/items')\n"},
            None,
        ),
    ],
)
def test_a_request_asks_no_server_of_another_test(
    texts: dict[str, str], expected: str | None
) -> None:
    whole = {"tests/__init__.py": "", "tests/test_a.py": APP, **texts}
    path = "client.py" if "client.py" in whole else "tests/test_b.py"
    found = {target for _, how, target in edges_of(whole, path) if how == "route"}
    assert found == ({expected} if expected else set())


EXPRESS = """\
const express = require('express'), request = require('supertest');
it('answers', (done) => {
  const app = express();
  app.get('/user', answer);
  function answer(req, res) {}
  request(app).get('/user').expect(200, done);
});
"""


def test_a_request_of_express_asks_the_app_of_its_own_test() -> None:
    other = EXPRESS.replace("'/user', answer", "'/tobi', answer")
    helper = (
        "const request = require('supertest');\nexports.ask = (app) => request(app).get('/user');\n"
    )
    texts = {"test/a.js": EXPRESS, "test/b.js": other, "test/ask.js": helper}

    def asked(path: str) -> list[str]:
        return [target for _, how, target in edges_of(texts, path) if how == "route"]

    assert (asked("test/a.js"), asked("test/b.js")) == (["answers.answer"], [])
    assert asked("test/ask.js") == []
    # a file that helps tests asks the apps of those that import it
    texts["test/a.js"] = f"const {{ ask }} = require('./ask');\n{EXPRESS}"
    assert asked("test/ask.js") == ["answers.answer"]


def test_a_server_of_a_test_is_asked_once_its_file_is_reached() -> None:
    tree = SourceTree(
        {
            "tests/__init__.py": "",
            "tests/test_a.py": APP,
            "tests/test_b.py": f"from tests.apps import app\n{ASKING}",
            "tests/apps.py": "",
        }
    )
    linked = link(tree)
    for path, text in [
        ("tests/apps.py", "from tests.test_a import app\n"),
        ("tests/test_a.py", APP.partition("def test")[0]),
        ("tests/apps.py", "app = 1\n"),
        ("tests/test_a.py", APP),
    ]:
        tree = tree.edited(path, text)
        linked = relink(linked, tree, path)
        assert linked == link(tree)


MAKING = """\
import { environment } from "./environment";
export abstract class Resources {
  protected baseUrl: string = environment.apiBaseUrl
  protected resourceName: string
  protected http: any
  protected getResourceUrl(id: number = null, action: string = null): string {
    let url = `${this.baseUrl}${this.resourceName}/`
    if (id !== null) {
      url += `${id}/`
    }
    if (action) {
      url += `${action}/`
    }
    return url
  }
  tableUrl(id?: number) { let url = this.baseUrl + 'tables'; if (id) url += `/${id}`; return url }
  untold(id: any) { let url = `${this.baseUrl}tables`; if (id > 3) url += `/${id}`; return url }
  all() { return this.http.get(this.getResourceUrl()) }
}
"""
PATHS = """\
import { BASE } from "./environment";
const V1 = '/api/v1';
export const userUrl = (id: string, part: string) => `/api/users/${id}/${part}`;
export function jobUrl(id: number): string { return `${BASE}/jobs/${id}`; }
export function stepUrl(id: number, step = 'first') {
  const path = V1 + "/jobs/" + id + "/steps/" + step;
  return path;
}
"""
MADE_ANSWERS = """\
from flask import Flask
app = Flask(__name__)
@app.get("/api/documents/")
def listed(): ...
@app.post("/api/documents/<int:number>/process/")
def process(number): ...
@app.get("/api/documents/next/")
def following(): ...
@app.get("/api/documents/<int:number>/")
def document(number): ...
@app.get("/api/tables")
def tables(): ...
@app.get("/api/tables/<int:number>")
def table(number): ...
@app.get("/api/users/<number>/orders")
def orders(number): ...
@app.get("/api/v1/jobs/<number>")
def job(number): ...
@app.get("/api/v1/jobs/<number>/steps/first")
def first(number): ...
@app.get("/api/v1/jobs/<number>/steps/last")
def last(number): ...
"""


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        # of a base class, with the field of the class that asks
        ("this.http.post(this.getResourceUrl(id, 'process'), body)", "process"),
        ("this.http.get(this.getResourceUrl())", "listed"),
        ("this.http.get<Item>(this.getResourceUrl(id))", "document"),
        ("this.http.get(this.getResourceUrl(null, 'next'))", "following"),
        ("this.http.get(this.tableUrl())", "tables"),
        ("this.http.get(this.tableUrl(id))", "table"),
        # of another file
        ("axios.get(userUrl(id, 'orders'))", "orders"),
        ("axios.get(jobUrl(id))", "job"),
        ("axios.get(stepUrl(id))", "first"),
        ("axios.get(stepUrl(id, 'last'))", "last"),
        ("axios.get(jobUrl('a-' + id))", "job"),
        ("axios.get(jobUrl(id ? id : null))", "job"),
        # another method, number of segments, or last word
        ("this.http.get(this.getResourceUrl(id, 'process'))", None),
        ("this.http.post(this.getResourceUrl(null, 'process'), body)", None),
        ("this.http.post(this.getResourceUrl(id, `process/${id}`), body)", None),
        ("axios.post(userUrl(id, 'orders'))", None),
        ("axios.get(userUrl(id, 'bills'))", None),
        ("axios.get(stepUrl(id, 'first/more'))", None),
        # an object whose fields nothing tells, and what may be given or not
        ("this.http.get(this.other.getResourceUrl())", None),
        ("this.http.get(this.getResourceUrl(false))", None),
        ("this.http.get(this.tableUrl(id ? id : null))", None),
        ("this.http.get(this.untold(id))", None),
    ],
)
def test_a_path_that_a_function_puts_together_is_that_of_a_request(
    request_text: str, expected: str | None
) -> None:
    client = (
        'import axios from "axios";\nimport { Resources } from "./resources";\n'
        'import { jobUrl, stepUrl, userUrl } from "./paths";\n'
        "export class Documents extends Resources {\n  other: Resources\n"
        "  constructor() { super(); this.resourceName = 'documents' }\n"
        f"  load(id: any, body: any) {{ return {request_text} }}\n}}\n"
    )
    texts = {"web/resources.ts": MAKING, "web/paths.ts": PATHS, "server/app.py": MADE_ANSWERS}
    texts["web/client.ts"] = client
    found = {target for _, how, target in edges_of(texts, "web/client.ts") if how == "route"}
    assert found == ({f"server.app.{expected}"} if expected else set())
    # the base class has no name of a resource
    assert not edges_of(texts, "web/resources.ts")
    field = client.replace("constructor() { super(); this.resourceName", "resourceName")
    texts["web/client.ts"] = field.replace("'documents' }", "'documents'")
    found = {target for _, how, target in edges_of(texts, "web/client.ts") if how == "route"}
    assert found == ({f"server.app.{expected}"} if expected else set())


IN_JAVASCRIPT = """\
class Base {
  url(id) { return `${this.root}/documents/${id}/` }
}
class Documents extends Base {
  load(id) { return axios.get(this.url(id)) }
}
"""
IN_PYTHON = """\
import requests
class Base:
    def url(self, number=None):
        url = f"{self.base}/{self.name}/"
        if number is not None:
            url += f"{number}/"
        return url
class Documents(Base):
    name = "documents"
    def load(self, number):
        requests.get(self.url(number=number))
"""
IN_JAVA = """\
class Base {
  protected String name;
  String makeUrl(long id) { return base + name + "/" + id + "/"; }
}
class Documents extends Base {
  protected String name = "documents";
  void load(long id) { restTemplate.getForObject(makeUrl(id), String.class); }
}
"""
IN_CSHARP = """\
class Base {
  protected virtual string Name => null;
  protected string MakeUrl(int id) => $"{Root}{Name}/{id}/";
}
class Documents : Base {
  protected override string Name => "documents";
  void Load(int id) { client.GetAsync(MakeUrl(id)); }
}
"""
IN_KOTLIN = """\
open class Base {
  open val name = ""
  fun makeUrl(id: Int): String = "$root/$name/$id/"
}
class Documents : Base() {
  override val name = "documents"
  fun load(id: Int) { restTemplate.getForObject(makeUrl(id), String::class.java) }
}
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("client.js", IN_JAVASCRIPT),
        ("client.py", IN_PYTHON),
        ("Client.java", IN_JAVA),
        ("Client.cs", IN_CSHARP),
        ("Client.kt", IN_KOTLIN),
    ],
)
def test_functions_of_other_languages_put_paths_together(path: str, text: str) -> None:
    found = edges_of({"server.py": MADE_ANSWERS, path: text}, path)
    assert {target for _, how, target in found if how == "route"} == {"server.document"}


def test_routes_in_the_list_of_an_include_are_below_its_path() -> None:
    nested = (
        "from django.urls import include, path, re_path\nfrom rest_framework import routers\n"
        "from views import Documents, Trash, Writing\n"
        "api_router = routers.DefaultRouter()\napi_router.register('documents', Documents)\n"
        "urlpatterns = [re_path('^api/', include([\n"
        "  re_path('^documents/', include([re_path('^merge/', Trash.as_view())])),\n"
        "  re_path('^search/', include([re_path('^$', Writing.as_view())])),\n"
        "  *api_router.urls]))]\n"
    )
    asking = [
        "client.get('/api/documents/merge/')",
        "requests.get(f'{base}documents/merge/')",
        "client.post('/api/search/')",
        "client.get('/api/documents/7/')",
        "client.get('/')",
    ]
    texts = {"urls.py": nested, "views.py": VIEWS, "client.py": "\n".join(asking)}
    assert edges_of(texts, "client.py") == {
        (1, "route", "views.Trash"),
        (1, "route", "views.Trash.get"),
        (2, "route", "views.Trash"),
        (2, "route", "views.Trash.get"),
        (3, "route", "views.Writing"),
        (3, "route", "views.Writing.post"),
        (4, "route", "views.Documents"),
        (4, "route", "views.Documents.retrieve"),
    }


def test_a_request_follows_the_function_that_makes_its_path() -> None:
    client = (
        'import axios from "axios";\nimport { userUrl, jobUrl } from "./paths";\n'
        "export const load = (id) => [axios.get(userUrl(id, 'orders')), axios.get(jobUrl(id))];\n"
    )
    tree = SourceTree({"paths.ts": PATHS, "client.ts": client, "app.py": MADE_ANSWERS})
    linked = link(tree)
    assert len([edge for edge in linked["client.ts"].edges if edge.strategy in FOUND_BY]) == 2
    for old, new in [
        ("`/api/users/${id}/${part}`", "id"),
        ("=> id;", "=> `/api/v1/jobs/${id}/steps/last`;"),
        ("`${BASE}/jobs/${id}`", "`${BASE}/users/${id}/orders`"),
        ("/orders`", "/bills`"),
    ]:
        tree = tree.edited("paths.ts", tree.texts()["paths.ts"].replace(old, new))
        linked = relink(linked, tree, "paths.ts")
        assert linked == link(tree)
