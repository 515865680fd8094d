"""JSON has its documented shape, pictures are well-formed, and files and locks are respected."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from repo_mcp.answers.records import AnswerRecord, object_schema
from repo_mcp.cli import graph_arguments as names
from repo_mcp.cli.graph.records import ANSWERS, PackagesAnswer
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.stored import GRAPH_INDEX
from tests.repo_mcp.cli.graph.graph_process import PYTHON, Commands
from tests.repo_mcp.schemas import check_shape
from tests.repo_mcp.tree_files import write

pytestmark = pytest.mark.servers

COMMON: dict[str, Any] = {
    "command": {"type": "string"},
    "warnings": {"type": "array", "items": {"type": "string"}},
    "generation": {"type": "integer"},
    "text_generation": {"type": "integer"},
    "complete": {"type": "boolean"},
}
LINES = [
    ["symbols", "total"],
    ["callers", "add_tax", "--depth", "2"],
    ["callees", "add_tax", "--external"],
    ["implementations", "Price"],
    ["refs", "Price"],
    ["impact", "add_tax"],
    ["path", "test_total", "add_tax"],
    ["cycles"],
    ["unused"],
    ["graph", "Price"],
    ["graph", "--packages"],
]
PICTURES = [line for line in LINES if line[0] in {"callers", "callees", "impact", "path", "graph"}]
SVG = "{http://www.w3.org/2000/svg}"


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema, so that other fields than those named are refused."""
    found = dict(schema)
    if "properties" in found:
        parts = found["properties"].items()
        found["properties"] = {name: closed(part) for name, part in parts}
        found["additionalProperties"] = False
    if "items" in found:
        found["items"] = closed(found["items"])
    return found


def shape_of(line: list[str]) -> dict[str, Any]:
    kind: type[AnswerRecord] = PackagesAnswer if "--packages" in line else ANSWERS[line[0]]
    schema = object_schema(kind)
    schema = {**schema, "properties": {**schema["properties"], **COMMON}}
    return {**closed(schema), "required": [*schema["required"], *COMMON]}


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_json_has_the_documented_fields_and_no_others(shop: Commands, line: list[str]) -> None:
    done = shop(*line, "--json")
    assert done.code == 0
    check_shape(done.facts, shape_of(line))
    assert done.facts["complete"]


def test_equal_questions_get_equal_bytes(shop: Commands) -> None:
    for line in LINES:
        shop(*line, "--json")
        first, second = shop(*line, "--json").out, shop(*line, "--json").out
        assert first == second


@pytest.mark.parametrize("line", PICTURES, ids=" ".join)
def test_pictures_are_well_formed(shop: Commands, line: list[str]) -> None:
    svg = shop(*line, "--svg")
    root = ET.fromstring(svg.out)  # noqa: S314 it was made here
    assert root.tag == f"{SVG}svg"
    boxes = root.findall(f".//{SVG}g[@class]/{SVG}rect")
    assert boxes
    assert all(box.findtext(f"{SVG}title") for box in root.findall(f"{SVG}g"))
    dot = shop(*line, "--dot").out
    assert dot.startswith("digraph ")
    assert dot.count("->") >= 1
    assert (shop(*line, "--svg").out, shop(*line, "--dot").out) == (svg.out, dot)


def test_a_picture_without_results_is_not_drawn(shop: Commands) -> None:
    done = shop("callers", "_forgotten", "--svg")
    assert (done.code, done.out) == (1, "")


def test_a_picture_is_written_to_a_file_that_is_new_or_one(shop: Commands, tmp_path: Path) -> None:
    file = tmp_path / "picture.svg"
    done = shop("callers", "add_tax", "--svg", str(file))
    assert (done.code, done.out) == (0, "")
    assert "3 boxes drawn to" in done.err
    first = file.read_bytes()
    assert first.startswith(b"<svg ")
    assert shop("callers", "shop.tax.add_tax", "--svg", str(file)).code == 0
    assert file.read_bytes() == first
    empty, link = tmp_path / "empty.txt", tmp_path / "link.svg"
    empty.touch()
    link.symlink_to("target.svg")
    others = (shop.root / "shop" / "tax.py", tmp_path, tmp_path / "no" / "folder.svg", empty, link)
    for path in others:
        done = shop("callers", "add_tax", "--svg", str(path))
        assert done.code == 2
        assert "--svg" in done.err
    assert (shop.root / "shop" / "tax.py").read_text(encoding="utf-8") == PYTHON["shop/tax.py"]
    assert (empty.read_bytes(), (tmp_path / "target.svg").exists()) == (b"", False)


HOSTILE = 'a&b<c>"d]]>\u202e\x9b'


def test_hostile_names_are_escaped_everywhere(shop: Commands) -> None:
    source = "from shop.tax import add_tax\n\n\ndef evil():\n    return add_tax(1)  # <&>\n"
    write(shop.root, {f"shop/{HOSTILE}.py": source})
    svg = shop("callers", "add_tax", "--svg").out
    titles = [item.text or "" for item in ET.fromstring(svg).iter(f"{SVG}title")]  # noqa: S314 it was made here
    assert any('a&b<c>"d]]>\\u202e\\x9b' in title for title in titles)
    assert "\u202e" not in svg
    dot = shop("callers", "add_tax", "--dot").out
    assert '\\"d]]>\\\\u202e\\\\x9b' in dot
    text = shop("callers", "add_tax").out
    assert "\u202e" not in text
    assert "\x9b" not in text
    json.loads(shop("callers", "add_tax", "--json").out)


def manager_of(shop: Commands) -> IndexManager:
    return services(Options(str(shop.root), str(shop.data))).manager.single


def test_an_older_graph_answers_while_another_process_links(
    shop: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop("callers", "add_tax")
    write(shop.root, {"shop/new.py": "from shop.tax import add_tax\n\nadd_tax(2)\n"})
    monkeypatch.setattr("repo_mcp.indexing.keep.graph_linking.LOCK_WAIT", 0.0)
    store = manager_of(shop).recipe.store(GRAPH_INDEX)
    with store.lock(0.0):
        done = shop("callers", "add_tax", "--json")
    assert done.code == 0
    assert len(done.facts["results"]) == 2
    assert not done.facts["complete"]
    assert "still being linked" in done.facts["warnings"][0]
    assert len(shop("callers", "add_tax").lines) == 3


def test_an_interrupt_says_what_is_linked_and_the_next_command_goes_on(
    shop: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> Iterator[None]:
        raise KeyboardInterrupt

    heeded = signal.getsignal(signal.SIGINT)
    with monkeypatch.context() as patch:
        patch.setattr(IndexManager, "link", stop)
        try:
            done = shop("callers", "add_tax")
        finally:  # a command that was stopped ignores further interrupts, and so would this process
            signal.signal(signal.SIGINT, heeded)
    assert (done.code, done.out) == (130, "")
    assert "0 of 5 files are linked" in done.err
    assert "the next command continues from there" in done.err
    assert shop("callers", "add_tax").code == 0


@pytest.mark.parametrize("kept", [0.0, 0.5])
def test_a_damaged_graph_is_linked_again(shop: Commands, kept: float) -> None:
    before = shop("callers", "add_tax")
    segments = [*(shop.data / "graph").glob("*.rix")]
    assert segments
    for file in segments:
        size = file.stat().st_size
        whole = int(size * kept)
        file.write_bytes(file.read_bytes()[:whole] + bytes(size - whole))
    after = shop("callers", "add_tax")
    assert (after.code, after.out) == (0, before.out)


def test_colours_are_for_terminals_alone(shop: Commands) -> None:
    assert "\x1b" not in shop("callers", "add_tax").out


@pytest.mark.parametrize("command", names.GraphCommand)
def test_every_command_has_help_with_exit_codes(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from repo_mcp.cli import parser  # noqa: PLC0415 it is what is tested

    with pytest.raises(SystemExit):
        parser.parse([command, "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "Exit codes: 0 something was found; 1 nothing was found" in said


def test_graphviz_reads_what_is_written_if_it_is_there(shop: Commands) -> None:
    dot = shop("graph", "Price", "--dot").out
    try:
        done = subprocess.run(
            ["dot", "-Tplain"],  # noqa: S607 wherever it is
            input=dot,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        pytest.skip("Graphviz is not installed")
    assert done.returncode == 0
