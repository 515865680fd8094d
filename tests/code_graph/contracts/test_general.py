"""Routes, requests and settings of libraries that no description names."""

from __future__ import annotations

import pytest

from tests.code_graph.contracts.test_edges import edges_of

CLIENT = "requests.get('/items/7')\n"
SERVED = "import flask\n@app.route('/items/<int:n>', methods=['GET'])\ndef item(n): ...\n"


def routes_from(path: str, texts: dict[str, str]) -> set[tuple[int, str]]:
    """The edges along routes that a file has: line and target."""
    return {(line, target) for line, kind, target in edges_of(texts, path) if kind == "route"}


def answers(path: str, text: str) -> set[str]:
    """The declarations of one file that a request of Python reaches."""
    return {target for _, target in routes_from("client.py", {"client.py": CLIENT, path: text})}


@pytest.mark.parametrize(
    ("path", "text", "target"),
    [
        ("a.py", "@web.get('/items/{id}')\nasync def show(id): ...\n", "a.show"),
        ("a.js", "web.get('/items/:id', check, show);\nfunction show() {}\n", "show"),
        ("a.js", "function serve() { web.get('/items/:id', (q) => q); }\n", "serve"),
        ("a.js", "web.add('GET', '/items/:id', show);\nfunction show() {}\n", "show"),
        (
            "a.rs",
            'fn a() { web.at("/items/:id").get("/items/:id", show); }\nfn show() {}\n',
            "crate::a::show",
        ),
        ("a.js", "web.route('/items/:id').get(show).put(other);\nfunction show() {}\n", "show"),
        (
            "a.js",
            (
                "const web = new Router({ prefix: '/items' });\n"
                "web\n// one\n.put('/:id', x)\n// two\n.get('/:id', show)\nfunction show() {}\n"
            ),
            "show",
        ),
        ("a.ts", "class A {\n  @Get('items/:id')\n  show() {}\n}\n", "A.show"),
        (
            "a.go",
            (
                'package a\nfunc f() {\n\tx := r.Group("/items")\n\tx.Get("/:id", show)\n}\n'
                "func show() {}\n"
            ),
            "a.show",
        ),
    ],
)
def test_a_path_and_a_function_are_a_route(path: str, text: str, target: str) -> None:
    assert answers(path, text) == {target}


@pytest.mark.parametrize(
    "text",
    [
        "web.get('/items/:id', options);\nconst options = {};\n",
        "web.get('/items/:id');\n",
        "cache.find('/items/:id', show);\nfunction show() {}\n",
    ],
)
def test_a_path_without_a_function_or_a_verb_is_no_route(text: str) -> None:
    assert answers("a.js", text) == set()


def test_a_mock_of_a_test_is_no_route() -> None:
    text = "web.get('/items/:id', show);\nfunction show() {}\n"
    assert answers("tests/a.test.js", text) == set()


def test_a_request_leads_to_the_end_of_a_path_that_varies_least_before() -> None:
    server = (
        "import flask\n@app.get('/api/v1/items/<n>')\ndef item(n): ...\n"
        "@app.get('/<language>/items/<n>')\ndef page(language, n): ...\n"
    )
    found = routes_from("client.py", {"client.py": CLIENT, "server.py": server})
    assert found == {(1, "server.item")}


def test_a_described_route_counts_before_a_likely_one() -> None:
    texts = {
        "client.py": CLIENT,
        "server.py": SERVED,
        "a.js": "web.get('/items/:id', show);\nfunction show() {}\n",
    }
    assert routes_from("client.py", texts) == {(1, "server.item")}


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("a.js", "thing.get('/items/7');\n", 1),
        ("a.js", "thing.get(`${base}/items/${id}`, options);\n", 1),
        ("a.js", "send({ method: 'GET', url: '/items/7' });\n", 1),
        ("a.js", "const api = { query: (id) => `/items/${id}` };\n", 1),
        ("a.go", 'package a\nfunc f() {\n\tthing.Get("/items/7")\n}\n', 3),
        ("a.cs", 'class A { void F() { thing.HttpGet<Item>("items/7"); } }\n', 1),
        ("a.py", "thing.get(BASE + '/items/7')\n", 1),
        ("A.java", 'class A {\n  void f() { thing.get("/items/7"); }\n}\n', 2),
        ("a.ts", "interface A {\n  @Get('/items/{id}')\n  show(): void;\n}\n", 2),
    ],
)
def test_a_path_and_no_function_are_a_request(path: str, text: str, line: int) -> None:
    found = routes_from(path, {"server.py": SERVED, path: text})
    assert found == {(line, "server.item")}


def test_a_request_that_two_handlers_answer_leads_nowhere() -> None:
    other = SERVED.replace("item(n)", "again(n)")
    texts = {"server.py": SERVED, "other.py": other, "a.js": "thing.get('/items/7');\n"}
    assert routes_from("a.js", texts) == set()


def test_a_function_of_another_file_that_requests_its_path_is_followed() -> None:
    texts = {
        "server.py": SERVED,
        "rest.py": "import requests\ndef load(path):\n    return requests.get(path)\n",
        "page.py": "from rest import load\nload('/items/7')\n",
    }
    assert routes_from("page.py", texts) == {(2, "server.item")}


def test_keys_of_yaml_are_settings_by_their_path() -> None:
    texts = {
        "application.yml": "spring:\n  name: a\nstore:\n  path: /data\n  size: 3\n",
        "A.java": 'class A {\n  @Value("${store.path}") String path;\n}\n',
    }
    found = {row for row in edges_of(texts, "A.java") if row[1] == "setting"}
    assert found == {(2, "setting", "application.yml")}


def test_a_script_answers_requests_of_its_path() -> None:
    texts = {"web/shop/login.php": "<?php echo 1;\n", "a.js": "fetch('shop/login.php?next=1');\n"}
    assert routes_from("a.js", texts) == {(1, "web/shop/login.php")}


def test_a_constant_of_another_file_may_be_the_path_of_a_route() -> None:
    texts = {
        "client.py": CLIENT,
        "a/Paths.java": (
            'package a;\npublic class Paths {\n  static final String ONE = "/items/{id}";\n}\n'
        ),
        "a/Main.java": (
            "package a;\nclass Main {\n  void serve() { web.get(Paths.ONE, Main::show); }\n"
            "  static void show() {}\n}\n"
        ),
    }
    assert routes_from("client.py", texts) == {(1, "a.Main.show")}
    texts["a.js"] = "web.get('/items/:id', show);\nfunction show() {}\n"  # which names it itself
    assert routes_from("client.py", texts) == {(1, "show")}


def test_a_constant_of_another_file_may_name_a_page() -> None:
    texts = {
        "a/Paths.java": (
            'package a;\npublic class Paths {\n  static final String ONE = "/shop/one.vm";\n}\n'
        ),
        "a/Main.java": "package a;\nclass Main {\n  void show() { web.render(Paths.ONE); }\n}\n",
        "pages/shop/one.vm": "<p>hi</p>\n",
    }
    found = {row for row in edges_of(texts, "a/Main.java") if row[1] == "template"}
    assert found == {(3, "template", "pages/shop/one.vm")}


def test_a_link_of_a_page_is_a_request_if_a_server_has_its_path() -> None:
    page = "<a href='/items/{{ id }}'>one</a>\n<a href='/about'>us</a>\n"
    texts = {"server.py": SERVED, "pages/shop.hbs": page}
    assert routes_from("pages/shop.hbs", texts) == {(1, "server.item")}


def test_a_query_of_a_file_of_sql_names_tables_of_others() -> None:
    texts = {
        "schema.sql": "CREATE TABLE items (id int);\n",
        "queries.sql": "-- name: All\nSELECT id FROM shop.items;\n",
    }
    assert edges_of(texts, "queries.sql") == {(2, "table", "items")}


def test_a_query_over_several_lines_between_plain_quotes_names_tables() -> None:
    texts = {
        "schema.sql": "CREATE TABLE items (id int);\n",
        "a.php": "<?php\n$db->query('SELECT id\n  FROM items\n  WHERE id = 7');\n",
    }
    assert edges_of(texts, "a.php") == {(3, "table", "items")}


def test_a_route_that_names_its_options_is_no_request() -> None:
    routes = "const all = [{ method: 'GET', path: '/items/{id}', options: show }];\n"
    texts = {"server.py": SERVED, "a.js": f"{routes}const show = {{ handler: () => 1 }};\n"}
    assert routes_from("a.js", texts) == set()


def test_a_template_in_a_template_is_what_varies() -> None:
    served = SERVED.replace("/<int:n>", "").replace("item(n)", "items()")
    texts = {"server.py": served, "a.js": "fetch(`/items${id ? `/${id}` : ''}`);\n"}
    assert routes_from("a.js", texts) == {(1, "server.items")}


def test_a_request_with_one_of_two_methods_leads_to_both_handlers() -> None:
    server = (
        "import flask\n@app.route('/items', methods=['PUT'])\ndef change(): ...\n"
        "@app.route('/items', methods=['POST'])\ndef add(): ...\n"
    )
    client = "fetch('/items', { method: item.id ? 'PUT' : 'POST', body: item });\n"
    found = routes_from("a.js", {"server.py": server, "a.js": client})
    assert found == {(1, "server.add"), (1, "server.change")}
