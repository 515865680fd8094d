"""A text that is given under another name, or no more, may break those who use it."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.changes import MAY_BREAK
from tests.repo_mcp.changes.reviews import places, reviewed

pytestmark = pytest.mark.servers
SERVER = """\
from flask import Flask
app = Flask(__name__)

@app.route("/users/<int:number>")
def user(number):
    return number
"""
FILES = {
    "server.py": SERVER,
    "client.ts": "export function load(id: number) {\n  return fetch(`/users/${id}`);\n}\n",
    "schema.sql": "CREATE TABLE users (id int);\n",
    "store.py": 'def rows(base):\n    return base.execute("SELECT id FROM users")\n',
}


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("server.py", "/users/", "/people/", [(MAY_BREAK, "client.ts", 2, "user")]),
        ("server.py", "<int:number>", "<int:other>", []),
        ("server.py", "user(number)", "user(number, more)", []),
        ("schema.sql", "users", "people", [(MAY_BREAK, "store.py", 2, "users")]),
        ("schema.sql", "id int", "id text", []),
    ],
)
def test_uses_of_a_text_that_nothing_gives_any_more_are_told(
    tmp_path: Path,
    path: str,
    old: str,
    new: str,
    expected: list[tuple[str, str, int, str]],
    *,
    linked: bool,
) -> None:
    review = reviewed(tmp_path, FILES, {path: FILES[path].replace(old, new)}, linked=linked)
    assert places(review) == expected


def test_a_route_that_another_file_gives_now_breaks_nothing(tmp_path: Path) -> None:
    review = reviewed(tmp_path, FILES, {"server.py": "", "moved.py": SERVER}, linked=True)
    assert [place for place in places(review) if place[1] == "client.ts"] == []
