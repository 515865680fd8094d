"""Edges along names of routes, pages, settings of frameworks, entities and paths of files."""

from __future__ import annotations

import pytest

from index_format.records import Record
from tests.code_graph.contracts.test_edges import edges_of


class Case(Record):
    """Texts by their paths, and the edges of the first of them: line, kind, target."""

    about: str
    texts: dict[str, str]
    edges: set[tuple[int, str, str]]


FLASK = (
    "from flask import Blueprint\npages = Blueprint('pages', __name__)\n"
    "@pages.route('/items')\ndef items(): ...\n"
)
DJANGO = (
    "from django.urls import path\nfrom shop.views import item\napp_name = 'shop'\n"
    "urlpatterns = [path('items/<int:n>', item, name='item')]\n"
)
LARAVEL = (
    "<?php\nuse App\\Admin\\ItemController;\n"
    "Route::prefix('admin')->name('admin.')->group(function () {\n"
    "    Route::resource('items', ItemController::class)->only(['index', 'show']);\n});\n"
    "Route::get('/about', [AboutController::class, 'show'])->name('about');\n"
)
CONTROLLERS = {
    "routes/web.php": LARAVEL,
    "app/Admin/ItemController.php": (
        "<?php\nnamespace App\\Admin;\nclass ItemController {\n  function index() {}\n"
        "  function show($id) {}\n  function store() {}\n}\n"
    ),
    "app/Api/ItemController.php": (
        "<?php\nnamespace App\\Api;\nclass ItemController {\n  function index() {}\n}\n"
    ),
    "app/AboutController.php": "<?php\nclass AboutController {\n  function show() {}\n}\n",
}
GIN = (
    'package users\nimport "github.com/gin-gonic/gin"\nfunc list(c *gin.Context) {}\n'
    "func one(c *gin.Context) {}\n"
    'func Register(r *gin.RouterGroup) {\n\tr.GET("/", list)\n\tr.GET("/:id", one)\n}\n'
    'func Other(r *gin.RouterGroup) {\n\tr.GET("/", one)\n}\n'
)
GIN_MAIN = (
    'package main\nimport ("github.com/gin-gonic/gin"; "example.com/app/users")\nfunc main() {\n'
    '\tr := gin.Default()\n\tv1 := r.Group("/api")\n\tusers.Register(v1.Group("/users"))\n}\n'
)
GIN_FILES = {"go.mod": "module example.com/app\n", "users/routes.go": GIN, "main.go": GIN_MAIN}
ENTITY = "@Entity\npublic class Item {}\n"
PAGE_MODEL = (
    "public class CheckoutModel : PageModel {\n  public void OnGet() {}\n"
    "  public void OnPostAsync() {}\n}\n"
)

CASES = [
    Case(
        "a route of a blueprint by its name",
        {"a.py": "from flask import url_for\nurl_for('pages.items')\n", "pages.py": FLASK},
        {(2, "route", "pages.items")},
    ),
    Case(
        "a route by the name of its module",
        {
            "a.py": "from flask import url_for\nurl_for('shop.items')\n",
            "shop/routes.py": "from shop import bp\n# flask\n@bp.route('/')\ndef items(): ...\n",
            "blog/routes.py": "from blog import bp\n# flask\n@bp.route('/')\ndef items(): ...\n",
        },
        {(2, "route", "shop.routes.items")},
    ),
    Case(
        "a name of Django, with the application's",
        {
            "a.py": "from django.shortcuts import redirect\nredirect('shop:item', 1)\n",
            "shop/urls.py": DJANGO,
            "shop/views.py": "def item(request, n): ...\n",
        },
        {(2, "route", "shop.views.item")},
    ),
    Case(
        "a name of Laravel",
        {"a.php": "<?php\n$x = route('about');\n", **CONTROLLERS},
        {(2, "route", "AboutController::show")},
    ),
    Case(
        "a resource by its name",
        {"a.php": "<?php\n$x = route('items.show', 1);\n", **CONTROLLERS},
        {(2, "route", "App\\Admin::ItemController::show")},
    ),
    Case(
        "a resource in a group, answered by the class that is imported",
        {"a.js": "axios.get('/admin/items');\n", **CONTROLLERS},
        {(1, "route", "App\\Admin::ItemController::index")},
    ),
    Case(
        "an action that is not chosen",
        {"a.js": "axios.post('/admin/items');\n", **CONTROLLERS},
        set(),
    ),
    Case(
        "a file of routes below a path",
        {
            "a.js": "axios.get('/api/items');\n",
            "urls.py": (
                "from django.urls import include, path\n"
                "urlpatterns = [path('api/', include('shop.api.urls')),"
                " path('', include('shop.urls'))]\n"
            ),
            "shop/urls.py": "from django.urls import path\nurlpatterns = [path('items/', page)]\n",
            "shop/api/urls.py": (
                "from django.urls import path\ndef listed(request): ...\n"
                "urlpatterns = [path('items/', listed)]\n"
            ),
        },
        {(1, "route", "shop.api.urls.listed")},
    ),
    Case(
        "a router that is required where it is mounted",
        {
            "a.js": "api.get('/items');\n",
            "server.js": (
                "const app = require('express')();\n"
                "app.use('/api/items', require('./routes/items'));\n"
            ),
            "routes/items.js": (
                "const router = require('express').Router();\nfunction list() {}\n"
                "router.get('/', list);\nmodule.exports = router;\n"
            ),
        },
        {(1, "route", "list")},
    ),
    Case(
        "a group that is handed to a function of another package",
        {
            "client.go": (
                'package main\nimport "net/http"\nfunc ask() {\n'
                '\thttp.Get(base + "/api/users/7")\n}\n'
            ),
            **GIN_FILES,
        },
        {(4, "route", "users.one")},
    ),
    Case(
        "the function of a group alone",
        {
            "client.go": (
                'package main\nimport "net/http"\nfunc ask() {\n'
                '\thttp.Get(base + "/api/users/")\n}\n'
            ),
            **GIN_FILES,
        },
        {(4, "route", "users.list")},
    ),
    Case(
        "a table of test cases",
        {
            "users/a_test.go": (
                'package users\nvar cases = []row{\n\t{"/api/users/7", "GET", ""},\n'
                '\t{"GET", "/api/users/", ""},\n\t{method: "PUT", path: "/api/users/7"},\n}\n'
                "func Test() { http.NewRequest(c.method, c.path, nil) }\n"
            ),
            **GIN_FILES,
        },
        {(3, "route", "users.one"), (4, "route", "users.list")},
    ),
    Case(
        "paths that constants of another file make",
        {
            "a.js": (
                "import { itemsURL, itemURL } from './urls';\n"
                "ownAxios\n  .get(itemURL(7))\n  .then(use);\n"
            ),
            "urls.js": (
                "const host = 'http://localhost:8000';\nexport const endpoint = `${host}/api`;\n"
                "export const itemURL = id => `${endpoint}/items/${id}/`;\n"
            ),
            "server.py": (
                "import flask\n@app.get('/api/items/<n>')\ndef item(n): ...\n"
                "@app.get('/items/<n>')\ndef page(n): ...\n"
            ),
        },
        {(3, "route", "server.item")},
    ),
    Case(
        "a constant that no file gives",
        {
            "a.js": "api.get(itemURL);\n",
            "server.py": "import flask\n@app.get('/')\ndef home(): ...\n",
        },
        set(),
    ),
    Case(
        "a name of Rails, and a page that it renders",
        {
            "app/controllers/items_controller.rb": (
                "class ItemsController < ApplicationController\n  def create\n"
                "    redirect_to item_path(1)\n    render 'items/row'\n  end\n"
                "  def show\n  end\nend\n"
            ),
            "config/routes.rb": "Rails.application.routes.draw do\n  resources :items\nend\n",
            "app/views/items/_row.html.erb": "<p></p>\n",
        },
        {
            (3, "route", "ItemsController::show"),
            (4, "template", "app/views/items/_row.html.erb"),
        },
    ),
    Case(
        "a page of Laravel, the one at the root of the views",
        {
            "a.php": "<?php\nreturn view('items.index', []);\n",
            "resources/views/items/index.blade.php": "<p></p>\n",
            "resources/views/admin/items/index.blade.php": "<p></p>\n",
        },
        {(2, "template", "resources/views/items/index.blade.php")},
    ),
    Case(
        "a page of Flask",
        {
            "a.py": "from flask import render_template\nrender_template('a/b.html')\n",
            "templates/a/b.html": "<p></p>\n",
            "templates/b.html": "<p></p>\n",
        },
        {(2, "template", "templates/a/b.html")},
    ),
    Case(
        "a page of Express without its ending",
        {
            "a.js": "// express\nfunction show(req, res) { res.render('items/show', {}); }\n",
            "views/items/show.ejs": "<p></p>\n",
        },
        {(2, "template", "views/items/show.ejs")},
    ),
    Case(
        "a page of Spring, and none of a word that is no page",
        {
            "A.java": (
                '@Controller\nclass A {\n  String a() { return "items/list"; }\n'
                '  String b() { return "other"; }\n}\n'
            ),
            "src/main/resources/templates/items/list.html": "<p></p>\n",
            "docs/other.html": "<p></p>\n",
        },
        {(3, "template", "src/main/resources/templates/items/list.html")},
    ),
    Case(
        "a page of Go",
        {
            "a.go": 'package a\nfunc a() {\n\tpages.ExecuteTemplate(w, "home", nil)\n}\n',
            "templates/home.html": "<p></p>\n",
        },
        {(3, "template", "templates/home.html")},
    ),
    Case(
        "a part of a page, and a route that it names",
        {
            "templates/a.jinja2": (
                "{% include 'parts/_head.html' %}\n<a href=\"{{ url_for('pages.items') }}\">\n"
            ),
            "templates/parts/_head.html": "<p></p>\n",
            "pages.py": FLASK,
        },
        {(1, "template", "templates/parts/_head.html"), (2, "route", "pages.items")},
    ),
    Case(
        "a setting of Flask",
        {
            "a.py": "from flask import current_app\ncurrent_app.config['ITEMS_PER_PAGE']\n",
            "config.py": "class Config:\n    ITEMS_PER_PAGE = 25\n",
        },
        {(2, "setting", "config.Config.ITEMS_PER_PAGE")},
    ),
    Case(
        "a setting of Django",
        {
            "a.py": "from django.conf import settings\nuse(settings.PAGE_SIZE)\n",
            "shop/settings.py": "INSTALLED_APPS = []\nPAGE_SIZE = 25\n",
        },
        {(2, "setting", "shop.settings.PAGE_SIZE")},
    ),
    Case(
        "a setting of Laravel, in the file that it names",
        {
            "a.php": "<?php\nconfig('app.size');\n",
            "config/app.php": "<?php\nreturn [\n  'size' => env('SIZE'),\n];\n",
            "config/mail.php": "<?php\nreturn [\n  'size' => env('MAIL'),\n];\n",
        },
        {(2, "setting", "config/app.php")},
    ),
    Case(
        "an entity in a query of JPQL",
        {
            "B.java": 'class B {\n  @Query("SELECT i FROM Item i")\n  void all();\n}\n',
            "Item.java": ENTITY,
        },
        {(2, "table", "Item")},
    ),
    Case(
        "a query that begins with a comment, of a table with a scheme",
        {
            "a.go": 'package a\nconst q = `-- name: All :many\nSELECT id\nFROM "shop".items\n`\n',
            "a.sql": 'CREATE TABLE "shop".items (id int);\n',
        },
        {(4, "table", "items")},
    ),
    Case(
        "a page that answers by its own path",
        {
            "a.cs": 'class A {\n  void B() { client.GetAsync("/Basket/Checkout"); }\n}\n',
            "src/Pages/Basket/Checkout.cshtml.cs": PAGE_MODEL,
        },
        {(2, "route", "CheckoutModel.OnGet")},
    ),
    Case(
        "a function that answers by its file's path",
        {
            "a.ts": "fetch('/api/items/7', { method: 'POST' });\n",
            "src/app/api/items/[id]/route.ts": (
                "export async function GET() {}\nexport async function POST() {}\n"
            ),
        },
        {(1, "route", "POST")},
    ),
    Case(
        "a procedure that a gateway calls for a path",
        {
            "a.js": "fetch(`${this.url}/v1/items`);\n",
            "shop.proto": (
                "service Shop {\n  rpc List (A) returns (B) {\n    option (google.api.http) = {\n"
                '      get: "/v1/items"\n    };\n  }\n}\n'
            ),
        },
        {(1, "route", "Shop.List")},
    ),
    Case(
        "a setting that a constant of another file names",
        {
            "A.cs": "class A {\n  void B() { config.GetSection(Names.BASE_URLS); }\n}\n",
            "Names.cs": 'class Names {\n  public const string BASE_URLS = "baseUrls";\n}\n',
            "appsettings.json": '{\n  "baseUrls": {}\n}\n',
        },
        {(2, "setting", "appsettings.json")},
    ),
    Case(
        "a path that an option of a request has from a variable",
        {
            "a.js": "const path = '/items/' + id;\n$http({\n  url: path,\n  method: 'GET'\n});\n",
            "server.py": "import flask\n@app.get('/items/<n>')\ndef item(n): ...\n",
        },
        {(2, "route", "server.item")},
    ),
    Case(
        "a function that puts its parameter behind a server, and takes the method",
        {
            "a.js": (
                "function one(id) { return call(`items/${id}`) }\n"
                "function add(it) { return call('items', 'POST', it) }\n"
                "async function call(path, method = 'get', data = null) {\n"
                "  let url = `${server || '/'}${path}`\n  return fetch(url, { method })\n}\n"
            ),
            "server.py": (
                "import flask\n@app.get('/items/<n>')\ndef item(n): ...\n"
                "@app.post('/items')\ndef added(): ...\n"
            ),
        },
        {(1, "route", "server.item"), (2, "route", "server.added")},
    ),
    Case(
        "the actions that tests of Rails ask for by name, and the pages they expect",
        {
            "test/items_test.rb": (
                "get items_path\npost items_path, params: {}\nget login_path\n"
                "assert_redirected_to root_url\nassert_template 'items/new'\n"
            ),
            "config/routes.rb": (
                "Rails.application.routes.draw do\n  root 'items#index'\n"
                "  get '/login', to: 'items#show'\n  resources :items\nend\n"
            ),
            "app/controllers/items_controller.rb": (
                "class ItemsController < ApplicationController\n  def index\n  end\n"
                "  def create\n    render 'new'\n  end\n  def show\n  end\nend\n"
            ),
            "app/views/items/new.html.erb": "<p></p>\n",
            "app/views/parts/new.html.erb": "<p></p>\n",
        },
        {
            (1, "route", "ItemsController::index"),
            (2, "route", "ItemsController::create"),
            (3, "route", "ItemsController::show"),
            (4, "route", "ItemsController::index"),
            (5, "template", "app/views/items/new.html.erb"),
        },
    ),
    Case(
        "a page of the controller's own folder",
        {
            "app/controllers/items_controller.rb": (
                "class ItemsController < ApplicationController\n  def create\n"
                "    render 'new'\n  end\nend\n"
            ),
            "app/views/items/new.html.erb": "<p></p>\n",
            "app/views/parts/new.html.erb": "<p></p>\n",
        },
        {(3, "template", "app/views/items/new.html.erb")},
    ),
    Case(
        "a table that a script makes, and one that code makes",
        {
            "a.go": (
                'package a\nfunc a() {\n\tdb.Query("SELECT id FROM items")\n'
                '\tdb.Query("SELECT id FROM parts")\n}\n'
            ),
            "make.sh": 'sqlite3 a.db "CREATE TABLE items (id int)"\n',
            "make.py": "db.execute('CREATE TABLE IF NOT EXISTS parts (id int)')\n",
        },
        {(3, "table", "make.sh"), (4, "table", "make")},
    ),
    Case(
        "functions of another file that request what they are given",
        {
            "a.ts": (
                "import Rest from './rest';\nexport const all = () => Rest.get<Item[]>('/items');\n"
                "export const add = (it) => Rest.post<Item>(`/items`, it);\n"
                "export const other = () => Rest.read('/items');\n"
            ),
            "rest.ts": (
                "export default class Rest {\n"
                "  static get<T>(url: string) { return Rest.request<T>('GET', url); }\n"
                "  static post<T>(url: string, d) { return Rest.request<T>('POST', url, d); }\n"
                "  static read(name: string) { return name; }\n"
                "  private static request<T>(method: string, url: string, data = null) {\n"
                "    return fetch(url, { method, body: data });\n  }\n}\n"
            ),
            "server.py": (
                "import flask\n@app.get('/items')\ndef items(): ...\n"
                "@app.post('/items')\ndef added(): ...\n"
            ),
        },
        {(2, "route", "server.items"), (3, "route", "server.added")},
    ),
    Case(
        "pages of Spring by constants, of tests, and where it redirects to",
        {
            "A.java": (
                '@Controller\nclass A {\n  static final String FORM = "items/form";\n'
                "  String a() { return FORM; }\n"
                '  String b() { return "redirect:/items/" + id; }\n'
                '  String c() { return "redirect:/items"; }\n'
                '  void d() { mvc.perform(x).andExpect(view().name("items/form")); }\n'
                '  @GetMapping("/items/{id}")\n  void one() {}\n'
                '  @GetMapping("/items")\n  void all() {}\n}\n'
            ),
            "src/main/resources/templates/items/form.html": "<p></p>\n",
        },
        {
            (4, "template", "src/main/resources/templates/items/form.html"),
            (5, "route", "A.one"),
            (6, "route", "A.all"),
            (7, "template", "src/main/resources/templates/items/form.html"),
        },
    ),
    Case(
        "a route of ASP.NET by its name",
        {
            "A.cs": 'class A {\n  void B() { CreatedAtRoute("GetItem", id); }\n}\n',
            "Items.cs": (
                '[Route("items")]\nclass Items {\n  [HttpGet("{id}", Name = "GetItem")]\n'
                "  public int One(int id) => 1;\n}\n"
            ),
        },
        {(2, "route", "Items.One")},
    ),
    Case(
        "a path that a function puts together",
        {
            "a.go": (
                'package a\nimport ("fmt"; "net/http")\nfunc a() {\n'
                '\tpath := fmt.Sprintf("%s/items/%d", base, 7)\n\thttp.Get(path)\n}\n'
            ),
            "server.py": "import flask\n@app.get('/items/<n>')\ndef item(n): ...\n",
        },
        {(5, "route", "server.item")},
    ),
    Case(
        "a client that is made of an interface",
        {
            "A.cs": 'interface A {\n  [Get("/shop/items/{id}")]\n  Task<Item> One(int id);\n}\n',
            "server.py": "import flask\n@app.get('/items/<n>')\ndef item(n): ...\n",
        },
        {(2, "route", "server.item")},
    ),
    Case(
        "a page of Razor by its name",
        {
            "A.cs": 'class A {\n  void B() { RedirectToPage("Basket/Checkout"); }\n}\n',
            "src/Pages/Basket/Checkout.cshtml.cs": PAGE_MODEL,
        },
        {(2, "route", "CheckoutModel.OnGet")},
    ),
    Case(
        "a route of Symfony in a comment",
        {
            "a.php": "<?php\n$found = curl_init('http://shop/api/items/7');\n",
            "ItemController.php": (
                '<?php\n/**\n * @Route("/api")\n */\nclass ItemController\n{\n'
                '    /**\n     * @Route(path="/items/{id}", methods={"GET"})\n     */\n'
                "    public function one($id) {}\n}\n"
            ),
        },
        {(2, "route", "ItemController::one")},
    ),
    Case(
        "a setting of .NET in the environment, and one in a further line of an image",
        {
            "A.cs": (
                'class A {\n  void B() {\n    config.GetSection("Shop:Size");\n'
                '    Environment.GetEnvironmentVariable("STORE");\n  }\n}\n'
            ),
            "compose.yaml": "services:\n  web:\n    environment:\n      - Shop__Size=7\n",
            "Dockerfile": "FROM base\nENV OTHER=1 \\\n    STORE=/data\n",
        },
        {(3, "setting", "Shop__Size"), (4, "setting", "base.STORE")},
    ),
    Case(
        "a setting of a platform",
        {
            "a.py": "import os\nos.environ['STORE']\n",
            "fly.toml": 'app = "a"\n[env]\n  STORE = "/data"\n',
        },
        {(2, "setting", "STORE")},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.about)
def test_a_text_leads_to_what_it_means(case: Case) -> None:
    kinds = {"route", "template", "setting", "table"}
    found = edges_of(case.texts, next(iter(case.texts)))
    assert {edge for edge in found if edge[1] in kinds} == case.edges


def test_a_request_is_the_end_of_the_route_with_least_before_it() -> None:
    texts = {
        "a.js": "api.get('/polls');\n",
        "A.java": (
            '@RequestMapping("/api/polls")\nclass Polls {\n  @GetMapping\n  void all() {}\n}\n'
            '@RequestMapping("/api")\nclass Users {\n  @GetMapping("/users/{name}/polls")\n'
            "  void polls() {}\n}\n"
        ),
    }
    assert edges_of(texts, "a.js") == {(1, "route", "Polls.all")}


@pytest.mark.parametrize(
    ("image", "is_set"),
    [
        ("Dockerfile", True),
        ("src/web/Dockerfile", True),
        ("src/docker/Dockerfile", True),
        ("web/Dockerfile", True),
        ("src/shop/Dockerfile", False),
        ("other/web/Dockerfile", False),
    ],
)
def test_an_image_sets_settings_of_the_code_in_its_folder(image: str, is_set: bool) -> None:  # noqa: FBT001 a case
    texts = {
        image: "FROM base\nENV STORE=/data\n",
        "src/web/a.py": "import os\nos.getenv('STORE')\n",
    }
    assert bool(edges_of(texts, "src/web/a.py")) == is_set


def test_a_request_through_a_gateway_names_the_service() -> None:
    served = "import flask\n@app.get('/get/<n>')\ndef one(n): ...\n"
    texts = {"a.js": "fetch(`/api/users/get/${id}`);\n"}
    texts |= {f"{name}/routes.py": served for name in ("users", "carts", "orders")}
    assert edges_of(texts, "a.js") == {(1, "route", "users.routes.one")}


def test_a_channel_varies_as_what_listens_to_it() -> None:
    texts = {
        "a.php": "<?php\nfunction told($post) { return new Channel('post.' . $post->id); }\n",
        "routes/channels.php": "<?php\nBroadcast::channel('post.{post}', PostChannel::class);\n",
    }
    assert {kind for _, kind, _ in edges_of(texts, "a.php")} == {"message"}
