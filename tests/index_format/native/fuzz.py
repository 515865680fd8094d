"""Calls all functions of a compiled module with random input.

    python fuzz.py PACKAGE MODULE ROUNDS [SEED]

The module comes from any file: one that was compiled with sanitizers stops the program at the first
wrong memory access. Answers are compared with the plain models. With `--leaks` instead of a number
of rounds, the same rounds are repeated and must not use more and more memory.
"""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).parents[3]))

import numpy as np

from code_graph.languages.c.bodies import plain_bodies, plain_uses
from code_graph.native import CodeNative
from index_format.codec import decoding, postings
from index_format.codec.wire import MalformedError
from index_format.layout import BLOCK, ROW_BYTES
from index_format.native import (
    MAX_WORD,
    Native,
    PlainWordCounter,
    columns,
    pack_column,
    pack_signed,
    pack_steps,
    split_identifier,
)
from repo_mcp.native import ServerNative, lines
from repo_mcp.vectors.model import GramTable
from repo_mcp.vectors.packing import plain_distances
from repo_mcp.vectors.shapes import plain_fold
from repo_mcp.vectors.sums import PlainSums
from tests.index_format.native import fuzz_phrases, fuzz_ranking, fuzz_terms

LETTERS = "aaabcXYZ__09 \n\n.\0\t"
OTHERS = "\u00e9\u0130\u1e9e\u03c2\u4e2d\u2014\u0301\u0663\U00010428\U0010ffff"
SURROGATES = "\ud800\udfff"
# around those at which something changes
SIZES = [0, 1, 3, 7, 8, 9, 15, 16, 31, 63, 64, 65, 128, 200, 257, 1000]
LARGE = [4080, 4081, 9000]
STRETCHES = 30
LONG_TERM = b"\0long"
WORDS = re.compile(r"\w+")


def load(path: str) -> ModuleType:
    """The module of a file."""
    spec = importlib.util.spec_from_file_location(Path(path).name.partition(".")[0], path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def random_text(chance: random.Random, others: str, sizes: list[int]) -> str:
    """Runs of few letters or of one."""
    size = chance.choice(sizes)
    kind = chance.randrange(6)
    if kind == 0 and others != OTHERS:
        return "".join(map(chr, chance.choices(range(0x110000), k=size)))
    if kind < 2:
        return chance.choice(LETTERS + others) * size
    return "".join(chance.choices(LETTERS if kind < 4 else LETTERS + others, k=size))


def damage(chance: random.Random, data: bytes) -> bytes:
    """Change a few bytes, or cut."""
    if not data or chance.random() < 0.3:
        return data
    changed = bytearray(data)
    for _ in range(chance.randrange(3)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed[: chance.choice([len(changed), chance.randrange(len(changed) + 1)])])


# ---- words ----


def terms_of(word: str) -> list[str]:
    parts = split_identifier(word)
    whole = word.lower()
    if parts == [word]:
        return [whole]
    return [whole, *map(str.lower, parts)] if parts else []


def split_other(word: bytes) -> list[bytes]:
    text = word.decode("utf-8", "surrogatepass")
    return [term.encode("utf-8", "surrogatepass") for term in terms_of(text)]


def random_piece(chance: random.Random) -> str | bytes:
    """Text, or bytes where it is ASCII."""
    content = random_text(chance, OTHERS + SURROGATES, SIZES)
    return content.encode() if content.isascii() and chance.random() < 0.7 else content


class FailingCaller:
    """Answers with errors now and then, or with something useless."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._numbers: dict[bytes, int] = {}

    def number_terms(self, terms: list[bytes]) -> list[int]:
        fate = self._chance.randrange(12)
        if fate == 0:
            raise LookupError
        found = [self._numbers.setdefault(term, len(self._numbers)) for term in terms]
        wrong = {1: None, 2: found[1:], 3: [*found[1:], -1], 4: [*found[1:], "x"]}
        return cast("list[int]", wrong.get(fate, found))

    def split_other(self, word: bytes) -> list[bytes]:
        fate = self._chance.randrange(40)
        if fate == 0:
            raise LookupError
        wrong: dict[int, object] = {1: None, 2: [3], 3: ()}
        return cast("list[bytes]", wrong.get(fate, split_other(word)))


def read_counts(
    found: tuple[bytes, bytes, list[int], bytes], names: list[bytes], column: int = 1
) -> list[Counter[bytes]]:
    """By piece, how often terms occur; with column 3, how often as wholes."""
    data = found[1] if column == 1 else found[3]
    numbers, times = memoryview(found[0]).cast("I"), memoryview(data).cast("I")
    counters = []
    begin = 0
    for end in found[2]:
        counter: Counter[bytes] = Counter()
        for number, count in zip(numbers[begin:end], times[begin:end], strict=True):
            counter[names[number]] += count
        counters.append(counter)
        begin = end
    return counters


def check_words(native: Native, chance: random.Random) -> None:
    """Terms are counted as by the model, whatever was counted before."""
    names: dict[bytes, int] = {}

    def number_terms(terms: list[bytes]) -> list[int]:
        return [names.setdefault(term, len(names)) for term in terms]

    compiled, plain = (
        native.WordCounter(chance.randbytes(16), LONG_TERM),
        PlainWordCounter(b"", LONG_TERM),
    )
    for _ in range(2):
        pieces = [random_piece(chance) for _ in range(chance.randrange(6))]
        found, expected = (
            counter.count(pieces, number_terms, split_other) for counter in (compiled, plain)
        )
        for column in (1, 3):
            counts = (read_counts(item, list(names), column) for item in (found, expected))
            assert next(counts) == next(counts), pieces
        assert len(compiled) == len(plain)


def check_sums(native: ServerNative, chance: random.Random) -> None:
    """Rows are summed as by the model; wrong arguments are refused."""
    words = sorted({term for _ in range(6) for term in split_other(random_word(chance))})
    text = b"".join(word + b"\n" for word in words if word)
    buckets, dimensions = chance.choice([1, 2, 50]), chance.choice([8, 24, 128])
    count = text.count(b"\n") + buckets
    rows = np.frombuffer(chance.randbytes(count * dimensions), np.int8).reshape(count, dimensions)
    scales = np.frombuffer(chance.randbytes(count * 2), np.uint16)
    table = GramTable(text, rows, scales, buckets, "")
    compiled = native.RowSums(chance.randbytes(16), text, rows.data, scales.data, dimensions)
    plain = PlainSums(table)
    vocabulary: list[bytes] = []
    for _ in range(3):
        vocabulary += [random_word(chance) for _ in range(chance.randrange(30))]
        size = chance.choice([0, 1, 5, 60]) if vocabulary else 0
        terms = np.array(chance.choices(range(len(vocabulary)), k=size), np.uint32).tobytes()
        most = chance.choice([2, 100, 2**32])
        times = np.array([chance.randrange(most) for _ in range(size)], np.uint32).tobytes()
        ends = sorted(chance.choices(range(size + 1), k=3))
        found = compiled.sum(vocabulary, terms, times, ends)
        assert found == plain.sum(vocabulary, terms, times, ends)
    beyond = np.array([len(vocabulary)], np.uint32).tobytes()
    wrong = [
        (vocabulary, beyond, bytes([1, 0, 0, 0]), [1]),
        ([*vocabulary, None], beyond, bytes([1, 0, 0, 0]), [1]),
        (vocabulary, b"abc", b"abc", [0]),
        (vocabulary, b"abcd", b"", [0]),
        (vocabulary, b"", b"", [1]),
        (vocabulary, b"", b"", [0, -1]),
        (vocabulary, b"", b"", None),
        (None, b"", b"", []),
    ]
    with suppress(ValueError, IndexError, TypeError, OverflowError):
        found = compiled.sum(*chance.choice(wrong))  # type: ignore[arg-type]
        raise AssertionError(found)
    assert compiled.sum(vocabulary, b"", b"", [0]) == bytes(dimensions)
    for sizes in ((dimensions + 1,), (0,), (1 << 40,)):
        with suppress(ValueError):
            native.RowSums(bytes(16), text, rows.data, scales.data, *sizes)
            raise AssertionError(sizes)


def random_word(chance: random.Random) -> bytes:
    content = random_text(chance, OTHERS + SURROGATES, [1, 3, 8, 24, 25, 70])
    return content.replace("\n", "").lower().encode("utf-8", "surrogatepass") or b"a"


def check_failing_callers(native: Native, chance: random.Random) -> None:
    """Whatever goes wrong around a counter, it ends with an error or an answer."""
    failing = FailingCaller(chance)
    counter = native.WordCounter(chance.randbytes(16), chance.randbytes(9))
    for _ in range(2):
        pieces: list[object] = [random_piece(chance) for _ in range(4)]
        pieces.append(chance.choice([chance.randbytes(chance.randrange(200)), None, 3, "x"]))
        try:
            counter.count(
                cast("list[str | bytes]", pieces), failing.number_terms, failing.split_other
            )
        except (LookupError, TypeError, OverflowError):
            assert len(counter) == 0


def check_growth(native: Native, chance: random.Random) -> None:
    """Tables grow many times."""
    counter = native.WordCounter(chance.randbytes(16), LONG_TERM)
    content = " ".join(f"w{number}_{chance.random()}" for number in range(20_000))
    counter.count([content, content + "\u00e4"], lambda terms: [*range(len(terms))], split_other)


# ---- lines ----


def check_lines(native: ServerNative, chance: random.Random) -> None:
    """Lines are where they are for the model."""
    data = random_text(chance, OTHERS, SIZES + LARGE).encode()
    count = data.count(b"\n")
    numbers = [-(2**62), -1, 0, 1, 2, count, count + 1, count + 2, 2**62]
    for _ in range(20):
        first, last = chance.choice([*numbers, chance.randrange(count + 3)]), chance.choice(numbers)
        expected = lines.find_lines(data, first, last)
        assert native.find_lines(data, first, last) == expected, (data, first, last)


def plain_marks(
    rows: list[str], terms: tuple[bytes, ...]
) -> tuple[list[int], list[int], list[int]]:
    marks: dict[int, int] = {}
    unsure: list[int] = []
    for number, row in enumerate(rows):
        words = WORDS.findall(row)
        if not row.isascii() or any(len(word) > MAX_WORD for word in words):
            unsure.append(number)
            continue
        held = {term.encode() for word in words for term in terms_of(word)}
        mark = sum(1 << bit for bit, term in enumerate(terms) if term in held)
        if mark:
            marks[number] = mark
    return list(marks), list(marks.values()), unsure


def check_scans(native: ServerNative, chance: random.Random) -> None:
    pieces = [b"ab", b"aB", b"A", b"_", b" ", b"\n", b"\xc3\xa9", b"\xff", b"\r", b"\0", b"ba" * 9]
    count = 4 if chance.randrange(3) else len(pieces)
    for size in SIZES:
        data = damage(chance, b"".join(chance.choices([*pieces[:count], b"\n"], k=size)))
        needle = b"".join(chance.choices(pieces[:3], k=chance.randrange(1, 4))).lower()
        fold, word = chance.random() < 0.3, chance.random() < 0.3
        what = lines.LineScan(needle, fold, word, chance.choice([-1, 0, 1, 5]))
        found = lines.scan_lines(data, what)
        assert native.scan_lines(data, what) == found, (data, what)
        if found is not None:
            given = found.text, found.numbers, needle, needle[:1]
            assert native.prefix_lines(*given) == lines.prefix_lines(*given), given


def check_files(native: ServerNative, chance: random.Random) -> None:
    """Files that are there, that are not, that are too long, and other things than files."""
    here = Path(__file__).resolve().parent
    folder = os.open(here, os.O_RDONLY)
    try:
        names = [b"fuzz.py", b"test_lines.py", b"nowhere", b"../native", b".", b"x" * 5000]
        chosen = tuple(chance.choices(names, k=5))
        what = lines.LineScan(chance.choice([b"", b"def ", b"e"]), most=chance.choice([-1, 0, 3]))
        most, links = chance.choice([10, 1 << 20]), True
        found = native.scan_files(folder, f"{here}/".encode(), chosen, most, links, what)
        for name, result in zip(chosen, found, strict=True):
            is_file = name.endswith(b".py") and most > 10
            if result is None or not is_file:
                assert result is None, name
                continue
            data = (here / name.decode()).read_bytes()
            expected = lines.scan_lines(data, what) if what.needle else None
            assert result == (data if expected is None else expected)
        plain = native.read_files(folder, f"{here}/".encode(), chosen, most, links)
        assert [item and item[1][0] for item in plain] == [
            (here / name.decode()).stat().st_size if result is not None else None
            for name, result in zip(chosen, found, strict=True)
        ]
        wrong = native.scan_files(folder, b"/elsewhere/", chosen, most, links, what)
        assert wrong == [None] * len(chosen)
    finally:
        os.close(folder)


def check_marks(native: ServerNative, chance: random.Random) -> None:
    """Terms are found in the lines where the rule says they are."""
    text = random_text(chance, OTHERS, SIZES + LARGE)
    held = sorted({term for word in WORDS.findall(text[:300]) for term in terms_of(word)})
    chosen = chance.sample(held, min(len(held), chance.choice([0, 1, 5, native.MAX_TERMS - 3])))
    asked = dict.fromkeys([*chosen, *chance.choice([[], ["a", "ab", "x" * 140]])])
    terms = tuple(term.encode() for term in asked)
    assert native.mark_lines(text, terms) == plain_marks(text.split("\n"), terms), (terms, text)


# ---- columns ----


def check_ranges(native: Native, chance: random.Random) -> None:
    """Ranges are what they are for the model, or the columns are damaged."""
    count = chance.choice([0, 1, 5, 300])
    starts = pack_steps([chance.randrange(1 << chance.choice([3, 9, 20])) for _ in range(count)])
    spans = pack_column([chance.randrange(1 << chance.choice([3, 9, 20])) for _ in range(count)])
    names = [chance.choice(["", "a", "get_A", "é漢"]) for _ in range(count)]
    text, lengths = "".join(names), pack_column(list(map(len, names)))
    asked = count, chance.randrange(600), chance.randrange(1 << 20)
    expected = columns.find_ranges(text, lengths, starts, spans, *asked)
    assert native.find_ranges(text, lengths, starts, spans, *asked) == expected
    with suppress(ValueError):
        broken = chance.randbytes(1 + chance.randrange(9))
        native.find_ranges(
            text, *chance.choice([(broken, starts), (lengths, broken)]), spans, *asked
        )
    if count:
        place = chance.randrange(count)
        expected_range = columns.find_range(starts, spans, count, place)
        assert native.find_range(starts, spans, count, place) == expected_range
    back = pack_signed([chance.choice([0, 0, 1, 2, -1, 400]) for _ in range(count)])
    if count:
        scoped = text, lengths, back, count, chance.randrange(count)
        assert native.find_scopes(*scoped) == columns.find_scopes(*scoped)
    ending, plain = chance.choice([b"", b"a", b"geta"]), text.encode()
    lengths = pack_column([len(name.encode()) for name in names])
    found = columns.find_endings(plain, lengths, count, ending)
    assert native.find_endings(plain, lengths, count, ending) == found
    with suppress(ValueError):
        native.find_endings(damage(chance, plain), lengths, count, ending)


# ---- postings ----


def random_postings(chance: random.Random) -> postings.Batch:
    """One term, whose gaps and frequencies are of all widths."""
    count = chance.choice([1, 2, 127, 128, 129, 300, 1000])
    steps = [1 + chance.getrandbits(chance.choice([0, 1, 2, 4, 8, 16, 20])) for _ in range(count)]
    times = [1 + chance.getrandbits(chance.choice([0, 1, 2, 4, 8, 16, 31])) for _ in range(count)]
    chunks = np.cumsum(steps) - 1
    return postings.Batch(
        np.array([count]), chunks.astype(np.uint32), np.array(times, dtype=np.uint32)
    )


def outcome(work: Callable[[], object]) -> object:
    try:
        return work()
    except ValueError:
        return MalformedError


def as_lists(found: tuple[np.ndarray[tuple[int], np.dtype[np.uint32]], ...]) -> tuple[object, ...]:
    return tuple(item.ravel().tolist() for item in found)


def bytes_as_lists(found: tuple[bytes, bytes]) -> tuple[object, ...]:
    return tuple(np.frombuffer(item, dtype=np.uint32).tolist() for item in found)


def check_tails(native: Native, chance: random.Random) -> None:
    """A tail is for both the same, or damaged."""
    item = random_postings(chance)
    codes = np.zeros(int(item.chunks[-1]) + 1, dtype=np.uint8)
    data = damage(chance, postings.encode(item, codes, 0).tails)
    count, last = chance.choice([int(item.counts[0]) % BLOCK, 5]), chance.choice([-1, 7, 2**31])
    if not data or not count:
        return
    plain = outcome(lambda: as_lists(decoding.tail_by_numpy(data, count, last)))
    found = outcome(lambda: bytes_as_lists(native.decode_tail(data, count, last)))
    assert found == plain, (data, count, last)


def check_blocks(native: Native, chance: random.Random) -> None:
    """Blocks are for both the same, or damaged."""
    item = random_postings(chance)
    encoded = postings.encode(item, np.zeros(int(item.chunks[-1]) + 1, np.uint8), 0, native)
    meta = encoded.meta
    rows = np.frombuffer(encoded.rows, dtype=np.uint8).reshape(-1, ROW_BYTES)
    at, before = meta["row"].astype(np.int64), np.full(len(meta), -1)
    before[1:] = meta["last"][:-1]
    sound = as_lists(decoding.blocks_by_numpy(rows, at, meta, before)) if len(meta) else ([], [])
    assert bytes_as_lists(native.decode_blocks(rows, at, meta, before)) == sound
    decode = cast("Callable[..., tuple[bytes, bytes]]", native.decode_blocks)
    worse = damage(chance, at.tobytes()), damage(chance, meta.tobytes())
    outcome(lambda: decode(damage(chance, rows.tobytes()), *worse, before))


# ---- all of it ----


def check_likeness(native: ServerNative, chance: random.Random) -> None:
    """Distances and folded code are those of the models; rows of another length are refused."""
    code = random_text(chance, OTHERS + "\"'`/*#\\", SIZES).encode("utf-8", "surrogatepass")
    assert native.fold_code(code) == plain_fold(code)
    width = chance.randrange(1, 40)
    stride = width + chance.randrange(9)
    rows = np.frombuffer(chance.randbytes(stride * chance.randrange(20)), np.uint8)
    bits = chance.randbytes(width)
    found = native.bit_distances(rows.data, stride, bits)
    assert found == plain_distances(bits, rows.reshape(-1, stride)).tobytes()
    for wrong in ((b"abc", 2, b"a"), (b"abc", 0, b""), (b"abc", -1, b""), (b"abc", 3, b"abcd")):
        with suppress(ValueError):
            native.bit_distances(*wrong)
            raise AssertionError(wrong)


def check_bodies(native: CodeNative, chance: random.Random) -> None:
    """Bodies of functions and their uses are those of the models."""
    pieces = (b"f(a)", b"\n{\n", b"\n}\n", b"{", b"}", b"(", b"=", b",", b";", b"f", b"\n#if A\n")
    some = (
        *pieces,
        b"\n#endif\n",
        b"\n#else\n",
        b"/*",
        b"*/",
        b'"',
        b"\\",
        b"struct s",
        b"\xff",
        b"#",
        b"\n#ifndef A",
        *(b"\n#define A", b"\n# define a(b, ...)", b" 1", b" \\\n", b"//", b"\n"),
    )
    code = b"".join(chance.choices(some, k=chance.randrange(60)))
    spans = plain_bodies(code)
    assert native.find_bodies(code) == spans
    names = chance.choices([b"f", b"a", b"s", b"struct", b"", b"if"], k=chance.randrange(40))
    assert native.find_uses(code, spans, names) == plain_uses(code, spans, names)


def check_wrong_arguments(native: ModuleType, chance: random.Random) -> None:
    """Whatever a function is given, it ends with an error or an answer."""
    things: list[object] = ["\ud800", "a", b"a", None, 3, (), (b"a",) * 63, (b"",), (3,), [b"a"]]
    functions = [
        value for name, value in vars(native).items() if name[0] != "_" and callable(value)
    ]
    assert functions
    for function in functions:
        for size in range(8):
            with suppress(TypeError, ValueError, OverflowError, OSError):
                function(*chance.choices(things, k=size))


Check = Callable[[Any, random.Random], None]
CHECKS: dict[str, Sequence[Check]] = {
    "index_format": (
        check_words,
        check_failing_callers,
        check_ranges,
        check_tails,
        check_blocks,
        fuzz_phrases.check_pairs,
        *fuzz_ranking.POSTING_CHECKS,
        *fuzz_terms.CHECKS,
        check_wrong_arguments,
    ),
    "code_graph": (check_bodies, check_wrong_arguments),
    "repo_mcp": (
        check_sums,
        check_lines,
        check_marks,
        check_scans,
        check_files,
        check_likeness,
        fuzz_phrases.check_phrases,
        *fuzz_ranking.RANKING_CHECKS,
        check_wrong_arguments,
    ),
}


def run_checks(package: str, native: ModuleType, rounds: int, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(rounds):
        for check in CHECKS[package]:
            check(native, chance)
    if package == "index_format":
        check_growth(cast("Native", native), chance)


class MallocFigures(ctypes.Structure):
    """The result of `mallinfo2` of glibc; `in_use` are the bytes taken and not given back."""

    _fields_ = (
        *((name, ctypes.c_size_t) for name in ("arena", "free_chunks", "fast_chunks", "mapped")),
        *((name, ctypes.c_size_t) for name in ("mapped_bytes", "most", "fast_bytes", "in_use")),
        *((name, ctypes.c_size_t) for name in ("free_bytes", "top")),
    )


def used_memory() -> tuple[int, int]:
    """Python's blocks, and bytes taken with malloc."""
    gc.collect()
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = MallocFigures
    figures = mallinfo()
    return sys.getallocatedblocks(), figures.in_use + figures.mapped_bytes


def check_leaks(package: str, native: ModuleType) -> None:
    """Of several equal stretches of work, one at least needs no more memory.

    What is lost is lost in each; caches of Python and numpy grow in some.
    """
    for check in CHECKS[package]:
        repeat(native, check, 60)
        used = [used_memory()]
        while any(is_growing(column) for column in zip(*used, strict=True)):
            assert len(used) <= STRETCHES, (check, used)
            repeat(native, check, 60)
            used.append(used_memory())


def is_growing(column: Sequence[int]) -> bool:
    """True if every stretch so far has needed more memory than the one before."""
    return min(map(int.__sub__, column[1:], column), default=20) >= 20


def repeat(native: ModuleType, check: Check, times: int) -> None:
    for number in range(times):
        check(native, random.Random(number % 3))


def main() -> None:
    """Raise what is wrong, if anything is."""
    package, path, rounds, *seed = sys.argv[1:]
    native = load(path)
    if rounds == "--leaks":
        check_leaks(package, native)
    else:
        run_checks(package, native, int(rounds), int(seed[0]) if seed else 1)


if __name__ == "__main__":
    main()
