"""Bundles for questions of how something is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repo_mcp.bundle.bundling import Shop, made, shown

Tree = dict[str, str | bytes]

TREE: Tree = {
    "paint/mixer.py": "def mix_colours(one, other):\n    return (one + other) / 2\n",
    "paint/brush.py": "class Brush:\n    def stroke(self, colour):\n        return colour\n",
    "README.md": "# Paint\n\nPaint on walls.\n\n## Mixing\n\nPass two colours to `mix_colours`:\n\n"
    "    mix_colours(1, 2)\n",
    "CHANGELOG.md": "# Changes\n\n- mix_colours: mix colours of all kinds, colours are mixed\n",
    "examples/wall.py": "from paint.mixer import mix_colours\n\n\ndef wall():\n"
    "    return mix_colours(3, 4)\n",
    "tests/test_mixer.py": "def test_colours_are_mixed():\n    assert mix_colours(1, 3) == 2\n",
}
QUESTION = "How do I use mix_colours?"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return made(tmp_path_factory.mktemp("uses"), TREE)


def roles(shop: Shop, prompt: str) -> dict[str, str]:
    return {item.path: item.role for item in shop.ask(prompt).excerpts}


def test_a_document_and_an_example_come_first(shop: Shop) -> None:
    bundle = shop.ask(QUESTION)
    used = [item for item in bundle.excerpts if item.role == "use"]
    assert [item.path for item in used] == ["README.md", "examples/wall.py"]
    assert [*bundle.by_file()][:2] == ["README.md", "examples/wall.py"]
    assert "Pass two colours" in shown(bundle)["README.md"]
    assert "return mix_colours(3, 4)" in shown(bundle)["examples/wall.py"]
    assert "tells about" in used[0].rationale
    assert "an example with" in used[1].rationale
    # what is used is there, too
    assert "def mix_colours" in shown(bundle)["paint/mixer.py"]


def test_a_test_is_an_example_where_there_is_no_other(tmp_path: Path) -> None:
    tree = {path: text for path, text in TREE.items() if not path.startswith("examples")}
    assert roles(made(tmp_path, tree), QUESTION)["tests/test_mixer.py"] == "use"


def test_a_log_of_changes_does_not_tell_how_something_is_used(tmp_path: Path) -> None:
    log = "# How to use mix_colours\n\nUse mix_colours: mix colours, colours are mixed.\n"
    found = roles(made(tmp_path, {**TREE, "CHANGELOG.md": log}), QUESTION)
    assert [path for path, role in found.items() if role == "use"] == [
        "README.md",
        "examples/wall.py",
    ]


def test_other_questions_get_neither(shop: Shop) -> None:
    assert "use" not in roles(shop, "mix_colours returns half of what it should").values()


def test_what_has_little_of_the_question_is_no_example(tmp_path: Path) -> None:
    tree = {
        **TREE,
        "examples/wall.py": "def wall():\n    return 1\n",
        "tests/test_mixer.py": "def test_brush():\n    assert Brush()\n",
    }
    found = roles(made(tmp_path, tree), QUESTION)
    assert [path for path, role in found.items() if role == "use"] == ["README.md"]


def test_a_use_takes_a_part_of_the_lines(tmp_path: Path) -> None:
    long = "".join(f"    mix_colours({at}, {at})\n" for at in range(300))
    tree = {**TREE, "examples/wall.py": f"def wall():\n{long}"}
    bundle = made(tmp_path, tree).ask(QUESTION, max_total_lines=40)
    lines = sum(len(item.lines) for item in bundle.excerpts if item.role == "use")
    assert 0 < lines <= 16
    assert "paint/mixer.py" in shown(bundle)
