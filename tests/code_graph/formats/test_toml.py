"""TOML over a limit is refused before it costs anything; within the limits nothing is refused."""

from __future__ import annotations

import tomllib
import tracemalloc
from collections.abc import Callable, Iterator
from string import ascii_letters
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from code_graph.formats import toml
from code_graph.formats.toml import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_PARTS,
    MAX_WORD,
    TomlError,
    TomlLimitError,
    parse_toml,
    read_toml,
)

PARSER = tomllib._parser  # type: ignore[attr-defined]  # as it counts what it reads
# more than a file has ever had to have, beyond what an empty one takes
MOST_MEMORY = 60 << 20


class Counter:
    """The most parts of a key, and the most brackets in each other, that `tomllib` has read."""

    def __init__(self) -> None:
        self.parts = self.depth = self._open = 0

    def key(self, read: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: object) -> object:
            found = read(*given)
            self.parts = max(self.parts, len(found[1]))
            return found

        return counted

    def value(self, read: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: object) -> object:
            self._open += 1
            self.depth = max(self.depth, self._open)
            try:
                return read(*given)
            finally:
                self._open -= 1

        return counted


def counted(text: str) -> tuple[Counter, bool]:
    """The values that `tomllib` reads of a text, and whether it accepts it."""
    counter = Counter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PARSER, "parse_key", counter.key(PARSER.parse_key))
        for name in ("parse_array", "parse_inline_table"):
            patch.setattr(PARSER, name, counter.value(getattr(PARSER, name)))
        try:
            tomllib.loads(text)
        except ValueError:
            return counter, False
    return counter, True


def is_refused(text: str) -> bool:
    try:
        parse_toml(text)
    except TomlLimitError:
        return True
    except TomlError:
        return False
    return False


TRICKY = ".=,#[]{}\"'\\\n\r\t a1_-\u00e4"
WORDS = st.text(ascii_letters + "0123-_", min_size=1, max_size=4)


def quoted(text: str) -> Iterator[str]:
    """The ways of writing a text as a string that are right for it."""
    escaped = "".join(
        f"\\{mark}" if mark in '"\\' else f"\\u{ord(mark):04x}" if mark < " " else mark
        for mark in text
    )
    yield f'"{escaped}"'
    yield f'"""{escaped}"""'
    yield f'"""\\\n  {escaped}\\"""""'
    yield '"""\n' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "") + '"""'
    if not set(text) & {"'", "\n", "\r"}:
        yield f"'{text}'"
        yield f"'''{text}'''''"


STRINGS = st.text(TRICKY, max_size=8).flatmap(lambda text: st.sampled_from(list(quoted(text))))
KEYS = STRINGS.filter(lambda text: not text.startswith(('"""', "'''"))) | WORDS
DOTTED = st.lists(KEYS, min_size=1, max_size=5).flatmap(
    lambda parts: st.sampled_from([".", " . ", "\t."]).map(lambda dot: dot.join(parts))
)
PLAIN = st.sampled_from(
    ["1", "-1_0", "0x1f", "1.5e-3", "inf", "-nan", "true", "1979-05-27", "1979-05-27 07:32:00.5"]
)
BLANKS = st.sampled_from(["", " ", "\n", "\r\n", " # [[[ a.b.c.d.e.f '\n", '#\n\t# """\n'])
VALUES = st.recursive(
    PLAIN | STRINGS,
    lambda inner: (
        st.tuples(BLANKS, st.lists(st.tuples(inner, BLANKS)), BLANKS).map(
            lambda given: f"[{given[0]}{''.join(f'{v}{b},' for v, b in given[1])}{given[2]}]"
        )
        | st.lists(st.tuples(DOTTED, inner)).map(
            lambda items: "{" + ", ".join(f"{key} = {value}" for key, value in items) + "}"
        )
    ),
    max_leaves=12,
)
STATEMENTS = st.one_of(
    st.tuples(DOTTED, VALUES).map(lambda item: f"{item[0]} = {item[1]}"),
    DOTTED.map(lambda key: f"[{key}]"),
    DOTTED.map(lambda key: f"[[ {key} ]]"),
    st.just(""),
)
DOCUMENTS = st.lists(
    st.tuples(STATEMENTS, st.sampled_from(["\n", "\r\n", ' # it\'s """ [[{ a.b.c.d\n']))
).map(lambda lines: "".join(f"{statement}{end}" for statement, end in lines))
SOUP = st.lists(
    st.sampled_from([*TRICKY, '"""', "'''", "a.b", "x=", "[[", "]]", "{a=", "\r\n", "1979-05-27 "])
).map("".join)


@pytest.fixture(autouse=True, scope="module")
def low_limits() -> Iterator[None]:
    """So low that texts of chance exceed them; tests of the true ones set those."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(toml, "MAX_PARTS", 3)
        patch.setattr(toml, "MAX_DEPTH", 3)
        yield


@pytest.fixture
def _true_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toml, "MAX_PARTS", MAX_PARTS)
    monkeypatch.setattr(toml, "MAX_DEPTH", MAX_DEPTH)


@given(DOCUMENTS | SOUP | st.tuples(DOCUMENTS, SOUP, DOCUMENTS).map("".join))
@example('""".a.a.a.a.a = 1')
@example("a = '''\na.a.a.a.a''''' # [[[[\n")
@example('a = "\\"" # "\nb.b.b.b = 1')
@example("a = [[[[1]]]]")
@example("a = {a = {a = {a.b.c.d = 1}}}")
def test_a_text_is_refused_just_when_tomllib_would_read_more_than_the_limits(text: str) -> None:
    counter, valid = counted(text)
    exceeds = counter.parts > 3 or counter.depth > 3
    if valid:
        assert is_refused(text) == exceeds
    elif exceeds:
        assert is_refused(text)


@given(DOCUMENTS)
def test_within_the_limits_the_value_is_that_of_tomllib(text: str) -> None:
    try:
        expected = repr(tomllib.loads(text))
    except ValueError:
        with pytest.raises(TomlError):
            parse_toml(text)
        return
    if not is_refused(text):
        assert repr(parse_toml(text)) == expected


@pytest.mark.usefixtures("_true_limits")
@pytest.mark.parametrize(
    ("within", "over", "problem"),
    [
        (
            "\na" + ".a" * (MAX_PARTS - 1) + " = 1",
            "\na" + ".a" * MAX_PARTS + " = 1",
            "line 2: a key has more than 10 parts: use fewer dots",
        ),
        (
            "[" + "''.\"\"." * (MAX_PARTS // 2 - 1) + "a.a]",
            "[" + "''.\"\"." * (MAX_PARTS // 2) + "a]",
            "line 1: a key has more than 10 parts: use fewer dots",
        ),
        (
            "a = 1\r\n" + "\r\n" * 9 + "b = " + "[" * MAX_DEPTH + "]" * MAX_DEPTH,
            "a = 1\r\n" + "\r\n" * 9 + "b = " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
            "line 11: lists or tables are more than 10 deep in each other: flatten them",
        ),
        (
            "a = " + "{a=" * MAX_DEPTH + "1" + "}" * MAX_DEPTH,
            "a = " + "{a=" * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1),
            "line 1: lists or tables are more than 10 deep in each other: flatten them",
        ),
        (
            "a" * MAX_WORD + " = 1",
            "a" * (MAX_WORD + 1) + " = 1",
            "line 1: a name or number without quotes has more than 256 characters: shorten it",
        ),
        (
            "a = 0x" + "f" * (MAX_WORD - 2),
            "a = 0x" + "f" * (MAX_WORD - 1),
            "line 1: a name or number without quotes has more than 256 characters: shorten it",
        ),
        (
            "#" * MAX_BYTES,
            "#" * (MAX_BYTES + 1),
            "the file has more than 65536 bytes: shorten it",
        ),
    ],
    ids=["key", "header", "list", "table", "name", "number", "file"],
)
def test_the_limits(within: str, over: str, problem: str) -> None:
    assert read_toml(within.encode()) == tomllib.loads(within)
    with pytest.raises(TomlLimitError) as caught:
        read_toml(over.encode())
    assert str(caught.value) == problem


@pytest.mark.usefixtures("_true_limits")
def test_long_strings_are_within_the_limits() -> None:
    long = "[{.=" * (MAX_BYTES // 5)
    assert read_toml(f"a = '{long}'".encode()) == {"a": long}
    assert read_toml(f"'{long}' = 1 # {'[' * 99}".encode()) == {long: 1}


def repeated(form: str, *, first: str = "", last: str = "") -> str:
    """As many copies as a file may have; `@` in them is another number each time."""
    copies = [first]
    size = len(first) + len(last)
    for number in range(MAX_BYTES):
        copy = form.replace("@", f"{number:x}")
        size += len(copy)
        if size > MAX_BYTES:
            break
        copies.append(copy)
    return "".join([*copies, last])


REST = ".a" * (MAX_PARTS - 1)
SHAPES = {
    "one key": "a" + ".a" * (MAX_BYTES // 2 - 2) + "=1",
    "one header": "[a" + ".a" * (MAX_BYTES // 2 - 2) + "]",
    "keys": repeated(f"@{REST}=1\n"),
    "keys in a deep table": repeated(f"@{REST}=1\n", first=f"[a{REST}]\n", last="[z]"),
    "tables by keys": repeated(f"@{REST}={{}}\n", first=f"[a{REST}]\n", last="[z]"),
    "common prefix": repeated(f"{REST[3:]}.@=1\n".removeprefix(".")),
    "headers": repeated(f"[@{REST}]\n"),
    "lists of tables": repeated("[[x]]\n"),
    "deep lists of tables": repeated(f"[[@{REST}]]\n"),
    "inline tables": repeated("{},", first="x=[", last="]"),
    "one inline table": repeated(f"@{REST}={{}},", first="x={", last="z=1}"),
    "deep inline tables": repeated(
        "@=" + "{a=" * (MAX_DEPTH - 1) + "1" + "}" * (MAX_DEPTH - 1) + "\n"
    ),
    "open brackets": "x=" + "[" * (MAX_BYTES - 2),
    "escapes": repeated("\\n", first='x="', last='"'),
    "joined lines": repeated("\\\n", first='x="""', last='"""'),
    "number": "x=" + "9" * (MAX_BYTES - 2),
    "comments": repeated("#\n", first="x=[", last="]"),
}


@pytest.mark.usefixtures("_true_limits")
@pytest.mark.parametrize("shape", SHAPES)
def test_no_file_takes_much_memory(shape: str) -> None:
    data = SHAPES[shape].encode()
    assert len(data) <= MAX_BYTES
    tracemalloc.start()
    try:
        read_toml(data)
    except TomlError:
        pass
    finally:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < MOST_MEMORY


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a = ", b"[a]\n[a]"])
def test_what_is_not_toml_is_an_error_of_its_own(data: bytes) -> None:
    with pytest.raises(TomlError) as caught:
        read_toml(data)
    assert not isinstance(caught.value, TomlLimitError)
