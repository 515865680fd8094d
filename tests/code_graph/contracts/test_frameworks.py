"""Each description of a framework finds what it describes: small sources and their edges."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_graph.contracts.descriptions import read_description
from code_graph.contracts.keys import BINDING
from code_graph.expressions import ContractRole
from code_graph.link.linker import GraphLinker
from code_graph.link.source_tree import SourceTree
from index_format.records import Record
from tests.code_graph.contracts.test_edges import edges_of
from tests.code_graph.contracts.test_stacks import EXAMPLES as STACKS

LANGUAGES = Path(__file__).parents[3] / "code_graph" / "languages"
PROTO = "service Shop {\n  rpc GetItem (Item) returns (Item);\n}\n"
SCHEMA = "CREATE TABLE items (id int);\n"
SETTINGS = "STORE=/data\n"
CLIENT = "requests.get('/items/7')\n"


class Example(Record):
    """Texts by their paths, and the edges that one of them has: line, kind, target."""

    texts: dict[str, str]
    path: str
    edges: set[tuple[int, str, str]]


def client(text: str, server: str, target: str, line: int = 1) -> Example:
    """A request of Python, and what answers it."""
    return Example({"client.py": CLIENT, server: text}, "client.py", {(line, "route", target)})


def request(path: str, text: str, line: int) -> Example:
    """A request of a client, which a server of Python answers."""
    served = "import flask\n@app.route('/items/<int:n>', methods=['GET'])\ndef item(n): ...\n"
    return Example({"server.py": served, path: text}, path, {(line, "route", "server.item")})


def setting(path: str, text: str, line: int, name: str = "STORE") -> Example:
    """A setting that is read, and set in a template of an environment."""
    texts = {".env.example": f"{name}=/data\n", path: text}
    return Example(texts, path, {(line, "setting", name)})


def query(path: str, text: str, line: int) -> Example:
    """A query, and the table that it is of."""
    return Example({"schema.sql": SCHEMA, path: text}, path, {(line, "table", "items")})


def procedure(path: str, text: str, line: int) -> Example:
    """A call of a procedure, and its description."""
    return Example({"shop.proto": PROTO, path: text}, path, {(line, "rpc", "Shop.GetItem")})


def implemented(path: str, text: str, target: str) -> Example:
    """An implementation of a procedure that a client of Python calls."""
    calling = "import shop_pb2_grpc\nstub.GetItem(item)\n"
    return Example({"client.py": calling, path: text}, "client.py", {(2, "rpc", target)})


def message(path: str, text: str, sender: int, target: str) -> Example:
    """A message that is sent and read in one file."""
    return Example({path: text}, path, {(sender, "message", target)})


KCONFIG = "config SMP\n\tdepends on MMU\n\nconfig MMU\n\tbool\n"
SMP = "/* CONFIG_MMU */\n#ifdef CONFIG_SMP\nint on = IS_ENABLED(CONFIG_MMU), CONFIG_NONE;\n#endif\n"
EXAMPLES = {
    "c/kconfig": Example(
        {"Kconfig": KCONFIG, "smp.c": SMP},
        "smp.c",
        {(2, "setting", "CONFIG_SMP"), (3, "setting", "CONFIG_MMU")},
    ),
    "kconfig/options": Example(
        {"Kconfig": KCONFIG, "smp.c": "#ifdef CONFIG_SMP\n#endif\n"},
        "smp.c",
        {(1, "setting", "CONFIG_SMP")},
    ),
    "make/kconfig": Example(
        {
            "Kconfig": KCONFIG,
            "Makefile": "# $(CONFIG_MMU)\no-$(CONFIG_SMP) += a.o\nX = CONFIG_MMU\n",
        },
        "Makefile",
        {(2, "setting", "CONFIG_SMP")},
    ),
    "c/native": Example(
        {
            "fast.c": (
                "static PyObject *speed(PyObject *self, PyObject *args) { return 0; }\n"
                'static PyMethodDef m[] = {{"speed_up", (PyCFunction) speed, METH_VARARGS}};\n'
                "PyMODINIT_FUNC PyInit_fast(void) { return 0; }\n"
            ),
            "use.py": "import fast\nfast.speed_up(1)\n",
        },
        "use.py",
        {(2, "native", "speed")},
    ),
    "csharp/aspnet": client(
        '[Route("items")]\npublic class Items {\n  [HttpGet("{id}")]\n'
        "  public int One(int id) => 1;\n}\n",
        "Items.cs",
        "Items.One",
    ),
    "csharp/grpc": procedure(
        "Client.cs",
        "using Grpc.Core;\nclass A {\n  void B() { client.GetItemAsync(new Item()); }\n}\n",
        3,
    ),
    "csharp/native": Example(
        {
            "fast.c": "int speed_up(int n) { return n; }\n",
            "Fast.cs": (
                'class Fast {\n  [DllImport("fast")]\n  static extern int speed_up(int n);\n}\n'
            ),
        },
        "Fast.cs",
        {(3, "native", "speed_up")},
    ),
    "csharp/settings": setting("A.cs", 'class A {\n  string B => Configuration["STORE"];\n}\n', 2),
    "csharp/sql": query("A.cs", 'class A {\n  string B = "SELECT id FROM items";\n}\n', 2),
    "csharp/tables": query("A.cs", 'class A {\n  void B() { e.ToTable("items"); }\n}\n', 2),
    "docker/environment": Example(
        {"Dockerfile": "FROM base\nENV STORE=/data\n", "a.py": "import os\nos.getenv('STORE')\n"},
        "a.py",
        {(2, "setting", "base.STORE")},
    ),
    "ecmascript/angular": Example(
        {
            "app/item.component.html": "<p>Item</p>\n",
            "app/item.component.ts": "@Component({\n  templateUrl: './item.component.html',\n})\n",
        },
        "app/item.component.ts",
        {(2, "template", "app/item.component.html")},
    ),
    "ecmascript/environment": setting("a.ts", "const { STORE } = process.env;\n", 1),
    "ecmascript/express": Example(
        {
            "app.js": (
                "import express from 'express';\nimport items from './items';\n"
                "const app = express();\napp.use('/items', items);\n"
            ),
            "items.js": (
                "import { Router } from 'express';\nconst router = Router();\n"
                "function one(request) {}\nrouter.get('/:id', one);\nexport default router;\n"
            ),
            "client.py": CLIENT,
        },
        "client.py",
        {(1, "route", "one")},
    ),
    "ecmascript/fetch": request("a.ts", "const id = 7;\naxios.get(`/items/${id}`);\n", 2),
    "ecmascript/graphql": Example(
        {
            "server.js": "const resolvers = {\n  Query: {\n    item: (parent) => 1,\n  },\n};\n",
            "client.tsx": (
                "const ITEM = gql`\n  query Item($id: ID!) {\n    item(id: $id) { id }\n  }\n`;\n"
            ),
        },
        "client.tsx",
        {(3, "rpc", "resolvers.Query.item")},
    ),
    "ecmascript/grpc": procedure(
        "a.js", "require('@grpc/grpc-js');\nclient.getItem({}, done);\n", 2
    ),
    "ecmascript/messages": message(
        "a.js",
        "// socket.io\nfunction told(socket) { socket.on('sold', () => {}); }\n"
        "function tell(socket) { socket.emit('sold', 1); }\n",
        3,
        "told",
    ),
    "ecmascript/node_events": Example(
        {
            "a.js": "function told(base) { base.on('sold', () => {}); }\n"
            "function tell(base) { base.emit('sold', 1); }\n"
        },
        "a.js",
        {(2, "framework", "told")},
    ),
    "ecmascript/native": Example(
        {
            "fast.cc": (
                "Napi::Value Speed(const Napi::CallbackInfo& info) { return info[0]; }\n"
                "Napi::Object Init(Napi::Env env, Napi::Object exports) {\n"
                '  exports.Set(Napi::String::New(env, "speedUp"),\n'
                "              Napi::Function::New(env, Speed));\n"
                "  return exports;\n}\n"
            ),
            "a.js": "const fast = require('bindings')('fast');\nfast.speedUp(1);\n",
        },
        "a.js",
        {(2, "native", "Speed")},
    ),
    "ecmascript/nest": client(
        "import { Controller, Get } from '@nestjs/common';\n@Controller('items')\n"
        "export class Items {\n  @Get(':id')\n  one() {}\n}\n",
        "items.ts",
        "Items.one",
    ),
    "ecmascript/sql": query("a.ts", "db.query('SELECT id FROM items');\n", 1),
    "general/objects": client(
        "serve({ method: 'GET', path: '/items/{id}', handler: show });\nfunction show() {}\n",
        "server.js",
        "show",
    ),
    "general/pages": Example(
        {
            "mail.py": "send(to, 'letters/welcome.html')\n",
            "pages/letters/welcome.html": "<p>hi</p>\n",
        },
        "mail.py",
        {(1, "template", "pages/letters/welcome.html")},
    ),
    "general/routes": client(
        "package shop\nfunc main() {\n"
        'web := server.New()\nweb.Get("/items/:id", show)\n}\nfunc show() {}\n',
        "shop.go",
        "shop.show",
    ),
    "go/environment": setting(
        "a.go", 'package a\nimport "os"\nfunc a() {\n\tos.Getenv("STORE")\n}\n', 4
    ),
    "go/gin": client(
        'package a\nimport "github.com/gin-gonic/gin"\nfunc one(c *gin.Context) {}\n'
        'func serve(r *gin.Engine) {\n\titems := r.Group("/items")\n\titems.GET("/:id", one)\n}\n',
        "a.go",
        "a.one",
    ),
    "go/grpc": procedure(
        "a.go",
        'package a\nimport "google.golang.org/grpc"\nfunc a() {\n'
        "\tpb.NewShopClient(conn).GetItem(ctx, nil)\n}\n",
        4,
    ),
    "go/httprouter": client(
        'package a\nimport "github.com/julienschmidt/httprouter"\n'
        "func one(w http.ResponseWriter, r *http.Request) {}\n"
        "func serve(r *httprouter.Router) {\n"
        '\tr.HandlerFunc(http.MethodGet, "/items/:id", one)\n}\n',
        "a.go",
        "a.one",
    ),
    "go/messages": message(
        "a.go",
        'package a\n// nats\nfunc read(c Conn) { c.Subscribe("sold", handle) }\n'
        'func send(c Conn) { c.Publish("sold", nil) }\n',
        4,
        "a.read",
    ),
    "go/native": Example(
        {
            "fast.c": "int speed_up(int n) { return n; }\n",
            "a.go": 'package a\nimport "C"\nfunc a() {\n\tC.speed_up(1)\n}\n',
        },
        "a.go",
        {(4, "native", "speed_up")},
    ),
    "go/net_http": client(
        'package a\nimport "net/http"\nfunc one(w http.ResponseWriter, r *http.Request) {}\n'
        'func serve() {\n\tr.HandleFunc("/items/{id}", one).Methods(http.MethodGet)\n}\n',
        "a.go",
        "a.one",
    ),
    "go/sql": query("a.go", 'package a\nvar q = "SELECT id FROM items"\n', 2),
    "graphql/graphql": Example(
        {
            "schema.graphql": "type Query {\n  item(id: ID!): Item\n}\n",
            "a.ts": "const ITEM = gql`query { item { id } }`;\n",
        },
        "a.ts",
        {(1, "rpc", "Query.item")},
    ),
    "java/clients": request(
        "A.java",
        "class A {\n  void b() {\n    client.get()\n"
        '      .uri("http://items/items/{id}", 7);\n  }\n}\n',
        4,
    ),
    "java/environment": setting(
        "A.java", 'class A {\n  String b = System.getenv("STORE");\n}\n', 2
    ),
    "java/grpc": procedure(
        "A.java", "// Grpc\nclass A {\n  void b() { stub.getItem(null); }\n}\n", 3
    ),
    "java/jax_rs": client(
        'import jakarta.ws.rs.*;\n@Path("/items")\nclass Items {\n'
        '  @GET @Path("/{id}")\n  String one() { return ""; }\n}\n',
        "Items.java",
        "Items.one",
    ),
    "java/messages": message(
        "A.java",
        'class A {\n  @KafkaListener(topics = "sold")\n  void read() {}\n'
        '  void send() { kafkaTemplate.send("sold", 1); }\n}\n',
        4,
        "A.read",
    ),
    "java/native": Example(
        {
            "fast.c": (
                "JNIEXPORT jint JNICALL Java_org_Fast_speedUp(JNIEnv *e, jobject o)\n"
                "{ return 1; }\n"
            ),
            "Fast.java": "class Fast {\n  private native int speedUp();\n}\n",
        },
        "Fast.java",
        {(2, "native", "Java_org_Fast_speedUp")},
    ),
    "java/spring": client(
        '@RequestMapping("/items")\nclass Items {\n  @GetMapping("/{id}")\n'
        "  int one() { return 1; }\n}\n",
        "Items.java",
        "Items.one",
    ),
    "java/sql": query("A.java", 'class A {\n  String b = "SELECT id FROM items";\n}\n', 2),
    "java/tables": query("A.java", '@Table(name = "items")\nclass A {}\n', 1),
    "kotlin/ktor": client(
        'import io.ktor.server.routing.*\nfun routes(r: Route) {\n  r.get("/items/{id}") { }\n}\n',
        "A.kt",
        "routes",
    ),
    "php/laravel": Example(
        {
            "routes/api.php": "<?php\nRoute::get('items/{id}', [ItemController::class, 'show']);\n",
            "ItemController.php": "<?php\nclass ItemController {\n  function show($id) {}\n}\n",
            "client.py": CLIENT,
        },
        "client.py",
        {(1, "route", "ItemController::show")},
    ),
    "php/slim": client(
        "<?php\n$app->get('/items/{id}', ItemController::class . ':show');\n"
        "class ItemController {\n  public function show($request) {}\n}\n",
        "routes.php",
        "ItemController::show",
    ),
    "php/sql": query("a.php", '<?php\n$q = "SELECT id FROM items";\n', 2),
    "protobuf/grpc": procedure("a.py", "import shop_pb2_grpc\nstub.GetItem(item)\n", 2),
    "python/django": client(
        "from django.urls import include, path\ndef one(request): ...\n"
        "item_urls = [\n    path('<int:n>', one),\n]\n"
        "urlpatterns = [\n    path('items/', include(item_urls)),\n]\n",
        "urls.py",
        "urls.one",
    ),
    "python/environment": setting("a.py", "import os\nstore = os.environ['STORE']\n", 2),
    "python/fastapi": client(
        "from fastapi import APIRouter\nrouter = APIRouter(prefix='/items')\n"
        "@router.get('/{id}')\ndef one(id): ...\n",
        "items.py",
        "items.one",
    ),
    "python/flask": client(
        "from flask import Flask\n@app.route('/items/<int:n>')\ndef one(n): ...\n", "a.py", "a.one"
    ),
    "python/django_settings": Example(
        {
            "settings.py": "INSTALLED_APPS = []\nPAGE_SIZE = 20\n",
            "use.py": "from django.conf import settings\nsettings.PAGE_SIZE\n",
        },
        "use.py",
        {(2, "setting", "settings.PAGE_SIZE")},
    ),
    "python/grpc": implemented(
        "server.py",
        "class Shop(ShopServicer):\n    def GetItem(self, request, context): ...\n",
        "server.Shop.GetItem",
    ),
    "python/messages": message(
        "a.py",
        "import redis\ndef read(bus):\n    bus.subscribe('sold')\n"
        "def send(bus):\n    bus.publish('sold', 1)\n",
        5,
        "a.read",
    ),
    "python/native": Example(
        {
            "fast.c": "int speed_up(int n) { return n; }\n",
            "a.py": "import ctypes\nlib = ctypes.CDLL('fast')\nlib.speed_up(1)\n",
        },
        "a.py",
        {(3, "native", "speed_up")},
    ),
    "python/pydantic_settings": setting(
        "a.py", "class Settings(BaseSettings):\n    STORE: str\n", 2
    ),
    "python/requests": request("a.py", "url = f'{base}/items/7'\nrequests.get(url)\n", 2),
    "python/sqlalchemy": Example(
        {
            "items.py": "class Item(Base):\n    __tablename__ = 'items'\n",
            "parts.py": "item = Column(Integer, ForeignKey('items.id'))\n",
        },
        "parts.py",
        {(1, "table", "items.Item")},
    ),
    "python/sql": query("a.py", "db.execute('SELECT id FROM items')\n", 1),
    "ruby/rails": Example(
        {
            "config/routes.rb": "Rails.application.routes.draw do\n  resources :items\nend\n",
            "app/items_controller.rb": (
                "class ItemsController < ApplicationController\n  def show\n  end\nend\n"
            ),
            "client.py": CLIENT,
        },
        "client.py",
        {(1, "route", "ItemsController::show")},
    ),
    "ruby/sinatra": client("require 'sinatra'\nget '/items/:id' do\nend\n", "a.rb", "a.rb"),
    "ruby/sql": query("a.rb", "db.exec('SELECT id FROM items')\n", 1),
    "rust/actix": client('#[get("/items/{id}")]\nasync fn one() {}\n', "a.rs", "crate::a::one"),
    "rust/axum": client(
        "fn one() {}\nfn routes() -> Router {\n"
        '    Router::new().route("/items/:id", get(one))\n}\n',
        "a.rs",
        "crate::a::one",
    ),
    "rust/environment": setting("a.rs", 'fn a() {\n    std::env::var("STORE");\n}\n', 2),
    "rust/hyper": client(
        'fn answer() {\n    match x {\n        (&Method::GET, "/items/7") => one(),\n    }\n}\n',
        "a.rs",
        "crate::a::answer",
    ),
    "rust/reqwest": request("a.rs", 'fn a() {\n    reqwest::get("/items/7");\n}\n', 2),
    "rust/sql": query("a.rs", 'fn a() {\n    sqlx::query("SELECT id FROM items");\n}\n', 2),
    "settings/settings": Example(
        {
            "compose.yaml": "services:\n  web:\n    environment:\n      - STORE=/data\n",
            "a.py": "import os\nos.getenv('STORE')\n",
        },
        "a.py",
        {(2, "setting", "STORE")},
    ),
    "shell/sql": Example(
        {
            "make.sh": 'sqlite3 a.db "CREATE TABLE items (id int)"\n',
            "a.py": "db.execute('SELECT id FROM items')\n",
        },
        "a.py",
        {(1, "table", "make.sh")},
    ),
    "sql/tables": query("a.py", "db.execute('DELETE FROM items')\n", 1),
    "template/pages": Example(
        {"templates/base.html": "<p></p>\n", "templates/a.html": '{% extends "base.html" %}\n'},
        "templates/a.html",
        {(1, "template", "templates/base.html")},
    ),
    "workflow/environment": Example(
        {
            ".github/workflows/a.yml": "jobs:\n  a:\n    env:\n      STORE: /data\n",
            "a.py": "import os\nos.getenv('STORE')\n",
        },
        "a.py",
        {(2, "setting", "jobs.a")},
    ),
}


def has_contracts(file: Path) -> bool:
    """A description says more than what a library calls, and what templates name.

    Examples of these are in test_hooks and test_templates.
    """
    rules, _ = read_description(file.name, file.read_text(encoding="utf-8"))
    return any(rule.role != ContractRole.RUNS and rule.kind != BINDING for rule in rules)


def test_each_description_of_contracts_has_an_example() -> None:
    files = filter(has_contracts, LANGUAGES.glob("*/frameworks/*.toml"))
    found = {f"{file.parts[-3]}/{file.stem}" for file in files}
    of_stacks = {one["description"] for one in STACKS if "description" in one}
    assert found
    assert sorted(EXAMPLES.keys() | of_stacks) == sorted(found)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_description_finds_its_edges(name: str) -> None:
    example = EXAMPLES[name]
    found = edges_of(example.texts, example.path)
    kinds = {kind for _, kind, _ in example.edges}
    assert {edge for edge in found if edge[1] in kinds} == example.edges


@pytest.mark.parametrize(
    ("name", "edited", "old", "new"),
    [
        ("ecmascript/express", "items.js", "'/:id'", "'/:id/parts'"),
        ("ecmascript/express", "app.js", "'/items'", "'/things'"),
        ("ruby/rails", "config/routes.rb", ":items", ":things"),
        ("ruby/rails", "app/items_controller.rb", "def show", "def list"),
        ("php/laravel", "routes/api.php", "'show'", "'other'"),
        ("c/native", "fast.c", "speed_up", "slow_down"),
    ],
)
def test_a_use_is_linked_again_when_what_it_leads_to_changes(
    name: str, edited: str, old: str, new: str
) -> None:
    example = EXAMPLES[name]
    tree = SourceTree(example.texts)
    linker = GraphLinker(tree)
    dependencies = {*linker.link(example.path).dependencies}
    before = dict(linker.link(edited).exports)
    changed = SourceTree({**example.texts, edited: example.texts[edited].replace(old, new)})
    after = dict(GraphLinker(changed).link(edited).exports)
    keys = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    assert keys & dependencies
