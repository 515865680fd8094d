"""Languages that are read by lines: what is no code, where blocks end, what is declared where."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from code_graph import LANGUAGES, Languages
from code_graph.facts import MODULE, Declaration, Facts, Use
from code_graph.lines.rules import Blocks

BY_LINES = [row for row in LANGUAGES if row.adapter == "code_graph.lines.adapter"]
PIECES = """
    a B_1 ( ) { } [ ] " ' = : ; , # -- // /* */ end do def fn $x$ <<E
""".split()  # noqa: SIM905 a list of words reads better
PIECES += ["\n", "\t"]
_FIRST = {row.name: (row.extensions or row.file_names).split()[0] for row in BY_LINES}


def path_of(language: str) -> str:
    first = _FIRST[language].replace("*.", "a.")
    return f"a{first}" if first.startswith(".") and not first.startswith(".github") else first


def facts_of(language: str, text: str) -> Facts:
    adapter = Languages().adapter_for(path_of(language))
    assert adapter is not None
    assert adapter.name == language
    return adapter.facts(path_of(language), text)


def names(facts: Facts) -> list[str]:
    return [item.name for item in facts.declarations]


def named(facts: Facts, name: str) -> Declaration:
    (found,) = [item for item in facts.declarations if item.name == name]
    return found


def test_a_brace_in_a_text_or_comment_ends_nothing() -> None:
    text = 'open() {\n  echo "}" # }\n}\nshut() { :; }\n'
    facts = facts_of("shell", text)
    assert [(item.name, item.start_line, item.end_line) for item in facts.declarations] == [
        ("open", 1, 3),
        ("shut", 4, 4),
    ]


def test_words_in_brackets_begin_and_end_no_block() -> None:
    text = "function last(x)\n  map(t -> begin t end)\nend\nfunction other() end\n"
    facts = facts_of("julia", text)
    assert named(facts, "last").end_line == 3
    assert named(facts, "other").parent == MODULE


def test_a_head_goes_on_in_lines_that_are_indented_more() -> None:
    text = "class Shop\n    extends Thing {\n  int sell() => 1;\n}\nclass Other {}\n"
    facts = facts_of("dart", text)
    assert named(facts, "Shop").end_line == 4
    assert facts.declarations[named(facts, "sell").parent].name == "Shop"
    assert named(facts, "Other").parent == MODULE


def test_a_unit_is_declared_only_where_it_may_be() -> None:
    text = "message A {\n  string b = 1;\n}\noption c = 2;\n"
    assert names(facts_of("protobuf", text)) == ["A", "b"]


def test_a_routine_ends_behind_its_text_in_dollars() -> None:
    text = "create function f() as $x$ begin; return 1; end; $x$;\ncreate view v as select f();"
    facts = facts_of("sql", text)
    assert [(item.kind, item.name) for item in facts.declarations] == [
        ("function", "f"),
        ("view", "v"),
    ]


def test_names_in_any_letter_case_are_uses_where_the_language_takes_them_so() -> None:
    facts = facts_of("sql", "CREATE TABLE Items (id int);\nselect * from ITEMS;\n")
    assert facts.uses == (Use("Items", 2),)


def test_a_name_is_declared_with_what_other_files_have_before_it() -> None:
    text = "config A\n\tdepends on B\n\thelp\n\t  config C\n\nif A\nconfig B\nendif\n"
    facts = facts_of("kconfig", text)
    assert names(facts) == ["CONFIG_A", "CONFIG_B"]
    assert [item.end_line for item in facts.declarations] == [4, 7]
    assert facts.uses == (Use("CONFIG_A", 6), Use("CONFIG_B", 2))


def test_every_name_of_a_list_is_declared() -> None:
    facts = facts_of("make", "a.o b.o: c.h\n\tcc $<\nd: a.o\n")
    assert names(facts) == ["a.o", "b.o", "d"]
    assert facts.uses == (Use("a.o", 3),)


def test_files_are_known_by_their_names() -> None:
    known = Languages()
    assert known.language_of("a/Dockerfile.dev") == "docker"
    assert known.language_of("CMakeLists.txt") == "cmake"
    assert known.language_of("a/Makefile") == "make"
    assert known.language_of("lib/Kconfig.debug") == "kconfig"
    assert known.language_of("b/.github/workflows/test.yml") == "workflow"
    assert known.language_of("b/workflows/test.yml") == ""


@pytest.mark.parametrize("language", [row.name for row in BY_LINES])
@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_any_text_is_read(language: str, parts: list[str]) -> None:
    text = " ".join(parts)
    facts = facts_of(language, text)
    rows = text.split("\n")
    for item in facts.declarations:
        assert 1 <= item.start_line <= item.name_line <= item.end_line <= len(rows)
        assert item.parent < facts.declarations.index(item)
    assert [*facts.cuts] == sorted(set(facts.cuts))
    assert all(
        first.start_line <= second.start_line for first, second in pairwise(facts.declarations)
    )


@pytest.mark.parametrize("language", [row.name for row in BY_LINES])
def test_what_is_long_is_read_in_time_that_grows_with_it(language: str) -> None:
    row = "a b(c, d = {e: [f]}) : g -> h # i // j -- k\n"
    facts = facts_of(language, row * 3000)
    assert len(facts.declarations) < 20_001


def test_the_end_of_a_function_of_many_equations_is_looked_for_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = 0
    line_end = Blocks.line_end

    def counted(self: Blocks, offset: int) -> int:
        nonlocal looked
        looked += 1
        return line_end(self, offset)

    monkeypatch.setattr(Blocks, "line_end", counted)
    count = 3_000
    equations = "".join(f"f {number} = {number}\n" for number in range(count))
    found = facts_of("haskell", f"module M where\n{equations}g x = f x\nh 1 = 2\nh 2 = 3\n")
    assert names(found) == ["M", "f", "g", "h"]
    assert named(found, "f").end_line == count + 1
    assert looked < 10 * count


def test_primes_are_part_of_names() -> None:
    text = (
        "module M where\nf :: Int\nf = 1\nf' :: Int\nf' = f\nclass C' a where\n  g' :: a\n"
        "data R' = R' { h'' :: Int }\ntype T' = Int\ninstance Show R' where\n"
    )
    expected = ["M", "f", "f'", "C'", "g'", "R'", "R'", "h''", "T'", "Show R'"]
    found = facts_of("haskell", text)
    assert names(found) == expected
    assert [use for use in found.uses if use.name[0] == "f"] == [("f", 3), ("f", 5), ("f'", 5)]
