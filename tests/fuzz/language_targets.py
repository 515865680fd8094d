"""Source text of every language, and the facts that an index holds of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from random import Random
from typing import Final

import msgpack

from code_graph import LANGUAGES, Languages
from code_graph.adapter import Adapter, CodeAdapter
from code_graph.expressions.wire import decode_code, encode_code
from code_graph.facts import DamagedFactsError, DeclarationSpan, as_stored, wire
from code_graph.language import LanguageChoice
from code_graph.parts import pack_part, unpack_part
from tests.code_graph.fact_checks import check
from tests.code_graph.golden_facts import FILES, GOLDEN
from tests.code_graph.languages.python.python_golden import SOURCE
from tests.fuzz.engine import Target, text_of
from tests.fuzz.mutations import mutated, tree_mutation

# ---- adapters: the number of a language, then a text ----

_LANGUAGES: Final = tuple(item.name for item in LANGUAGES)
# of a language without files of its own, one that is assigned to it
_EXTENSIONS: Final = {
    item.name: (*item.extensions.split(), f".{item.name}")[0] for item in LANGUAGES
}
_ASSIGNED: Final = LanguageChoice(
    extensions=tuple((extension, name) for name, extension in _EXTENSIONS.items())
)
_PIECE: Final = 900


@cache
def _adapter(language: str) -> Adapter:
    found = Languages(_ASSIGNED, folders=()).adapter_for(f"x{_EXTENSIONS[language]}")
    assert found is not None
    return found


def run_language(data: bytes) -> object:
    """Facts of any text lie within it, and are stored without loss."""
    language, text = _LANGUAGES[(data[:1] or b"\0")[0] % len(_LANGUAGES)], text_of(data[1:])
    adapter, path = _adapter(language), f"x{_EXTENSIONS[language]}"
    facts = adapter.facts(path, text)
    check(facts, text)
    assert wire.decode(wire.encode(facts)) == as_stored(facts)
    if isinstance(adapter, CodeAdapter):
        file = adapter.code(path, text)
        assert decode_code(encode_code(file)) == file
        assert adapter.code(path, text, facts) == file
    cuts = list(adapter.smart_chunks(path, text))
    assert cuts == sorted(set(cuts))
    assert all(1 <= line <= text.count("\n") + 1 for line in cuts)
    adapter.outline(path, text)
    adapter.symbol_hints(text[:200])
    kinds = sorted({item.kind for item in facts.declarations})
    return language, facts.status, kinds, bool(facts.uses)


def language_seeds() -> Iterator[bytes]:
    """Pieces of the golden files; an input is too small for a whole one."""
    files = [(language, GOLDEN / name) for language, name in FILES]
    for language, file in (*files, ("python", SOURCE)):
        text, number = file.read_bytes(), _LANGUAGES.index(language)
        for begin in range(0, len(text), _PIECE):
            at = text.rfind(b"\n", 0, begin) + 1
            yield bytes([number]) + text[at : at + _PIECE]


def mutate_text(data: bytes, chance: Random) -> bytes:
    """The same language, mostly, with other text: rows moved, brackets and marks put in."""
    first, rows = data[:1], data[1:].split(b"\n")
    fate = chance.random()
    if fate < 0.4:
        return first + mutated(data[1:], chance, _MARKS)
    if fate < 0.5:
        return bytes([chance.randrange(len(_LANGUAGES))]) + data[1:]
    at, other = chance.randrange(len(rows)), chance.randrange(len(rows))
    if fate < 0.7:
        rows.insert(at, rows[other])
    elif fate < 0.85:
        rows[at] = mutated(rows[at], chance, _MARKS)
    else:
        del rows[at : at + chance.randrange(1, 4)]
    return first + b"\n".join(rows)


_MARKS: Final = [
    *(
        b"{",
        b"}",
        b"(",
        b")",
        b"[",
        b"]",
        b"<",
        b">",
        b'"',
        b"'",
        b"`",
        b'"""',
        b"/*",
        b"*/",
        b"//",
    ),
    *(
        b"#",
        b"#if ",
        b"#else",
        b"#endif",
        b"\n",
        b"\r",
        b"\t",
        b"\f",
        b"\0",
        b"\\\n",
        b";",
        b":",
        b"::",
    ),
    *(b"=>", b"->", b"@", b"class ", b"def ", b"function ", b"fn ", b"func ", b"import ", b"from "),
    *(
        b"\xef\xbb\xbf",
        b"\xe2\x80\xa8",
        b"\xc3\xa4",
        b"\xed\xa0\x80",
        b"\n===\n",
        b"\n---\n",
        b"```\n",
    ),
    *(b"<T>", b"...", b"async ", b"lambda ", b"template<", b"operator", b"namespace ", b"impl "),
]
LANGUAGE: Final = Target(
    "language",
    run_language,
    language_seeds,
    tuple(f"code_graph/{room}" for room in ("facts", "languages", "prose", "treesitter")),
    words=_MARKS,
    mutation=mutate_text,
)


# ---- stored facts: the five records, the last of which may be missing, or raw bytes ----

_PARTS: Final = 4


def run_facts(data: bytes) -> object:
    """Stored facts are read, or refused as damaged; what is read is stored again as it was."""
    whole = _sealed(data)
    found = _read(whole)
    places = [_spans(whole, 1, 100), _spans(whole, 0, 0), _spans(data, 1, 1)]
    count: object = "damaged"
    with suppress(DamagedFactsError):
        count = wire.decode_count(whole)
    return found, [kind for kind, _ in places], type(count).__name__


def _sealed(data: bytes) -> bytes:
    """The records with checksums and lengths that fit; other bytes as they are."""
    try:
        records = msgpack.unpackb(data, unicode_errors="surrogatepass", strict_map_key=False)
    except (ValueError, TypeError, msgpack.UnpackException):
        return data
    if not isinstance(records, list) or len(records) < _PARTS:
        return data
    parts = [b"" if record is None else pack_part(record) for record in records[:_PARTS]]
    return wire._HEAD.pack(wire.VERSION, *map(len, parts)) + b"".join(parts)


def _read(data: bytes) -> object:
    try:
        found = wire.decode(data)
    except DamagedFactsError as error:
        return type(error.__cause__).__name__
    assert wire.decode_declarations(data).declarations == found.declarations
    assert wire.decode(wire.encode(found)) == as_stored(found)
    return len(found.declarations), len(found.uses), len(found.imports)


def _spans(data: bytes, first: int, last: int) -> tuple[str, list[DeclarationSpan]]:
    """Spans of declarations that search results show."""
    try:
        places = wire.DeclarationPlaces(data)
        spans = [*places.between(first, last), *places.named("a")]
        for span in spans:
            assert isinstance(span.start_line, int)
            assert isinstance(span.qualified, str)
    except DamagedFactsError as error:
        return type(error.__cause__).__name__, []
    return "", spans


def facts_seeds() -> Iterator[bytes]:
    """The facts of a small piece of a file of some languages: loading a grammar takes long."""
    for data in language_seeds():
        language = _LANGUAGES[data[0]]
        if language in {"python", "c", "markdown"} and len(data) > _PIECE // 2:
            text = text_of(data[1:400])
            facts = _adapter(language).facts(f"x{_EXTENSIONS[language]}", text)
            whole = wire.encode(facts)
            parts = [wire._part(whole, number) for number in range(_PARTS)]
            yield _packed([unpack_part(part) if part else None for part in parts])
            yield whole


def _packed(value: object) -> bytes:
    found: bytes = msgpack.packb(value, unicode_errors="surrogatepass")
    return found


def _unpacked(data: bytes) -> object:
    try:
        return msgpack.unpackb(data, unicode_errors="surrogatepass", strict_map_key=False)
    except msgpack.UnpackException as error:
        raise ValueError from error


FACTS: Final = Target(
    "facts",
    run_facts,
    facts_seeds,
    ("code_graph/facts", "index_format/native/columns.py"),
    mutation=tree_mutation(_unpacked, _packed),
)

TARGETS: Final = (LANGUAGE, FACTS)
