"""Measures the search for similar declarations: recall against comparing all, time, and clones.

    python -m bench.vectors.similar NAME=TREE[:DATA] … [--subjects N] [--clones N] [--write FILE]

Without DATA the index is built in a temporary folder; one that is there is brought up to date. The
truth are the vectors of all declarations' current text, compared one by one. Of `--clones`, half
are copies of functions and half copies with all identifiers renamed; each is written at the end of
another file of a copy of the tree, and has to be among the first three when its original is asked
for. `--pasted` functions are asked for as a query with their whole text, by words and as code.
Processor time of one call, the rows of the index being loaded.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from bench.machine import keep
from bench.timing import percentile
from code_graph.facts import FULL, MODULE, Declaration, decode_declarations, last_part
from code_graph.store.schema import FACTS
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.model import SearchHit
from repo_mcp.search import RankedEngine, SearchOptions, SimilarEngine
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.stored import SYMBOL_ROWS
from repo_mcp.text.files import Rows
from repo_mcp.vectors import shapes, symbol_rows
from repo_mcp.vectors.choice import choose_embedder
from repo_mcp.vectors.embedder import I8, Embedder

_TEN: Final = 10
_FIRST: Final = 3
_AT_ONCE: Final = 2_000
_BLOCK: Final = 50_000
# of these, members and what surrounds a declaration are left out
_NEAREST: Final = 500
_CLONED_LINES: Final = (8, 60)
_PASTED_LINES: Final = (5, 40)
# beyond it, words alone refuse
_LONGEST_QUERY: Final = 2_000
_BY_MEANING: Final = 0.7
_FUNCTIONS: Final = frozenset({"function", "method", "constructor"})
# words that renaming keeps: those of the languages' syntax
_KEPT: Final = frozenset(
    b"""False None True and as assert async await break case class const continue crate def default
    defer del do dyn elif else enum except export extends extern final finally fn for from func
    function global go goto if impl implements import in interface is lambda let loop map match mod
    move mut new nil nonlocal not null or package pass pub raise range ref return self static struct
    super switch this throw trait try type typeof union unsafe use var void where while with yield
    bool byte char double error float int int64 long short signed size_t sizeof str string uint64
    unsigned""".split()
)
_WORD: Final = re.compile(rb"\b[A-Za-z_]\w*\b")
_STRINGS: Final = re.compile(
    rb'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`[^`]*`|\#[^\n]*|//[^\n]*|\b[A-Za-z_]\w*\b'
)


class _Symbol(NamedTuple):
    path: str
    declared: Declaration
    text: bytes


class _Tree:
    """One indexed tree."""

    def __init__(self, root: Path, data: Path, *, as_is: bool = False) -> None:
        made = services(Options(str(root), str(data), watch=False))
        if not as_is:
            made.manager.refresh(Budget())
        self.languages = made.manager.languages
        snapshot, embedder = made.manager.snapshot(), choose_embedder("")
        assert snapshot is not None
        assert embedder is not None
        self.root = root
        self.snapshot: Snapshot = snapshot
        self.embedder: Embedder = embedder
        self.engine = SimilarEngine(made.sandbox, embedder)
        self.ranked = RankedEngine(made.sandbox, made.manager.languages, embedder=embedder)

    def is_whole(self, path: str) -> bool:
        """True if a file has no syntax errors."""
        return decode_declarations(self.snapshot.attachment(path, FACTS)).status == FULL

    def symbols(self) -> Iterator[_Symbol]:
        """The declarations that have rows, with their current text."""
        for path in self.snapshot.paths():
            held = self.snapshot.attachment(path, SYMBOL_ROWS)
            if not held:
                continue
            rows = Rows((self.root / path).read_bytes())
            facts = decode_declarations(self.snapshot.attachment(path, FACTS))
            spans = [item for item in facts.declarations if _is_long(item)]
            for item in spans[: len(held) // symbol_rows.width(self.embedder.width)]:
                last = symbol_rows.last_line(item.start_line, item.end_line)
                text = "\n".join(rows.between(item.start_line, last))
                yield _Symbol(path, item, symbol_rows.encoded(symbol_rows.cut_text(text)))


def _is_long(item: Declaration) -> bool:
    return symbol_rows.has_row(item.start_line, item.end_line)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trees", nargs="+", metavar="NAME=TREE[:DATA]")
    parser.add_argument("--subjects", type=int, default=200)
    parser.add_argument("--clones", type=int, default=100)
    parser.add_argument("--pasted", type=int, default=100)
    parser.add_argument("--as-is", action="store_true", help="leave the indexes as they are")
    parser.add_argument("--write", help="the name of the file of results")
    args = parser.parse_args()
    figures: dict[str, Any] = {}
    for given in args.trees:
        name, _, place = given.partition("=")
        root, _, data = place.partition(":")
        with tempfile.TemporaryDirectory() as made:
            figures[name] = _measure(Path(root), Path(data or made), args)
        if args.clones:
            figures[name] |= _measure_clones(Path(root), args.clones)
        print(name, figures[name], flush=True)
    if args.write:
        print(keep(args.write, {"trees": figures}))


def _measure(root: Path, data: Path, args: argparse.Namespace) -> dict[str, Any]:
    tree = _Tree(root, data, as_is=args.as_is)
    every = list(tree.symbols())
    vectors = _vectors(tree.embedder, every)
    chance = random.Random(0)
    subjects = chance.sample(range(len(every)), min(args.subjects, len(every)))
    truths = _nearest(vectors, subjects, every)
    found, wanted, times = 0, 0, list[float]()
    tree.engine.similar(tree.snapshot, *_asked(every[subjects[0]]), _TEN, Budget())
    for subject, truth in zip(subjects, truths, strict=True):
        began = time.process_time()
        answer = tree.engine.similar(tree.snapshot, *_asked(every[subject]), _TEN, Budget())
        times.append(1000 * (time.process_time() - began))
        sure = [item.similarity for item in answer.found if not item.likeness]
        doubles = len(answer.found) - len(sure)
        least = round(truth[-1], 4) if len(truth) == _TEN else 0.0
        # near-duplicates that are less near than the ten take a place from the last ones
        near = sum(item.similarity >= least for item in answer.found)
        wanted += len(truth) - min(doubles, len(truth))
        found += max(0, near - doubles)
    return {
        "declarations": len(every),
        "rows_mib": round(tree.snapshot.attached_bytes(SYMBOL_ROWS) / 2**20, 1),
        "recall": round(found / max(wanted, 1), 4),
        "cpu_ms_p50": round(percentile(times, 0.5), 1),
        "cpu_ms_p95": round(percentile(times, 0.95), 1),
        "cpu_ms_most": round(max(times), 1),
        **(_measure_snippets(tree, every, args.pasted) if args.pasted else {}),
    }


def _asked(symbol: _Symbol) -> tuple[str, tuple[int, int]]:
    return symbol.path, (symbol.declared.start_line, symbol.declared.end_line)


def _vectors(embedder: Embedder, every: Sequence[_Symbol]) -> I8:
    texts = [item.text.decode("utf-8", "surrogatepass") for item in every]
    parts = [embedder.vectors(texts[at : at + _AT_ONCE]) for at in range(0, len(texts), _AT_ONCE)]
    return np.concatenate(parts)


def _nearest(
    vectors: I8, subjects: Sequence[int], every: Sequence[_Symbol]
) -> Iterator[list[float]]:
    """The cosines of the ten nearest declarations of each subject, the best first."""
    asked = vectors[subjects].astype(np.float32)
    asked /= np.maximum(np.linalg.norm(asked, axis=1, keepdims=True), 1)
    cosines = np.zeros((len(subjects), len(vectors)), dtype=np.float32)
    for begin in range(0, len(vectors), _BLOCK):
        block = vectors[begin : begin + _BLOCK].astype(np.float32)
        block /= np.maximum(np.linalg.norm(block, axis=1, keepdims=True), 1)
        cosines[:, begin : begin + len(block)] = asked @ block.T
    for row, subject in zip(cosines, subjects, strict=True):
        path, (first, last) = _asked(every[subject])
        found: list[float] = []
        best = np.argpartition(-row, min(_NEAREST, len(row) - 1))[:_NEAREST]
        for at in best[np.argsort(-row[best], kind="stable")]:
            other = every[at]
            begin, end = other.declared.start_line, other.declared.end_line
            if other.path != path or begin > last or end < first:
                found.append(float(row[at]))
            if len(found) == _TEN:
                break
        yield found


def _measure_snippets(tree: _Tree, every: Sequence[_Symbol], count: int) -> dict[str, Any]:
    """The rate at which pasted functions find themselves or an equal one, by words and as code."""
    least, most = _PASTED_LINES
    fit = [
        item
        for item in every
        if item.declared.kind in _FUNCTIONS
        and least <= item.declared.end_line - item.declared.start_line < most
        and len(item.text) <= _LONGEST_QUERY
    ]
    chosen = random.Random(2).sample(fit, min(count, len(fit)))
    places: dict[bytes, list[_Symbol]] = {}
    for item in every:
        places.setdefault(item.text, []).append(item)
    options = SearchOptions(meaning=_BY_MEANING)
    figures: dict[str, Any] = {"pasted": len(chosen)}
    for kind in ("words", "code"):
        ranks, times = list[int](), list[float]()
        for item in chosen:
            text = item.text.decode("utf-8", "surrogatepass")
            began = time.process_time()
            if kind == "words":
                found = tree.ranked.search(
                    tree.snapshot, text, _TEN, None, Budget(), options=options
                )
            else:
                found = tree.ranked.search_code(tree.snapshot, text, _TEN, Budget(), options)
            times.append(1000 * (time.process_time() - began))
            same = places[item.text]
            hits = [any(_covers(hit, other) for other in same) for hit in found.hits]
            ranks.append(hits.index(True) + 1 if True in hits else _TEN + 1)
        figures[f"pasted_by_{kind}"] = {
            "first": sum(rank == 1 for rank in ranks),
            "first_three": sum(rank <= _FIRST for rank in ranks),
            "cpu_ms_p50": round(percentile(times, 0.5), 1),
            "cpu_ms_p95": round(percentile(times, 0.95), 1),
        }
    return figures


def _covers(hit: SearchHit, other: _Symbol) -> bool:
    declared = other.declared
    return (
        hit.path == other.path
        and hit.start_line <= declared.end_line
        and declared.start_line <= hit.end_line
    )


# ---- clones ----


class _Clone(NamedTuple):
    original: _Symbol
    path: str
    name: bytes
    renamed: bool


def _measure_clones(root: Path, count: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as made:
        tree = Path(made) / "tree"
        shutil.copytree(root, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        before = _Tree(tree, Path(made) / "before")
        clones = list(_plant(before, random.Random(1), count))
        after = _Tree(tree, Path(made) / "after")
        found = {True: 0, False: 0}
        marked = 0
        for clone in clones:
            answer = after.engine.similar(
                after.snapshot, *_asked(clone.original), _TEN, Budget()
            ).found[:_FIRST]
            at = [item for item in answer if _is_clone(after, item.path, item.row, clone)]
            found[clone.renamed] += bool(at)
            marked += any(item.likeness for item in at)
        half = {kind: sum(item.renamed == kind for item in clones) for kind in found}
    return {
        "copies_in_first_three": f"{found[False]} of {half[False]}",
        "renamed_in_first_three": f"{found[True]} of {half[True]}",
        "clones_marked": f"{marked} of {len(clones)}",
    }


def _plant(tree: _Tree, chance: random.Random, count: int) -> Iterator[_Clone]:
    """Write copies of functions to the ends of other files of their languages."""
    least, most = _CLONED_LINES
    every = list(tree.symbols())
    # what has copies already has more than three equally good answers
    times = Counter(shapes.shape_of(item.text) for item in every)
    fit = [
        item
        for item in every
        if tree.is_whole(item.path)
        and item.declared.parent == MODULE
        and not item.text[:1].isspace()
        and item.declared.kind in _FUNCTIONS
        and least <= item.declared.end_line - item.declared.start_line < most
        and item.declared.name.isascii()
        and times[shapes.shape_of(item.text)] == 1
        and any(shapes.shape_of(item.text))
    ]
    by_ending: dict[str, set[str]] = {}
    for item in fit:
        by_ending.setdefault(Path(item.path).suffix, set()).add(item.path)
    fit = [item for item in fit if len(by_ending[Path(item.path).suffix]) > 1]
    chance.shuffle(fit)
    number = 0
    for item in fit:
        if number == count:
            return
        others = by_ending[Path(item.path).suffix] - {item.path}
        path = chance.choice(sorted(others))
        name = f"{'renamed' if number % 2 else 'copied'}_{number}".encode()
        text = _rename(item, name, chance, all_words=bool(number % 2))
        adapter = tree.languages.adapter_for(path)
        if adapter is None or adapter.facts(path, text.decode("utf-8", "replace")).status != FULL:
            continue  # renaming broke it
        place = tree.root / path
        place.chmod(0o644)
        place.write_bytes(place.read_bytes() + b"\n\n" + text + b"\n")
        yield _Clone(item, path, name, bool(number % 2))
        number += 1


def _rename(item: _Symbol, name: bytes, chance: random.Random, *, all_words: bool) -> bytes:
    own = last_part(item.declared.name).encode()
    names: dict[bytes, bytes] = {own: name}

    def replace(found: re.Match[bytes]) -> bytes:
        word = found[0]
        if found.string[found.end() : found.end() + 1] in {b'"', b"'", b"#"}:  # of a string
            return word
        if not _WORD.fullmatch(word) or (word in _KEPT and word != own):
            return word
        if all_words and word not in names:
            letters = "".join(chance.choices("bdfgklmnprstvz", k=3))
            names[word] = f"{letters}a{len(names)}".encode()
        return names.get(word, word)

    return _STRINGS.sub(replace, item.text)


def _is_clone(tree: _Tree, path: str, row: int, clone: _Clone) -> bool:
    if path != clone.path:
        return False
    facts = decode_declarations(tree.snapshot.attachment(path, FACTS))
    found = [item for item in facts.declarations if _is_long(item)][row]
    return last_part(found.name) == clone.name.decode()


if __name__ == "__main__":
    main()
