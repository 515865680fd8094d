"""Types from outside for which nothing of a repository stands are told by their names."""

from __future__ import annotations

import pytest

from code_graph.facts import MODULE, Declaration
from code_graph.language import load
from code_graph.language_table import LANGUAGES, language_named
from code_graph.query.edges import external_places
from repo_mcp.ask.library_types import judge_of_library_uses
from tests.code_graph.linked_files import FileDraft, graph_of, symbol_named


@pytest.mark.parametrize(
    ("language", "owner", "is_closed", "is_module"),
    [
        ("python", "builtins.list", True, False),
        ("python", "builtins.list.pop", False, False),
        ("python", "builtins.ValueError", True, False),
        ("python", "os", False, True),
        ("python", "os.path", False, True),
        ("python", "threading.Event", True, False),
        ("python", "queue.Queue.get", False, False),
        ("python", "copy.copy", False, False),
        ("python", "typing.Iterable", False, False),
        ("python", "collections.abc.Mapping", False, False),
        ("python", "io.RawIOBase", False, False),
        ("python", "io.BytesIO", True, False),
        ("python", "django.db.Model", False, False),
        ("go", "bytes.Buffer", True, False),
        ("go", "io.Writer", False, False),
        ("go", "error", False, False),
        ("go", "strings", False, True),
        ("go", "net.Dialer.Resolver", False, False),
        ("go", "reflect.ValueOf()", True, False),
        ("go", "errors.New()", False, False),
        ("rust", "Vec", True, False),
        ("rust", "Box", False, False),
        ("rust", "std.rc.Rc", False, False),
        ("rust", "core.mem", True, True),
        ("rust", "b.kind()", False, False),
        ("typescript", "Array", True, False),
        ("typescript", "Array.things", False, False),
        ("typescript", "Promise", False, False),
        ("typescript", "console", True, True),
        ("java", "java.util.List", True, False),
        ("java", "source.get()", False, False),
        ("java", "java.lang.StringBuilder.append().append()", True, False),
        ("java", "StringBuilder.length()", False, False),
        ("java", "List.append()", False, False),
        ("scala", "StringBuilder.append()", True, False),
        ("scala", "scala.collection.mutable.ListBuffer", True, False),
        ("scala", "HashMap.get()", False, False),
        ("scala", "kafka.Thing", False, False),
        ("kotlin", "Outer.List", False, False),
    ],
)
def test_a_type_is_told_by_its_name(
    language: str, owner: str, *, is_closed: bool, is_module: bool
) -> None:
    place = language_named(language).closed_types
    assert load(f"{place}:is_closed")(owner) is is_closed
    assert load(f"{place}:is_module")(owner) is is_module


@pytest.mark.parametrize("language", [row.name for row in LANGUAGES if row.closed_types])
def test_what_has_no_known_type_is_not_closed(language: str) -> None:
    place = language_named(language).closed_types
    for owner in ("", "found()", "a.b()"):
        assert not load(f"{place}:is_closed")(owner)
        assert not load(f"{place}:is_module")(owner)


def test_members_that_are_added_to_types_of_a_library_may_be_meant() -> None:
    """A class that is implicit, or an extension, gives members to types from outside."""
    code = FileDraft("a.scala", language="scala")
    code.declare("a.Log", "class").declare("a.Log.append", "method")
    code.declare("a.Rich", "class").declare("a.Rich.append", "method")
    code.declarations[:] = [
        Declaration("class", "Log", 1, 9, 1, 4, MODULE, "class Log"),
        Declaration("method", "append", 2, 3, 2, 4, 0, "def append"),
        Declaration("class", "Rich", 11, 19, 11, 4, modifiers=frozenset({"implicit"})),
        Declaration("method", "append", 12, 13, 12, 4, 2, "def append"),
    ]
    use = FileDraft("b.scala", language="scala").declare("b.use")
    use.outside("StringBuilder.append").outside("StringBuilder.append().append")
    graph = graph_of([code, use])
    places = [*external_places(graph, "append")]
    assert len(places) == 2
    plain, rich = (symbol_named(graph, name) for name in ("a.Log.append", "a.Rich.append"))
    assert all(map(judge_of_library_uses(graph, plain), places))
    assert not any(map(judge_of_library_uses(graph, rich), places))
