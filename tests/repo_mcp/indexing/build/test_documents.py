"""A file's document: the terms in each field of each chunk."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import given, strategies as st

from code_graph import Languages
from code_graph.facts import Declaration, Facts, decode as facts_of
from code_graph.store.schema import FACTS
from index_format import Tokens, Vocabulary
from index_format.analysis.counting import Analyser
from index_format.analysis.words import terms
from repo_mcp.indexing.build.documents import TextFile, make_documents
from repo_mcp.model import Windows
from repo_mcp.text.files import decode

DEFAULT = Windows()
SMALL = Windows(5, 2)


class Cut(NamedTuple):
    first: int
    last: int
    number: int
    fields: dict[str, Counter[str]]


def source(path: str, text: str, facts: Facts | None = None) -> TextFile:
    adapter = Languages().adapter_for(path)
    if facts is None and adapter is not None:
        facts = adapter.facts(path, text)
    return TextFile(path, text, b"f" * 16, len(text.encode("utf-8", "surrogatepass")), facts)


def cut(*sources: TextFile, windows: Windows = DEFAULT) -> list[list[Cut]]:
    vocabulary = Vocabulary()

    def counted(tokens: Tokens) -> Counter[str]:
        found: Counter[str] = Counter()
        frequencies = [1] * len(tokens.words) if tokens.frequencies is None else tokens.frequencies
        for number, times in zip(tokens.words, frequencies, strict=True):
            found[vocabulary.words[number].decode()] += int(times)
        return found

    return [
        [
            Cut(
                chunk.start_line,
                chunk.end_line,
                chunk.chunk_id,
                {name: counted(tokens) for name, tokens in chunk.fields.items()},
            )
            for chunk in document.chunks
        ]
        for document in make_documents(sources, windows, Analyser(), vocabulary)
    ]


def one(path: str, text: str, windows: Windows = DEFAULT) -> Cut:
    ((found,),) = cut(source(path, text), windows=windows)
    return found


def words(text: str) -> Counter[str]:
    return Counter(text.split())


PYTHON = '''"""Of the module."""
import os


class FooBar(Base):
    """A class for bars.

    In more words.
    """

    LIMIT = 3

    def do_it(self, extra):
        "Does it."
        return os.sep
'''


@pytest.mark.requirement("INT-09.2-chunks")
def test_python() -> None:
    found = one("src/httpServer.py", PYTHON)
    assert (found.first, found.last) == (1, 15)
    assert found.fields["body"] == Counter(terms(PYTHON))
    assert found.fields["symbol"] == words(
        "foobar foo bar foobar foo bar httpserverfoobar limit"
        " do_it do it doit do_it do it doit foobardoit"
    )
    assert found.fields["doc"] == words("a class for bars in more words does it")
    assert found.fields["path"] == words("src httpserver http server py")
    assert found.fields["name"] == words("httpserver http server py")


def test_markdown() -> None:
    text = "before\n\n# First heading\n\nsome text\n\n## `second` one\n\nthe end\n"
    found = one("README.md", text)
    assert found.fields["body"] == Counter(terms(text))
    assert found.fields["symbol"] == words("first heading second one")
    assert found.fields["doc"] == words("some text the end")


def test_plain_text_has_no_symbols() -> None:
    found = one("notes/plan.txt", "one twoThree\n")
    assert found.fields == {
        "body": words("one twothree two three"),
        "path": words("notes plan txt"),
        "name": words("plan txt"),
    }


def test_common_words_side_by_side_are_pairs_of_the_chunk_in_which_they_begin() -> None:
    windows = Windows(2, 0)
    (chunks,) = cut(source("a.txt", "if return\n\n  0;\nreturn\nxyzzy\n"), windows=windows)
    assert [chunk.fields.get("pair") for chunk in chunks] == [
        Counter({"if return": 1, "return 0": 1}),
        None,
        None,
    ]


def test_text_of_any_script() -> None:
    found = one("ä/Größe.txt", "Größe ÄHRE größe\n日本語 naïveName\n")
    assert found.fields["body"] == Counter(
        {"größe": 2, "ähre": 1, "日本語": 1, "naïvename": 1, "naïve": 1, "name": 1}
    )
    assert found.fields["path"] == words("ä größe txt")
    assert found.fields["name"] == words("größe txt")


@pytest.mark.parametrize("path", ["a.py", "a.md", "a.txt", "a.rs"])
def test_an_empty_file_has_no_chunks(path: str) -> None:
    assert cut(source(path, "")) == [[]]


@pytest.mark.parametrize("text", ["word", "word\n", "word\r\n", "\tword "])
@pytest.mark.parametrize("path", ["a.py", "a.md", "a.txt"])
def test_a_file_of_one_line(path: str, text: str) -> None:
    found = one(path, text)
    assert (found.first, found.last, found.fields["body"]) == (1, 1, words("word"))


@pytest.mark.parametrize("text", ["\n", "\r\n", " \n"])
def test_a_file_without_words_is_found_by_its_path(text: str) -> None:
    found = one("the/path.txt", text)
    assert found.fields["body"] == Counter()
    assert found.fields["path"] == words("the path txt")


def numbered(count: int, end: str) -> str:
    return "".join(f"w{number}{end}" for number in range(1, count + 1))


@pytest.mark.requirement("INT-09.2-chunks")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\x0c\n", " \u2028x\n", " \x85 \r \n", "\ty\n"])
@pytest.mark.parametrize("last", [True, False], ids=["with", "without"])
def test_a_chunk_holds_whole_lines_and_all_of_them(end: str, *, last: bool) -> None:
    text = numbered(12, end)
    if not last:
        text = text.removesuffix(end)
    (found,) = cut(source("a.txt", text), windows=SMALL)
    assert [(item.first, item.last) for item in found] == [(1, 5), (4, 8), (7, 11), (10, 12)]
    for item in found:
        held = {word for word in item.fields["body"] if word.startswith("w")}
        assert held == {f"w{number}" for number in range(item.first, item.last + 1)}


PIECES = st.lists(
    st.sampled_from(
        ["\n", "\r\n", "\r", "\x0c", "\u2028", "\x85", " ", "fooBar", "x_y", "Größe", "1", "\t"]
    ),
    max_size=40,
)


@given(st.lists(PIECES.map("".join), min_size=1, max_size=3), st.integers(1, 6), st.integers(0, 5))
def test_bodies_are_the_terms_of_their_lines(texts: list[str], size: int, overlap: int) -> None:
    """Many files at once give what each gives alone."""
    windows = Windows(size, min(overlap, size - 1))
    sources = [source(f"{number}.txt", text) for number, text in enumerate(texts)]
    together = cut(*sources, windows=windows)
    assert together == [cut(alone, windows=windows)[0] for alone in sources]
    for text, found in zip(texts, together, strict=True):
        rows = text.split("\n")
        for item in found:
            assert item.fields["body"] == Counter(
                terms("\n".join(rows[item.first - 1 : item.last]))
            )
        assert {number for item in found for number in range(item.first, item.last + 1)} == set(
            range(1, len(rows) + bool(rows[-1]))
        )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_encoding_of_a_file_is_not_seen(encoding: str) -> None:
    text = "class Größe:\r\n    'Wie groß.'\r\n"
    content = decode(text.encode(encoding))
    assert content is not None
    assert cut(source("a.py", content.content)) == cut(source("a.py", text))


def functions(*names: str, lines: int = 25) -> str:
    return "".join(
        f"def {name}():\n" + "".join(f"    {name}{at}()\n" for at in range(lines - 1))
        for name in names
    )


@pytest.mark.requirement("INT-09.2-chunks")
@pytest.mark.parametrize("change", ["# before\n\n", "import os\n" * 30, functions("new")])
def test_a_unit_keeps_its_number_when_others_change(change: str) -> None:
    (before,) = cut(source("a.py", functions("one", "two", "three")))
    changed = change + functions("one") + functions("two").replace("two3", "x") + functions("three")
    (after,) = cut(source("a.py", changed))
    kept = {item.number for item in before} & {item.number for item in after}
    numbers = [item.number for item in before]
    assert [(item.first, item.last) for item in before] == [(1, 25), (26, 50), (51, 75)]
    assert numbers[2] in kept
    assert numbers[1] not in kept


@pytest.mark.requirement("INT-09.2-chunks")
def test_windows_keep_their_numbers_when_other_lines_change() -> None:
    text = numbered(12, "\n")
    (before,) = cut(source("a.txt", text), windows=SMALL)
    (after,) = cut(source("a.txt", text.replace("w6\n", "other\n")), windows=SMALL)
    kept = [was.number == is_now.number for was, is_now in zip(before, after, strict=True)]
    assert kept == [True, False, True, True]


def test_numbers_differ_by_path_and_among_equal_chunks() -> None:
    text = "same\n" * 20
    windows = Windows(5, 0)
    one_file, other = cut(source("a.txt", text), source("b.txt", text), windows=windows)
    numbers = [item.number for item in [*one_file, *other]]
    assert len(set(numbers)) == len(numbers) == 8


@pytest.mark.requirement("INT-09.2-chunks")
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", functions("one", "two")),
        ("a.md", "# One\n" + "text\n" * 30 + "# Two\n" + "text\n" * 30),
        ("a.go", "package a\n" + "func one() {\n" + "\tx()\n" * 30 + "}\n" + "func two() {\n}\n"),
    ],
)
def test_chunks_begin_where_the_language_proposes(path: str, text: str) -> None:
    adapter = Languages().adapter_for(path)
    assert adapter is not None
    proposed = set(adapter.smart_chunks(path, text))
    (found,) = cut(source(path, text))
    assert len(found) > 1
    assert {item.first for item in found[1:]} <= proposed
    assert all(one.last + 1 == other.first for one, other in pairwise(found))


def test_a_unit_longer_than_a_window_is_cut_into_windows_that_overlap() -> None:
    text = functions("short") + functions("long", lines=300)
    (found,) = cut(source("a.py", text))
    assert [(item.first, item.last) for item in found] == [(1, 25), (26, 225), (196, 325)]
    assert [item.fields.get("symbol") for item in found] == [
        words("short short ashort"),
        words("long long along"),
        None,
    ]


def declared(name: str, line: int, doc: str = "") -> Declaration:
    return Declaration("function", name, line, line, line, 0, doc=doc)


@given(st.lists(st.integers(1, 40), max_size=12).map(sorted), st.integers(1, 9), st.integers(0, 8))
def test_a_declaration_is_in_one_chunk_the_last_that_it_begins_in(
    lines: list[int], size: int, overlap: int
) -> None:
    facts = Facts(
        "test", declarations=tuple(declared(f"d{at}", line) for at, line in enumerate(lines))
    )
    windows = Windows(size, min(overlap, size - 1))
    (found,) = cut(source("a.txt", "x\n" * 40, facts), windows=windows)
    for at, line in enumerate(lines):
        holders = [item for item in found if f"d{at}" in item.fields.get("symbol", ())]
        assert holders == [[item for item in found if item.first <= line][-1]]
        assert holders[0].first <= line <= holders[0].last


def test_names_and_words_of_a_chunk_are_counted_together() -> None:
    facts = Facts(
        "test", declarations=(declared("get", 1, "Gives it."), declared("get", 2, "Gives more."))
    )
    (found,) = cut(source("a.txt", "get\nget\n", facts))
    assert found[0].fields["symbol"] == Counter(get=4)
    assert found[0].fields["doc"] == Counter(gives=2, it=1, more=1)


@pytest.mark.parametrize("path", ["rates.go", "lib/rates.go", "tax/other/rates.go"])
def test_a_function_of_go_is_qualified_by_its_package_in_any_folder(path: str) -> None:
    """A repository that is served alone does not know the name of its folder."""
    found = one(path, "package tax\n\nfunc Add() int { return 1 }\n").fields["symbol"]
    assert found["taxadd"] == 1
    assert not any("lib" in term or "other" in term for term in found)


def test_a_document_has_its_fingerprint_and_facts() -> None:
    given_ = source("a.py", PYTHON)
    plain = source("a.txt", PYTHON)
    made, other = make_documents([given_, plain], Windows(), Analyser(), Vocabulary())
    assert (made.path, made.fingerprint, made.size) == ("a.py", b"f" * 16, len(PYTHON))
    read = facts_of(made.attachments[FACTS])
    assert [item.name for item in read.declarations] == ["FooBar", "LIMIT", "do_it"]
    assert other.attachments == {}
