"""Coverage-guided fuzzing of one target: mutates inputs and keeps those that reach new behaviour.

What an input reached are the steps from line to line in the modules under test, and the shape of
the result, which the target names. A run is decided by its seed and its corpus, up to its end.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from random import Random
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

from tests.fuzz.mutations import Mutation, mutated

ROOT: Final = Path(__file__).parents[2]
# inputs are small: what a parser does wrong, it does wrong with few bytes
MAX_INPUT: Final = 4096
# most attempts at making a finding's input smaller
_SHRINKING: Final = 400


@dataclass(frozen=True)
class Target:
    """Something that takes bytes that nobody vouches for.

    `run` raises for a defect and nothing else; what it returns tells behaviours apart. `watched`
    are the files and folders whose lines count as coverage. `slow` targets are left out of runs
    over all targets unless these are long.
    """

    name: str
    run: Callable[[bytes], object]
    seeds: Callable[[], Iterable[bytes]]
    watched: tuple[str, ...]
    words: Sequence[bytes] = ()
    mutation: Mutation | None = None
    max_input: int = MAX_INPUT
    slow: bool = False


class Finding(NamedTuple):
    """An input that does what none may do; equal signatures are one defect."""

    data: bytes
    signature: str
    text: str


class Hang(BaseException):
    """An input took more processor time than any needs; nothing that catches errors catches it."""


@dataclass
class Exploration:
    """The state of a run."""

    executions: int = 0
    added: int = 0
    features: int = 0
    findings: dict[str, Finding] = field(default_factory=dict)


Limiter = Callable[[bytes], AbstractContextManager[None]]


class Coverage:
    """Counts steps from line to line, in some files only."""

    def __init__(self, watched: Iterable[str]) -> None:
        self._watched = tuple(str(ROOT / name) for name in watched)
        self._codes: dict[CodeType, int] = {}
        self._reached: set[int] = set()

    @contextmanager
    def traced(self) -> Iterator[set[int]]:
        """The steps taken inside, filled while they are taken."""
        self._reached = set()
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            yield self._reached
        finally:
            sys.settrace(before)

    def _enter(self, frame: FrameType, _event: str, _argument: object) -> Any:  # noqa: ANN401 as `sys.settrace` has it
        code = frame.f_code
        number = self._codes.get(code)
        if number is None:
            is_watched = code.co_filename.startswith(self._watched)
            number = self._codes[code] = len(self._codes) + 1 if is_watched else 0
        return self._tracer(number) if number else None

    def _tracer(self, number: int) -> Any:  # noqa: ANN401 as above
        reached, before = self._reached, 0

        def step(frame: FrameType, event: str, _argument: object) -> Any:  # noqa: ANN401 as above
            nonlocal before
            if event == "line":
                line = frame.f_lineno
                reached.add(number << 40 | before << 20 | line)
                before = line
            return step

        return step


class Explorer:
    """Runs one target with a growing corpus."""

    def __init__(
        self,
        target: Target,
        chance: Random,
        limited: Limiter,
        keep: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        """`limited` bounds each run; `keep` gets each input that reached something new."""
        self.done = Exploration()
        self._target = target
        self._chance = chance
        self._limited = limited
        self._keep = keep
        self._coverage = Coverage(target.watched)
        self._known: set[int] = set()
        self._corpus: list[bytes] = []

    def replay(self, inputs: Iterable[bytes], stop: Callable[[], bool]) -> None:
        """Learn what is reached already."""
        for data in inputs:
            if stop():
                return
            if self._try(data):
                self._corpus.append(data)

    def explore(self, stop: Callable[[], bool]) -> None:
        """Try mutated inputs until it is time to stop."""
        while not stop():
            data = self._next()
            if self._try(data):
                self._corpus.append(data)
                self.done.added += 1
                self._keep(data)

    def _next(self) -> bytes:
        corpus, chance = self._corpus or [b""], self._chance
        # what was added last is mutated most: it has been tried least
        recent = chance.random() < 0.3
        parent = chance.choice(corpus[-20:] if recent else corpus)
        own = self._target.mutation
        if own is not None and chance.random() < 0.6:
            return own(parent, chance)[: self._target.max_input]
        words = self._target.words
        return mutated(parent, chance, words, corpus)[: self._target.max_input]

    def _try(self, data: bytes) -> bool:
        """True if the input reached something new."""
        reached, finding = features(self._target, data, self._coverage, self._limited)
        self.done.executions += 1
        if finding is not None:
            self._remember(finding)
            return False
        is_new = not reached <= self._known
        self._known |= reached
        self.done.features = len(self._known)
        return is_new

    def _remember(self, finding: Finding) -> None:
        if finding.signature not in self.done.findings:
            self.done.findings[finding.signature] = self._shrunk(finding)

    def _shrunk(self, finding: Finding) -> Finding:
        """The finding with as much cut from its input as leaves it one."""
        smallest, left = finding, 0 if finding.signature.startswith("Hang") else _SHRINKING
        size = max(len(finding.data) // 2, 1)
        while size and left:
            at = 0
            while at < len(smallest.data) and left:
                left -= 1
                data = smallest.data[:at] + smallest.data[at + size :]
                found = run_limited(self._target, data, self._limited)[1]
                if found is not None and found.signature == finding.signature:
                    smallest = found
                else:
                    at += size
            size //= 2
        return smallest


def features(
    target: Target, data: bytes, coverage: Coverage, limited: Limiter
) -> tuple[set[int], Finding | None]:
    """The features that an input reaches."""
    with coverage.traced() as reached:
        shape, finding = run_limited(target, data, limited)
    reached.add(int.from_bytes(blake2b(repr(shape).encode(), digest_size=7).digest(), "big") << 64)
    return reached, finding


def run_limited(target: Target, data: bytes, limited: Limiter) -> tuple[object, Finding | None]:
    """The shape of the target's answer, or what is wrong."""
    try:
        with limited(data):
            return target.run(data), None
    except (Exception, Hang) as error:  # noqa: BLE001 whatever comes out is the finding
        return None, Finding(data, _signature(error), "".join(traceback.format_exception(error)))


def _signature(error: BaseException) -> str:
    """The kind of the error and the place in this repository that it comes from."""
    if isinstance(error, Hang):  # it is noticed somewhere else each time
        return "Hang"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(f"{ROOT}/")]
    inside = [frame for frame in own if ".venv" not in frame.filename] or own or list(frames)
    place = f"{Path(inside[-1].filename).name}:{inside[-1].lineno}" if inside else "nowhere"
    return f"{type(error).__name__} at {place}"


def text_of(data: bytes) -> str:
    """The text that an input stands for, lone surrogates included: every input is one."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def name_of(data: bytes) -> str:
    """The file name of an input."""
    return blake2b(data, digest_size=8).hexdigest()


def distilled(target: Target, inputs: Iterable[bytes], limited: Limiter, room: int) -> list[bytes]:
    """Few small inputs that reach, within so many bytes, most of what all of them reach."""
    coverage = Coverage(target.watched)
    reached = [
        (data, found)
        for data in sorted(set(inputs), key=lambda data: (len(data), data))
        for found, finding in [features(target, data, coverage, limited)]
        if finding is None
    ]
    kept: list[bytes] = []
    known: set[int] = set()
    while reached:
        gains = [(len(found - known) / (len(data) + 16), data, found) for data, found in reached]
        gain, best, steps = max(gains, key=lambda item: (item[0], item[1]))
        if gain == 0:
            break
        reached = [item for item in reached if item[0] != best and not item[1] <= known]
        if len(best) <= room:
            kept.append(best)
            known |= steps
            room -= len(best)
    return kept
