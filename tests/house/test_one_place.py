"""A name that several modules must agree on stands in one of them, and the others import it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from code_graph.store.schema import CODE, EDGES, EXPORTS, FACTS, GRAPH_FIELDS, SHARED, SYMBOLS
from index_format.layout import SectionTag
from repo_mcp.stored import FIELDS

ROOT = Path(__file__).parents[2]
PACKAGES = ("index_format", "code_graph", "repo_mcp")
LAYOUT = ROOT / "index_format" / "layout.py"
STORED = ROOT / "repo_mcp" / "stored.py"
GRAPH_STORED = ROOT / "code_graph" / "store" / "schema.py"
CONSOLE = ROOT / "repo_mcp" / "console.py"
# it has fields and names of its own, and knows nothing of the index
PROTOCOL = ROOT / "repo_mcp" / "protocol"
TEXT_NAMES = frozenset({*FIELDS, FACTS})
GRAPH_NAMES = frozenset({*GRAPH_FIELDS, CODE, EDGES, FACTS, EXPORTS, SHARED, SYMBOLS})
# what takes the name of a field or an attachment
TAKES_A_NAME = frozenset(
    {"Field", "Phrase", "Prefix", "WeightedTerm", "Word", "attachment", "attachment_of", "number"}
)


def tag_literals(source: str, tags: set[bytes]) -> list[bytes]:
    """The tags that stand in a module as a literal."""
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return [node.value for node in nodes if isinstance(node.value, bytes) and node.value in tags]


def stored_names(source: str, names: frozenset[str] = TEXT_NAMES) -> Iterator[tuple[int, str]]:
    """Lines in which a field or an attachment is named by a literal."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if (
                name in TAKES_A_NAME or _asks_attachments(node)
            ):
                yield from _named([*node.args, *(item.value for item in node.keywords)], names)
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value) if (
                node in tree.body
            ):
                yield from _named([value, *getattr(value, "elts", [])], names)
            case ast.BoolOp(values=values):  # `field or "body"`
                yield from _named(values, names)


def _asks_attachments(call: ast.Call) -> bool:
    """True if this is `….attachments.get(…)`."""
    match call.func:
        case ast.Attribute(attr="get", value=ast.Attribute(attr="attachments")):
            return True
    return False


def _named(nodes: list[ast.expr], names: frozenset[str]) -> Iterator[tuple[int, str]]:
    for node in nodes:
        if isinstance(node, ast.Constant) and node.value in names:
            yield node.lineno, str(node.value)


def test_section_tags_stand_in_the_list_of_sections_alone() -> None:
    tags = {tag.value for tag in SectionTag}
    listed = tag_literals(LAYOUT.read_text(encoding="utf-8"), tags)
    assert listed == [tag.value for tag in SectionTag]
    files = [file for file in (ROOT / "index_format").rglob("*.py") if file != LAYOUT]
    assert files
    found = {str(file): tag_literals(file.read_text(encoding="utf-8"), tags) for file in files}
    assert {file: values for file, values in found.items() if values} == {}


def test_fields_and_attachments_are_named_in_one_place() -> None:
    files = [file for file in (ROOT / "repo_mcp").rglob("*.py") if PROTOCOL not in file.parents]
    files.remove(STORED)
    assert files
    found = {str(file): list(stored_names(file.read_text(encoding="utf-8"))) for file in files}
    assert {file: names for file, names in found.items() if names} == {}


def test_fields_and_attachments_of_the_graph_are_named_in_one_place() -> None:
    rooms = [ROOT / "code_graph" / room for room in ("export", "query", "store")]
    files = [file for room in rooms for file in room.rglob("*.py")]
    files.remove(GRAPH_STORED)
    assert files
    sources = {str(file): file.read_text(encoding="utf-8") for file in files}
    found = {file: list(stored_names(source, GRAPH_NAMES)) for file, source in sources.items()}
    assert {file: names for file, names in found.items() if names} == {}


def printing_lines(source: str) -> Iterator[int]:
    """Lines that print, or write to a standard stream."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="print")):
                yield node.lineno
            case ast.Call(
                func=ast.Attribute(
                    attr="write" | "writelines", value=ast.Attribute(attr="stdout" | "stderr")
                )
            ):
                yield node.lineno


def test_one_module_prints() -> None:
    files = [file for name in PACKAGES for file in (ROOT / name).rglob("*.py")]
    found = {file: list(printing_lines(file.read_text(encoding="utf-8"))) for file in files}
    assert [file for file, lines in found.items() if lines] == [CONSOLE]


@pytest.mark.parametrize("line", ["print(1)", "sys.stderr.write('x')", "sys.stdout.writelines([])"])
def test_printing_is_noticed(line: str) -> None:
    assert list(printing_lines(line)) == [1]


@pytest.mark.parametrize(
    "line",
    [
        "snapshot.schema.number('body')",
        "snapshot.attachment(path, 'facts')",
        "snapshot.attachment_of(chunk, kind='facts')",
        "reader.attachments.get(number, 'facts')",
        "WeightedTerm('symbol', b'x')",
        "_FIELD: Final = 'doc'",
        "_FIELDS = ('path', NAME)",
        "number(field or 'body')",
    ],
)
def test_a_literal_is_noticed(line: str) -> None:
    assert [at for at, _ in stored_names(line)] == [1]


@pytest.mark.parametrize(
    "line", ["number('How many')", "given.get('path')", "found = {'path': path}", "NAME = names[0]"]
)
def test_other_texts_are_left_alone(line: str) -> None:
    assert list(stored_names(line)) == []


DOORS = sorted(
    ".".join(file.parent.relative_to(ROOT).parts)
    for package in PACKAGES
    for file in (ROOT / package).rglob("__init__.py")
    if "import_on_first_use(" in file.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("door", DOORS)
def test_what_a_door_imports_for_checkers_is_imported_on_first_use(door: str) -> None:
    """Names that are loaded on first use are strings, which no type checker follows."""
    module = import_module(door)
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    blocks = (node.body for node in tree.body if isinstance(node, ast.If))
    imports = [node for block in blocks for node in block if isinstance(node, ast.ImportFrom)]
    for node in imports:
        for name in node.names:
            of_module = getattr(import_module(str(node.module)), name.name)
            assert getattr(module, name.name) is of_module
    listed = [name for names in module._LATE.values() for name in names.split()]
    assert sorted(listed) == sorted(name.name for node in imports for name in node.names)
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = module.nothing_of_the_kind
