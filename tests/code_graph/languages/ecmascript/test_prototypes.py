"""Objects that are made of prototypes have their members, and what is stored in them."""

from __future__ import annotations

from code_graph import SourceTree
from tests.code_graph.sources import calls, edges, link

PARTS = {
    "context.js": "module.exports = {\n  get query() { return parse() },\n  send() {}\n}\n"
    "function parse() {}\n",
    "request.js": "module.exports = {\n  accept() {}\n}\n",
    "app.js": "const Emitter = require('events')\nconst context = require('./context')\n"
    "const request = require('./request')\n"
    "module.exports = class App extends Emitter {\n  constructor() {\n    super()\n"
    "    this.context = Object.create(context)\n    this.request = Object.create(request)\n  }\n"
    "  make(asked) {\n    const made = Object.create(this.context)\n"
    "    const inner = (made.request = Object.create(this.request))\n    inner.made = made\n"
    "    return made\n  }\n}\n",
}


def test_an_object_has_the_members_of_its_prototype_and_what_is_stored_in_it() -> None:
    use = (
        "const App = require('./app')\nfunction use(app) {\n  app = app || new App()\n"
        "  const made = app.make()\n  made.send()\n  made.request.accept()\n"
        "  made.request.made.send()\n}\n"
    )
    found = calls({**PARTS, "use.js": use})
    made = {"use calls exports.App.make", "use calls exports.send", "use calls exports.accept"}
    assert made <= found


def test_a_literal_as_prototype_has_members_of_what_its_function_makes() -> None:
    text = (
        "function Box() { this.size = 1 }\nBox.prototype = {\n  open() { help() },\n"
        "  close: function () {}\n}\nfunction help() {}\n"
        "function use() { const box = new Box(); box.open(); box.close() }\n"
    )
    found = calls({"box.js": text})
    assert any(row.startswith("use calls") and row.endswith("open") for row in found)
    assert any(row.startswith("use calls") and row.endswith("close") for row in found)


def test_an_object_passes_members_on_to_one_that_it_holds() -> None:
    context = (
        "const delegate = require('delegates')\nconst proto = module.exports = {}\n"
        "delegate(proto, 'request')\n  .method('accept')\n  .access('path')\n"
    )
    request = "module.exports = {\n  accept() {},\n  get path() { return 1 },\n  other() {}\n}\n"
    use = (
        "const App = require('./app')\nfunction use() {\n  const made = new App().make()\n"
        "  made.accept()\n  made.other()\n  return made.path\n}\n"
    )
    sources = {**PARTS, "context.js": context, "request.js": request, "use.js": use}
    found = {row for row in edges(link(SourceTree(sources))) if row.startswith("use ")}
    assert "use calls exports.accept generic" in found
    assert "use references exports.path generic" in found
    assert not any("exports.other" in row for row in found)
    plain = {**sources, "context.js": context.replace("'delegates'", "'./request'")}
    assert "use calls exports.accept generic" not in edges(link(SourceTree(plain)))
