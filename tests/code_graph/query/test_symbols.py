"""Symbols are found by id, qualified name, words and file."""

from __future__ import annotations

from code_graph.query.search import SymbolFilter, search_symbols
from code_graph.query.snapshot import GraphSnapshot
from tests.code_graph.linked_files import FileDraft, graph_of, id_of


def sample() -> GraphSnapshot:
    auth = FileDraft("auth.py", "server").declare("auth.AuthService", "class", public=True)
    auth.declare("auth.AuthService.log_in", "method", parent=0).declare("auth.authorise")
    first = FileDraft("a.cs", "web", "csharp").declare("Web.Page", "class", primary=False)
    second = FileDraft("b.cs", "web", "csharp").declare("Web.Page", "class")
    return graph_of([auth, first, second])


def names(graph: GraphSnapshot, query: str, chosen: SymbolFilter = SymbolFilter()) -> list[str]:  # noqa: B008
    return [hit.symbol.qualified_name for hit in search_symbols(graph, query, 10, chosen)]


def test_an_id_gives_the_primary_part_and_all_spans() -> None:
    graph = sample()
    symbol = graph.symbol(id_of("Web.Page"))
    assert symbol is not None
    assert (symbol.path, symbol.start_line, symbol.end_line) == ("b.cs", 1, 10)
    assert (symbol.name, symbol.language, symbol.project) == ("Page", "csharp", "web")
    assert [item.path for item in graph.spans(id_of("Web.Page"))] == ["b.cs", "a.cs"]
    assert graph.symbol(12345) is None
    assert graph.spans(12345) == []


def test_a_qualified_name_is_found_as_it_is() -> None:
    graph = sample()
    assert [item.path for item in graph.lookup("Web.Page", 10)] == ["b.cs"]
    assert graph.lookup("web.page", 10) == []
    assert graph.lookup("Web.Page", 10, languages=["python"]) == []
    assert graph.lookup("Web.Page", 10, node_types=["class"], projects=["web"]) != []


def test_long_names_are_found_too() -> None:
    long = "m." + "x" * 5000
    graph = graph_of([FileDraft("a.py").declare(long)])
    assert [item.qualified_name for item in graph.lookup(long, 1)] == [long]
    assert graph.lookup(long + "x", 1) == []


def test_words_and_prefixes_find_symbols() -> None:
    graph = sample()
    assert names(graph, "AuthService")[0] == "auth.AuthService"
    assert names(graph, "auth_service")[0] == "auth.AuthService"
    assert "auth.authorise" in names(graph, "autho*")
    assert names(graph, "AUTHOR*") == ["auth.authorise"]
    assert names(graph, "login log in") == ["auth.AuthService.log_in"]
    assert names(graph, "page") == ["Web.Page"]
    assert names(graph, "nothing") == names(graph, "*") == names(graph, "") == []


def test_a_name_that_is_only_begun_finds_symbols() -> None:
    graph = sample()
    assert names(graph, "AuthServ")[0] == "auth.AuthService"
    assert names(graph, "authori") == ["auth.authorise"]
    assert names(graph, "pa") == []


def test_filters_are_kept() -> None:
    graph = sample()
    assert names(graph, "auth*", SymbolFilter(node_types=["class"])) == ["auth.AuthService"]
    assert names(graph, "auth*", SymbolFilter(languages=["csharp"])) == []
    assert names(graph, "page", SymbolFilter(projects=["web", "x"])) == ["Web.Page"]


def test_components_are_found_by_their_type() -> None:
    file = FileDraft("card.tsx", "web", "tsx").declare("Card", "component").declare("cardSize")
    assert names(graph_of([file]), "card*", SymbolFilter(node_types=["component"])) == ["Card"]


def test_an_outline_lists_declarations_with_their_facts() -> None:
    graph = sample()
    rows = graph.outline("auth.py")
    assert [symbol.qualified_name for symbol, _ in rows] == [
        *("auth.py", "auth.AuthService", "auth.AuthService.log_in", "auth.authorise")
    ]
    declared = [declaration for _, declaration in rows if declaration is not None]
    assert [item.signature for item in declared] == [
        *("def AuthService()", "def log_in()", "def authorise()")
    ]
    assert graph.declaration(rows[2][0]) == declared[1]
    assert graph.declaration(rows[0][0]) is None
    assert graph.outline("none.py") == []


def test_a_changed_file_hides_its_older_version() -> None:
    graph = graph_of(
        [FileDraft("a.py").declare("a.old"), FileDraft("b.py").declare("b.kept")],
        [FileDraft("a.py").declare("a.fresh")],
    )
    assert graph.symbol(id_of("a.old")) is None
    assert graph.lookup("a.old", 5) == []
    assert names(graph, "old") == []
    assert names(graph, "fresh kept") == ["a.fresh", "b.kept"]
    assert graph.symbol(id_of("a.fresh")) is not None
