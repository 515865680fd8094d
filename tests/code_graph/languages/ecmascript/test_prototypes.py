"""Objects that are made of prototypes have their members, and what is stored in them."""

from __future__ import annotations

from tests.code_graph.sources import calls

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
