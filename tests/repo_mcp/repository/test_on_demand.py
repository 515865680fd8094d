"""Files of a question are linked in a worker, from an index of words alone, too."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from code_graph.query.edges import EdgeFilter, edges_into
from code_graph.query.names import find_targets
from code_graph.query.snapshot import GraphSnapshot
from index_format import Snapshot
from index_format.analysis.content import fingerprint
from repo_mcp.budget import Budget
from repo_mcp.indexing.workers import on_demand
from repo_mcp.model import QuestionFiles
from repo_mcp.repository import (
    NamedLines,
    OpenGraph,
    OutdatedFiles,
    Repository,
    WaitPolicy,
    declared_among,
    declared_symbols,
    word_lines,
)
from repo_mcp.search import ExactAnswer, ExactEngine, ExactQuery
from repo_mcp.services import Services, services
from repo_mcp.settings import Options
from repo_mcp.stored import CODE_INDEX, GRAPH_INDEX
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.refreshers import Waiting
from tests.repo_mcp.trees import FOREVER, write

pytestmark = pytest.mark.servers
FILES: dict[str, str | bytes] = {
    "lib/math.c": '#include "math.h"\n\nint twice(int n)\n{\n\treturn n + n;\n}\n',
    "lib/math.h": "int twice(int n);\n",
    "app/main.c": '#include "../lib/math.h"\n\nint run(void)\n{\n\treturn twice(2);\n}\n',
    "app/far.c": '#include "../lib/math.h"\n\nint far(void)\n{\n\treturn twice(3);\n}\n',
    "notes.txt": "twice is nice\n",
}

MAIN = QuestionFiles(["app/main.c"])


def opened(folder: Path, *, most_parsed: float) -> tuple[Services, Snapshot]:
    """A repository whose index has the declarations of so many files, and no graph."""
    root = write(folder / "root", FILES)
    parts = services(Options(str(root), str(folder / "data")))
    parts.manager.refresh(FOREVER, most_parsed=most_parsed)
    snapshot = parts.manager.snapshot()
    assert snapshot is not None
    return parts, snapshot


def callers(graph: GraphSnapshot, name: str) -> set[tuple[str, int]]:
    (target,) = [item for item in find_targets(graph, name, 9).targets if item.symbol is not None]
    found = edges_into(graph, target.id, EdgeFilter(), limit=99).edges
    return {(edge.path, edge.line) for edge in found if edge.path.startswith("app/")}


@pytest.mark.parametrize("most_parsed", [0, 1e9])
def test_an_index_of_words_alone_gives_the_same_graph(tmp_path: Path, most_parsed: float) -> None:
    parts, text = opened(tmp_path, most_parsed=most_parsed)
    paths = ["lib/math.c", "app/main.c", "gone.c", "notes.txt", "app/far.c"]
    made = parts.manager.on_demand.link(text, QuestionFiles(paths), 30.0, FOREVER)
    assert made is not None
    assert made.linked == 3
    assert callers(GraphSnapshot(made.snapshot), "twice") == {("app/main.c", 5), ("app/far.c", 5)}
    for kind in (CODE_INDEX, GRAPH_INDEX):
        assert not Path(parts.settings.data_dir, kind.folder).exists()


def test_a_question_has_a_graph_of_its_files_until_all_are_linked(tmp_path: Path) -> None:
    parts, _ = opened(tmp_path, most_parsed=0)
    repository = Repository(parts.settings, parts.sandbox, parts.manager, Waiting(Clock()))
    wait = WaitPolicy(first=0.0, complete=None, compared=None)

    def ask(paths: list[str]) -> OpenGraph:
        about = QuestionFiles(paths)
        return repository.run_graph_query(
            lambda graph, _: graph, lambda _: OutdatedFiles(), wait, FOREVER, lambda *_: about
        )[0]

    graph = ask(["app/main.c", "lib/math.c"])
    assert graph.on_demand == (2, 2, True)
    assert graph.graph is not None
    assert not graph.current
    assert callers(graph.graph, "twice") == {("app/main.c", 5)}
    parts.manager.refresh(FOREVER)
    parts.manager.link(FOREVER)
    graph = ask(["app/main.c", "lib/math.c"])
    assert graph.on_demand is None
    assert graph.graph is not None
    assert callers(graph.graph, "twice") == {("app/main.c", 5), ("app/far.c", 5)}


def test_files_without_facts_are_parsed_for_a_question(tmp_path: Path) -> None:
    parts, _ = opened(tmp_path, most_parsed=0)
    found = parts.manager.on_demand.parse(
        ["gone.c", "notes.txt", "app/main.c", "lib/math.c"], 30.0, FOREVER
    )
    assert [*found] == ["notes.txt", "app/main.c", "lib/math.c"]
    data = Path(parts.settings.root, "app/main.c").read_bytes()
    assert found["app/main.c"].fingerprint == fingerprint(data)
    facts = {path: item.facts for path, item in found.items()}
    (declared,) = declared_among(facts, "twice")
    assert (declared.path, declared.declaration.start_line) == ("lib/math.c", 3)
    assert declared_among(facts, "nothing") == []


def test_a_line_means_the_declaration_that_has_it_to_its_last_line(tmp_path: Path) -> None:
    _, text = opened(tmp_path, most_parsed=1e9)
    found = {
        line: [item.name for item in declared_symbols(text, f"lib/math.c:{line}")]
        for line in (2, 3, 6)
    }
    assert found == {2: [], 3: ["twice"], 6: ["twice"]}


def test_a_folder_names_the_declarations_of_its_files_where_they_are_one_package(
    tmp_path: Path,
) -> None:
    write(
        tmp_path / "root",
        {
            "shop/till.go": "package shop\n\nfunc OpenTill() int {\n\treturn 1\n}\n",
            "shop/bill.py": "def open_bill():\n    return 1\n",
        },
    )
    _, text = opened(tmp_path, most_parsed=1e9)
    names = "shop.OpenTill", "shop.open_bill", "shop.bill.open_bill"
    found = {name: [item.path for item in declared_symbols(text, name)] for name in names}
    assert found == dict(zip(names, (["shop/till.go"], [], ["shop/bill.py"]), strict=True))


def test_lines_with_a_name_are_of_files_that_are_not_indexed_yet_too(tmp_path: Path) -> None:
    root = write(tmp_path / "root", FILES)
    parts = services(Options(str(root), str(tmp_path / "data")))
    repository = Repository(parts.settings, parts.sandbox, parts.manager, Waiting(Clock()))
    lines = NamedLines(ExactEngine(parts.sandbox), repository, FOREVER)
    before = lines.of(repository.current_index(), "twice")
    parts.manager.refresh(FOREVER)
    after = lines.of(repository.current_index(), "twice")
    assert before == after
    assert before.is_complete
    assert [item.path for item in before.lines[:2]] == ["app/far.c", "app/main.c"]


def test_lines_of_a_part_of_the_index_are_not_all_where_it_has_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "root", FILES)
    parts = services(Options(str(root), str(tmp_path / "data")))
    parts.manager.refresh_paths(["app/main.c", "app/far.c"], FOREVER, deep=False)
    repository = Repository(parts.settings, parts.sandbox, parts.manager, Waiting(Clock()))
    index = repository.current_index()
    assert not index.complete
    found = []
    for most in (3, 1):
        monkeypatch.setattr(word_lines, "_MOST", most)
        lines = NamedLines(ExactEngine(parts.sandbox), repository, FOREVER)
        found.append(lines.of(index, "lib").is_complete)
    assert found == [True, False]


def test_files_that_are_not_indexed_yet_are_read_once_for_several_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "root", FILES)
    parts = services(Options(str(root), str(tmp_path / "data")))
    repository = Repository(parts.settings, parts.sandbox, parts.manager, Waiting(Clock()))
    engine = ExactEngine(parts.sandbox)
    index = repository.current_index()
    names = ["twice", "run", "far", "gone"]
    apart = [NamedLines(engine, repository, FOREVER).of(index, name) for name in names]
    scans: list[ExactQuery] = []
    find_in = engine.find_in

    def count(paths: Iterable[str], query: ExactQuery, limit: Budget) -> ExactAnswer:
        scans.append(query)
        return find_in(paths, query, limit)

    monkeypatch.setattr(engine, "find_in", count)
    lines = NamedLines(engine, repository, FOREVER)
    lines.expect(index, names)
    assert [lines.of(index, name) for name in names] == apart
    assert [len(words.lines) for words in apart] == [5, 1, 1, 0]
    assert len(scans) == 1


def test_a_damaged_index_gives_no_graph(tmp_path: Path) -> None:
    parts, text = opened(tmp_path, most_parsed=1e9)
    folder = Path(parts.settings.data_dir, "index")
    for path in folder.iterdir():
        if path.suffix != ".lock" and path.is_file():
            path.write_bytes(b"damaged")
    assert parts.manager.on_demand.link(text, MAIN, 30.0, FOREVER) is None


def test_one_question_is_linked_for_at_a_time(tmp_path: Path) -> None:
    parts, text = opened(tmp_path, most_parsed=0)
    with parts.manager.on_demand._lock:
        assert parts.manager.on_demand.link(text, MAIN, 0.0, FOREVER) is None
    assert parts.manager.on_demand.link(text, MAIN, 30.0, FOREVER) is not None


def test_more_than_a_question_waits_for_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts, text = opened(tmp_path, most_parsed=0)
    monkeypatch.setattr(on_demand, "_MOST_LINKED", len(FILES["app/main.c"]) + 1)
    parser = on_demand.FileParser(parts.sandbox, parts.languages, text)
    paths = ["notes.txt", "app/main.c", "lib/math.c", "app/far.c"]
    assert parser.choose(paths) == ["app/main.c"]


def test_once_a_question_has_waited_long_enough_no_further_file_is_parsed(tmp_path: Path) -> None:
    parts, text = opened(tmp_path, most_parsed=0)
    given = parts.sandbox, parts.languages, text
    parser = on_demand.FileParser(*given, is_over=lambda: True)
    parser.choose(["app/main.c", "app/far.c"])
    parsed = [parser(path) for path in ("app/main.c", "app/far.c", "app/main.c")]
    assert [file is not None for file in parsed] == [True, False, True]


def test_code_that_is_stored_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts, text = opened(tmp_path, most_parsed=1e9)
    parts.manager.graph_index.refresh_code(text, FOREVER, lambda _: None)
    codes = parts.manager.graph_index.code.files(text)
    given = parts.sandbox, parts.languages, text
    fresh, parser = on_demand.FileParser(*given), on_demand.FileParser(*given, codes=codes)
    wanted = fresh("app/main.c")
    monkeypatch.setattr(on_demand, "make_code", lambda *_, **__: None)
    assert wanted is not None
    assert wanted.code is not None
    assert parser("app/main.c") == wanted
    Path(parts.settings.root, "app/far.c").write_bytes(b"int near(void) { return 1; }\n")
    changed = parser("app/far.c")
    assert changed is not None
    assert changed.code is None


def test_files_of_an_overlay_stand_for_those_of_the_checkout(tmp_path: Path) -> None:
    parts, text = opened(tmp_path, most_parsed=0)
    overlay = {
        "app/main.c": b'#include "../lib/math.h"\nint run(void) { return gone(1); }\n',
        "lib/math.h": b"int gone(int a);\n",
        "lib/math.c": None,
        "lib/old.c": b'#include "math.h"\nint gone(int a) { return a; }\n',
    }
    made = parts.manager.on_demand.link(text, MAIN, 30.0, FOREVER, overlay)
    assert made is not None
    graph = GraphSnapshot(made.snapshot)
    assert callers(graph, "gone") == {("app/main.c", 2)}
    assert not graph.lookup("twice", 9)
    assert text.file("lib/math.c") is not None
    assert not graph.outline("lib/math.c")


def test_of_a_name_that_very_many_declare_files_called_by_it_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts, text = opened(tmp_path, most_parsed=1e9)
    parser = on_demand.FileParser(parts.sandbox, parts.languages, text)
    assert "lib/math.c" in on_demand.DeclaringFiles(text, parser)("c", "twice")
    assert {*on_demand.DeclaringFiles(text, parser)("c", "math")} == {"lib/math.c", "lib/math.h"}
    monkeypatch.setattr(on_demand, "_MOST_DECLARING", 1)
    assert not on_demand.DeclaringFiles(text, parser)("c", "twice")
    assert {*on_demand.DeclaringFiles(text, parser)("c", "far")} == {"app/far.c"}
    assert not on_demand.DeclaringFiles(text, parser)("c", "math")


def test_files_that_declare_a_name_in_another_case_or_language_are_not_asked(
    tmp_path: Path,
) -> None:
    write(tmp_path / "root", {"lib/other.c": b"int Twice(int a) { return a; }\n"})
    write(tmp_path / "root", {"lib/twice.py": b"def twice(a):\n    return a\n"})
    parts, text = opened(tmp_path, most_parsed=1e9)
    declaring = on_demand.DeclaringFiles(
        text, on_demand.FileParser(parts.sandbox, parts.languages, text)
    )
    assert {*declaring("c", "twice")} == {"lib/math.c", "lib/math.h"}
    assert {*declaring("c", "Twice")} == {"lib/other.c"}
    assert {*declaring("python", "twice")} == {"lib/twice.py"}


def test_of_such_a_name_files_beside_those_that_are_parsed_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts, text = opened(tmp_path, most_parsed=1e9)
    monkeypatch.setattr(on_demand, "_MOST_DECLARING", 1)
    monkeypatch.setattr(on_demand.DeclaringFiles, "_called", lambda *_: ())
    parser = on_demand.FileParser(parts.sandbox, parts.languages, text)
    declaring = on_demand.DeclaringFiles(text, parser)
    assert not declaring("c", "twice")
    assert parser("app/far.c") is not None
    assert not declaring("c", "twice")
    assert parser("lib/math.h") is not None
    assert {*declaring("c", "twice")} <= {"lib/math.c", "lib/math.h"}
    assert declaring("c", "twice")


@pytest.mark.parametrize(
    ("seconds", "mebibytes"), [(0.1, 1), (2.0, 2), (600.0, 4)], ids=["short", "usual", "long"]
)
def test_longer_questions_parse_more_files(seconds: float, mebibytes: int) -> None:
    job = on_demand.LinkJob(["a.c"], seconds, linker="", signature="", overlay={})
    assert job.retained_bytes == (mebibytes + 1) << 20
    assert job.timeout >= seconds
