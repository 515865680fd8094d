"""Servers, clients, models and queues of many libraries: each small source has its edges."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from code_graph.formats.toml import read_toml
from tests.code_graph.contracts.test_edges import edges_of

_DATA: Final = Path(__file__).with_name("data") / "stacks.toml"
EXAMPLES: Final[list[dict[str, Any]]] = read_toml(_DATA.read_bytes())["example"]
# the other side, if an example has one alone
CLIENT = "requests.get('/items/7')\n"
SERVED = "import flask\n@app.route('/items/<int:n>', methods=['GET'])\ndef item(n): ...\n"
SIDES: Final = {
    "server": ("other/client.py", CLIENT),
    "client": ("other/server.py", SERVED),
    "setting": (".env.example", "STORE=/data\n"),
    "table": ("other/schema.sql", "CREATE TABLE items (id int);\n"),
}
STRATEGIES: Final = {"server": "route", "client": "route"}


def named(example: dict[str, Any]) -> str:
    """The name of a test."""
    return f"{example['kind']} {example['name']}"


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_a_text_leads_to_what_gives_it(example: dict[str, Any]) -> None:
    kind, own = example["kind"], {example["path"]: example["text"]}
    also = {one["path"]: one["text"] for one in example.get("also", ())}
    beside = dict([SIDES[kind]]) if kind in SIDES and not also else {}
    using = next(iter(beside)) if kind == "server" else example["path"]
    found = edges_of({**beside, **also, **own}, using)
    strategy = STRATEGIES.get(kind, kind)
    targets = {target for _, how, target in found if how == strategy}
    assert targets == {*example["target"].split()}
