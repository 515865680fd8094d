"""Times linking and making facts with code on real trees, by language, on one core.

    python -m bench.graph speed --root FOLDER… [--language python …] [--repeat 3] [--write] [--each]

Each tree is linked by itself in the order of its paths, as a worker does: facts are decoded when a
file is first asked about, and collecting garbage is off but for the end of each batch. A digest of
everything that linking gave tells whether two versions give the same. `--write` stores the figures
with the machine, `--each` shows the files that took the longest, `--repeat` links each tree several
times and counts the fastest, which other programs disturb the least. To conclude: the digests are
equal, and megabytes of source for each second of processor time of an otherwise idle core.
"""

from __future__ import annotations

import argparse
import gc
import resource
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import xxhash

from bench import machine
from bench.graph.folder import FolderTree
from code_graph.expressions import Code, FileCode
from code_graph.expressions.wire import decode_code, encode_code
from code_graph.facts import Facts, decode, encode
from code_graph.link.linker import GraphLinker
from code_graph.model import LinkedFile

_BATCH: Final = 128
_SLOWEST: Final = 15


class EncodedTree:
    """A tree whose facts are encoded, as an index has them."""

    def __init__(self, tree: FolderTree) -> None:
        self._tree = tree
        self._encoded: dict[str, bytes] = {}
        self._coded: dict[str, bytes] = {}
        self._fingerprints: dict[str, bytes] = {}
        self._manifests = tree.manifests()
        self.sizes: dict[str, int] = {}
        self.languages: dict[str, str] = {}
        self.facts_seconds: defaultdict[str, float] = defaultdict(float)
        for path in tree.paths():
            self._read(path)
        tree.declared("", "")  # lists who declares what

    def _read(self, path: str) -> None:
        begin = time.process_time()
        facts = self._tree.facts(path)
        data = b"" if facts is None else encode(facts)
        code = None if facts is None else self._tree.code(path)
        if facts is not None and code is not None:
            whole = FileCode(code, len(facts.declarations), len(facts.imports))
            self._coded[path] = encode_code(whole)
        spent = time.process_time() - begin
        self._encoded[path] = data
        self._fingerprints[path] = self._tree.fingerprint(path)
        self.sizes[path] = self._tree.size(path)
        self.languages[path] = "" if facts is None else facts.language
        self.facts_seconds[self.languages[path]] += spent

    def paths(self) -> list[str]:
        """All paths, in order."""
        return self._tree.paths()

    def facts(self, path: str) -> Facts | None:
        """The facts of a file, decoded each time."""
        data = self._encoded.get(path)
        return decode(data) if data else None

    def code(self, path: str) -> Code | None:
        """The symbolic code of a file, decoded each time."""
        data = self._coded.get(path)
        whole = None if data is None else decode_code(data)
        return None if whole is None else whole.code

    def fingerprint(self, path: str) -> bytes:
        """The fingerprint of a file."""
        return self._fingerprints[path]

    def manifests(self) -> dict[str, str]:
        """The texts of manifests by path."""
        return self._manifests

    def declared(self, language: str, name: str) -> Collection[str]:
        """Paths of files of a language that may declare a name for all its files."""
        return self._tree.declared(language, name)


@dataclass(slots=True)
class Speed:
    """Time and memory of one language."""

    size: int = 0
    files: int = 0
    edges: int = 0
    facts_seconds: float = 0.0
    link_seconds: float = 0.0
    # of edges and uses, and of everything else that linking gives
    edges_digest: xxhash.xxh3_64 = field(default_factory=xxhash.xxh3_64)
    whole_digest: xxhash.xxh3_64 = field(default_factory=xxhash.xxh3_64)

    def add(self, linked: LinkedFile, size: int, seconds: float) -> None:
        """Add a file."""
        self.size += size
        self.files += 1
        self.edges += len(linked.edges)
        self.link_seconds += seconds
        uses = linked.edges, linked.external, linked.unresolved
        self.edges_digest.update(_text(linked.path, *uses))
        self.whole_digest.update(_text(linked.symbols, linked.dependencies, linked.exports))

    def record(self) -> dict[str, object]:
        """Figures to print and store."""
        megabytes = self.size / 1e6
        return {
            "files": self.files,
            "megabytes": round(megabytes, 3),
            "edges": self.edges,
            "facts_mb_per_s": round(megabytes / max(self.facts_seconds, 1e-9), 2),
            "link_mb_per_s": round(megabytes / max(self.link_seconds, 1e-9), 3),
            "facts_seconds": round(self.facts_seconds, 2),
            "link_seconds": round(self.link_seconds, 2),
            "edges_digest": self.edges_digest.hexdigest(),
            "rest_digest": self.whole_digest.hexdigest(),
        }


def _text(*parts: object) -> bytes:
    """Equal in every process for equal values; members of enumerations are numbers."""
    return repr([_plain(part) for part in parts]).encode("utf-8", "surrogatepass")


def _plain(part: object) -> object:
    if isinstance(part, tuple | list):
        return [_plain(item) for item in part]
    return int(part) if isinstance(part, int) else part


def measured(
    root: Path, languages: Collection[str], slowest: list[tuple[float, str]], repeat: int = 1
) -> Iterator[tuple[str, Speed]]:
    """Time and memory of each language of a tree, of the fastest of some runs."""
    gc.disable()
    tree = EncodedTree(FolderTree(root, set(languages)))
    best: dict[str, Speed] = {}
    places: list[tuple[float, str]] = []
    for _ in range(repeat):
        places = []
        for language, speed in _linked(root, tree, places).items():
            known = best.get(language)
            if known is None or speed.link_seconds < known.link_seconds:
                best[language] = speed
    slowest += places
    for language, speed in sorted(best.items()):
        speed.facts_seconds = tree.facts_seconds[language]
        yield language, speed


def _linked(root: Path, tree: EncodedTree, slowest: list[tuple[float, str]]) -> dict[str, Speed]:
    gc.collect()
    linker = GraphLinker(tree)
    found: dict[str, Speed] = {}
    for number, path in enumerate(tree.paths()):
        begin = time.process_time()
        linked = linker.link(path)
        if number % _BATCH == _BATCH - 1:
            gc.collect()
        spent = time.process_time() - begin
        slowest.append((spent, f"{root.name}/{path}"))
        found.setdefault(tree.languages[path], Speed()).add(linked, tree.sizes[path], spent)
    return found


def main(words: Sequence[str]) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="speed", description=__doc__.partition("\n")[0])
    parser.add_argument("--root", type=Path, nargs="+", required=True, help="trees to link")
    parser.add_argument("--language", nargs="*", default=[], help="files of these alone")
    parser.add_argument("--write", action="store_true", help="store the figures")
    parser.add_argument("--each", action="store_true", help="show the slowest files")
    parser.add_argument("--repeat", type=int, default=1, help="runs of which the fastest counts")
    args = parser.parse_args(words)
    figures: dict[str, object] = {}
    for root in args.root:
        slowest: list[tuple[float, str]] = []
        for language, speed in measured(root, args.language, slowest, args.repeat):
            figures[f"{root.name}: {language}"] = record = speed.record()
            print(f"{root.name}: {language}", record, flush=True)
        for seconds, path in sorted(slowest, reverse=True)[: _SLOWEST if args.each else 0]:
            print(f"  {seconds:.2f} {path}", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"peak memory: {peak} MiB")
    if args.write:
        machine.keep("graph-speed", {"trees": figures, "peak_mib": peak})
