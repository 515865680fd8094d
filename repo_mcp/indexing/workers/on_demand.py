"""Links or parses the files that a question is about in a worker, which sends back what it made.

Nothing is read but the files and the indexes of text and code, and nothing is written: the graph of
all files may be under way meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, islice
from types import MappingProxyType
from typing import Any, Final

from code_graph import Languages
from code_graph.facts import DamagedFactsError, decode_for_linking, encode
from code_graph.language_table import shared_as
from code_graph.model import CalledSignature
from code_graph.projects.source import is_manifest
from code_graph.store.code_files import CodeFiles
from code_graph.store.on_demand import WORD, OnDemandTree, ParsedFile, link_on_demand
from code_graph.store.schema import FACTS, GRAPH_SCHEMA, digest_of_segments
from code_graph.tree import LinkFocus
from index_format import Index, IndexFormatError, MemoryStore, Snapshot
from index_format.analysis.content import fingerprint, lines
from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.builder import make_facts
from repo_mcp.indexing.build.manifests import list_manifests, read_texts
from repo_mcp.indexing.workers.file_jobs import FileGroup, FileJob
from repo_mcp.indexing.workers.linking import load_linker
from repo_mcp.indexing.workers.lowering import make_code
from repo_mcp.model import QuestionFiles
from repo_mcp.processes.pool import JobRunner
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.stored import paths_declaring
from repo_mcp.text.files import decode

# bytes of the files that are linked: more take longer than a question waits
_MOST_LINKED: Final = 1 << 20
# bytes of those that they lead to, for each second of a question: they are parsed in half of it
_OTHERS_A_SECOND: Final = 1 << 20
_MOST_OTHERS: Final = 4 << 20
# a file whose code is stored is read so many times sooner than it is parsed
_STORED: Final = 8
# files that declare a name: a name of more tells nothing
_MOST_DECLARING: Final = 32
# files that declare it in any case of letters: of more it is not compared which do in its case
_MOST_COMPARED: Final = 256
_MOST_LOOKED_AT: Final = 2000
_TIMEOUT: Final = 5.0
# how much longer the same work takes on a busy machine
_BUSY: Final = 2.0
# seconds for starting a worker, for its last file, and for sending what it made
_SENDING: Final = 2.5


# contents of files in place of those in the checkout; None for a file that is not there
Overlay = Mapping[str, bytes | None]


class _Deadline:
    """The end of so many seconds of processor time, or of twice as long where others run, too."""

    def __init__(self, seconds: float) -> None:
        self._work = time.process_time() + seconds
        self._wall = time.monotonic() + _BUSY * seconds

    def __call__(self) -> bool:
        """True if it has passed."""
        return time.process_time() > self._work or time.monotonic() > self._wall


# by file, which signatures its calls call
CalledSignatures = Mapping[str, Sequence[CalledSignature]]


class LinkedNow(NamedTuple):
    """A graph in memory, the number of files that are linked, and which signatures calls call."""

    snapshot: Snapshot
    linked: int
    signatures: CalledSignatures


class QuestionJob(FileJob):
    """Works on the first of these files, for so many seconds."""

    # the key of its files in the message
    task: str

    def __init__(
        self, paths: Sequence[str], seconds: float, **given: str | int | Overlay | Sequence[str]
    ) -> None:
        """The worker gets what is `given`, too."""
        super().__init__(FileGroup(paths, 0, 0))
        self.seconds = seconds
        self._given = given

    @property
    def timeout(self) -> float:
        """Seconds that a file may take."""
        return max(_TIMEOUT, self.seconds)

    def message(self) -> object:
        """The task message for the worker."""
        paths = [path for path in self.paths if path not in self.skipped]
        return {self.task: paths, "seconds": self.seconds, **self._given}


class LinkJob(QuestionJob):
    """Links files, and gives their graph."""

    task = "on_demand"

    @property
    def retained_bytes(self) -> int:
        """Bytes of the files that are linked, and of those that they lead to."""
        return _MOST_LINKED + _most_others(self.seconds) if self.paths else 0

    def result(self, message: Any) -> tuple[Mapping[str, bytes], int, CalledSignatures]:  # noqa: ANN401 as the worker sent it
        """The files of the index, how many files it has linked, and what their calls call."""
        files, linked, signatures = message
        called = {path: [CalledSignature(*row) for row in rows] for path, rows in signatures}
        return files, linked, called


class ParsedNow(NamedTuple):
    """The fingerprint of a file as it is now, and its facts; empty if they can't be made."""

    fingerprint: bytes
    facts: bytes


class ParseJob(QuestionJob):
    """Makes the facts of files."""

    task = "parse_now"

    @property
    def retained_bytes(self) -> int:
        """Bytes of the files."""
        return _MOST_LINKED

    def result(self, message: Any) -> Mapping[str, ParsedNow]:  # noqa: ANN401 as the worker sent it
        """The facts by path."""
        return {path: ParsedNow(*rest) for path, *rest in message}


def link_now(
    pool: JobRunner,
    asked: QuestionFiles,
    linker: str,
    signature: str,
    code: int,
    seconds: float,
    budget: Budget,
    overlay: Overlay,
) -> LinkedNow | None:
    """The graph that a worker makes; None if it takes far longer than so many seconds.

    Of the generation `code` it takes what is stored of the files that the linked ones lead to.
    """
    job = LinkJob(
        asked.paths,
        seconds,
        linker=linker,
        signature=signature,
        names=[*asked.names],
        words=[*asked.words],
        declaring=asked.declaring,
        code=code,
        overlay=dict(overlay),
    )
    linked = _result_of(job, pool, budget)
    if linked is None:
        return None
    files, count, signatures = linked
    return LinkedNow(Index(MemoryStore(files), GRAPH_SCHEMA).snapshot(), count, signatures)


def parse_now(
    pool: JobRunner, paths: Sequence[str], seconds: float, budget: Budget, overlay: Overlay
) -> Mapping[str, ParsedNow] | None:
    """The facts that a worker makes; None if it takes far longer than so many seconds."""
    job = ParseJob(paths, seconds, overlay=dict(overlay))
    found: Mapping[str, ParsedNow] | None = _result_of(job, pool, budget)
    return found


def _result_of(job: LinkJob | ParseJob, pool: JobRunner, budget: Budget) -> Any:  # noqa: ANN401 as of the job
    for _, found, is_result in pool.run([job], budget.within(_BUSY * job.seconds + _SENDING)):
        if is_result:
            return found
    return None


def parse_for_question(
    sandbox: Sandbox,
    languages: Languages,
    task: Mapping[str, Any],
    send: Callable[[int], None],
) -> list[Any]:
    """The answer to a `ParseJob`'s message; `send` gets each file's number before it is parsed."""
    is_over = _Deadline(task["seconds"])
    overlay: Overlay = task["overlay"]
    found: list[Any] = []
    left = _MOST_LINKED
    for number, path in enumerate(task["parse_now"]):
        send(number)
        if number and (is_over() or left < 0):
            break
        with suppress(Problem):
            replaced = overlay.get(path)
            data = sandbox.read(path, follow=False).data if replaced is None else replaced
            left -= len(data)
            text = decode(data)
            made = None if text is None else make_facts(languages, path, text.content)
            found.append([path, fingerprint(data), b"" if made is None else encode(made)])
    return found


class TreeListing:
    """The paths of one state of the text, and the texts of its manifests, for many questions."""

    def __init__(self, text: Snapshot, sandbox: Sandbox) -> None:
        """List all files, and read the manifests."""
        self.text = text
        self.digest = digest_of_segments(text)
        self._paths = dict.fromkeys(text.paths())
        self._manifests = read_texts(list_manifests(text, self._paths), sandbox)

    def is_of(self, text: Snapshot) -> bool:
        """True for the same state of the text."""
        return digest_of_segments(text) == self.digest

    def paths(self, overlay: Overlay) -> dict[str, None]:
        """The paths of all files with an overlay in their place."""
        paths = dict(self._paths)
        for path, data in overlay.items():
            if data is None:
                paths.pop(path, None)
            else:
                paths[path] = None
        return paths

    def manifests(self, overlay: Overlay) -> Mapping[str, str]:
        """The texts of all manifests with an overlay in their place."""
        kept = {path: text for path, text in self._manifests.items() if path not in overlay}
        return {**kept, **dict(_manifests_of(overlay))}


def link_for_question(
    sandbox: Sandbox,
    languages: Languages,
    listing: TreeListing,
    codes: CodeFiles,
    task: Mapping[str, Any],
    send: Callable[[int], None],
) -> list[Any]:
    """The answer to a job's message; `send` gets each file's number before it is linked."""
    is_over = _Deadline(task["seconds"])
    overlay = task["overlay"]
    text = listing.text
    parser = FileParser(
        sandbox, languages, text, overlay, _most_others(task["seconds"]), codes, is_over
    )
    chosen = parser.choose(task["on_demand"])
    # the uses are what is asked for; what the declarations themselves use takes longer to tell
    declaring = frozenset(task["on_demand"][: task["declaring"]])
    linked = sorted(chosen, key=declaring.__contains__)
    listed = listing.paths(overlay), listing.manifests(overlay)
    tree = OnDemandTree(text, *listed, chosen, parser, DeclaringFiles(text, parser))
    store = MemoryStore()

    def at(number: int) -> bool:
        send(number)
        return not number or linked[number] in declaring or not is_over()

    make_linker = load_linker(task["linker"])
    focuses = _focuses(task, linked, declaring)
    made = link_on_demand(store, tree, make_linker, linked, task["signature"], at, focuses)
    signatures = [[path, [*map(list, rows)]] for path, rows in made.signatures.items() if rows]
    return [store.contents(), made.linked, signatures]


def _focuses(
    task: Mapping[str, Any], linked: Sequence[str], declaring: Collection[str]
) -> Mapping[str, LinkFocus]:
    """The part of each file that a question about names needs: all, where it has no names."""
    names = frozenset(task["names"])
    if not names:
        return {}
    used, asked = LinkFocus(names), LinkFocus(names, frozenset(task["words"]))
    return {path: asked if path in declaring else used for path in linked}


def _most_others(seconds: float) -> int:
    """Bytes of files that a question of so many seconds may parse beside its own."""
    return min(_MOST_OTHERS, max(_OTHERS_A_SECOND, int(seconds * _OTHERS_A_SECOND)))


def _manifests_of(overlay: Overlay) -> Iterator[tuple[str, str]]:
    """The texts of the manifests in an overlay."""
    for path, data in overlay.items():
        text = decode(data) if data is not None and is_manifest(path) else None
        if text is not None:
            yield path, text.content


class FileParser:
    """Parses files as they are now: those that are linked, and so many bytes of others.

    Those of an overlay are parsed as that has them.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        languages: Languages,
        text: Snapshot,
        overlay: Overlay = MappingProxyType({}),
        most_others: int = _OTHERS_A_SECOND,
        codes: CodeFiles | None = None,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        """Nothing is read yet; facts that `text` has, and code of `codes`, are not made again.

        Once it `is_over`, no more than the first file is parsed.
        """
        self._sandbox = sandbox
        self._languages = languages
        self._text = text
        self._overlay = overlay
        self._codes = codes
        self._linked: Collection[str] = ()
        self._left = most_others
        self._is_over = is_over
        self._known: dict[str, ParsedFile | None] = {}

    def choose(self, paths: Sequence[str]) -> Sequence[str]:
        """The files that are linked: the first ones that have code, up to so many bytes."""
        chosen: list[str] = []
        left = _MOST_LINKED
        for path in filter(self._languages.is_lowered, paths):
            with suppress(Problem):
                size = self._size(path)
                if size < left or not chosen:
                    chosen.append(path)
                    left -= size
        self._linked = frozenset(chosen)
        return chosen

    def __call__(self, path: str) -> ParsedFile | None:
        """A file's facts and code; None where they can't be made, or may not any more."""
        if path not in self._known:
            self._known[path] = self._parsed(path)
        return self._known[path]

    def parsed(self) -> Collection[str]:
        """The files that were parsed so far."""
        return [path for path, parsed in self._known.items() if parsed is not None]

    def replaced(self, name: str) -> Iterator[str]:
        """The files of the overlay that declare a name."""
        word = name.encode("utf-8", "surrogatepass")
        for path, data in self._overlay.items():
            parsed = self(path) if data is not None and word in data else None
            if parsed is not None:
                declared = decode_for_linking(parsed.facts).declarations
                if any(item.name == name for item in declared):
                    yield path

    def language_of(self, path: str) -> str:
        """The language of a file by its path."""
        return self._languages.language_of(path)

    def is_replaced(self, path: str) -> bool:
        """True for a file of the overlay."""
        return path in self._overlay

    def _parsed(self, path: str) -> ParsedFile | None:
        is_other = path not in self._linked
        is_late = bool(self._known) and self._is_over()
        if is_late or (is_other and self._left < 0) or not self._languages.language_of(path):
            return None
        try:
            is_replaced = path in self._overlay
            data = self._overlay[path] if is_replaced else self._read(path)
        except Problem:
            return None
        text = None if data is None else decode(data)
        if data is None or text is None:
            return None
        stored = self._stored(path, fingerprint(data), text.content)
        if is_other:
            self._left -= len(data) // (1 if stored is None else _STORED)
            if self._left < 0:
                return None
        return stored or self._parse(path, data, text.content)

    def _read(self, path: str) -> bytes:
        return self._sandbox.read(path, follow=False).data

    def _size(self, path: str) -> int:
        if path in self._overlay:
            return len(self._overlay[path] or b"")
        return self._sandbox.file_key(path).size

    def _stored(self, path: str, print_: bytes, text: str) -> ParsedFile | None:
        """The stored facts and code of a file with this text; None if it has to be parsed."""
        codes = None if self._codes is None else self._codes.snapshot
        known = self._text.file(path)
        if self._codes is None or codes is None or known is None or known.fingerprint != print_:
            return None
        with suppress(IndexFormatError):  # it is parsed, and another question reports the damage
            lowered, facts = codes.file(path), self._text.attachment(path, FACTS)
            code = self._codes.code(path) if facts else None
            if code is not None and lowered is not None and lowered.fingerprint == print_:
                return ParsedFile(print_, facts, code, len(lines(text)))
        return None

    def _parse(self, path: str, data: bytes, text: str) -> ParsedFile | None:
        print_ = fingerprint(data)
        known = self._text.file(path)
        stored = b"" if known is None else self._text.attachment(path, FACTS)
        if known is None or known.fingerprint != print_ or not stored:
            made = make_facts(self._languages, path, text)
            stored = b"" if made is None else encode(made)
        try:
            facts = decode_for_linking(stored)
        except DamagedFactsError:
            return None
        is_linked = path in self._linked
        code = make_code(self._languages, path, text, facts, with_contracts=is_linked)
        return ParsedFile(print_, stored, code, len(lines(text)))


class DeclaringFiles:
    """Finds the files of a snapshot and of an overlay that declare a name, each name once."""

    def __init__(self, snapshot: Snapshot, parser: FileParser) -> None:
        """Nothing is read yet."""
        self._snapshot = snapshot
        self._parser = parser
        self._found: dict[tuple[str, str], Collection[str]] = {}
        # the files of names that very many declare
        self._many: dict[tuple[str, str], Collection[str]] = {}
        # by path: what a file shares its names as, and the words of those that it declares
        self._languages: dict[str, str] = {}
        self._declared: dict[str, Collection[str]] = {}

    def __call__(self, language: str, name: str) -> Collection[str]:
        """The files of a language, or of its platform, that declare a name.

        Of one that very many declare, those called by it, and those beside files that are parsed.
        """
        key = language, name
        if key not in self._found:
            found = paths_declaring(self._snapshot, name, _MOST_LOOKED_AT)
            if len(found) <= _MOST_COMPARED:
                found = self._exact(language, name, found)
            if not 0 < len(found) <= _MOST_DECLARING:
                self._many[key] = found
                found = [path for path in self._called(name) if self._shares_as(path) == language]
            others = [path for path in found if not self._is_replaced(path)]
            replaced = islice(self._parser.replaced(name), _MOST_DECLARING)
            self._found[key] = [*others, *replaced]
        many = self._many.get(key, ())
        if not many:
            return self._found[key]
        return {*self._found[key], *self._exact(language, name, self._beside(many))}

    def _exact(self, language: str, name: str, paths: Iterable[str]) -> list[str]:
        """Of files that may declare a name, those of a language that do, in its case.

        Each other one would be parsed in the place of one that is needed.
        """
        return [
            path
            for path in paths
            if self._shares_as(path) == language and name in self._declared[path]
        ]

    def _shares_as(self, path: str) -> str:
        """The language that a file shares its names as; these are known then."""
        if path not in self._languages:
            language, words = self._parser.language_of(path), frozenset[str]()
            with suppress(DamagedFactsError):
                facts = decode_for_linking(self._snapshot.attachment(path, FACTS))
                # the title of a test is no name
                items = (item for item in facts.declarations if item.kind != "test")
                names = (WORD.findall(item.name) for item in items)
                language, words = facts.language, frozenset(chain.from_iterable(names))
            self._languages[path], self._declared[path] = shared_as(language), words
        return self._languages[path]

    def _beside(self, paths: Collection[str]) -> list[str]:
        """The files that are in a folder with another of these that is parsed.

        A type and what extends it are mostly in one folder.
        """
        folders = {path.rpartition("/")[0] for path in self._parser.parsed() if path in paths}
        near = sorted(path for path in paths if path.rpartition("/")[0] in folders)
        return near[:_MOST_DECLARING]

    def _is_replaced(self, path: str) -> bool:
        return self._parser.is_replaced(path)

    def _called(self, name: str) -> Collection[str]:
        """The files with a name before the suffix: `Table.java` declares `Table`."""
        found = self._stems.get(name, ())
        return found if len(found) <= _MOST_DECLARING else ()

    @cached_property
    def _stems(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for path in self._snapshot.paths():
            found.setdefault(path.rpartition("/")[2].partition(".")[0], []).append(path)
        return found
