"""Answers of processes that stay: percentiles by kind of question, ratios, memory at rest."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from bench.peers import KINDS, OURS, Kind, Peer
from bench.suite.bench import Bench
from bench.suite.builds import WITH_DECLARATIONS
from bench.suite.figures import ratio, spread
from bench.suite.processes import FailedError, PeerProcess, Reply
from bench.suite.questions import drawn

Replies = list[list[Reply]]


def answers(bench: Bench, count: int, rounds: int) -> dict[str, Any]:
    """All kinds of questions; each question is put to everybody before the next one is."""
    found: dict[str, Any] = {}
    with ExitStack() as stack:
        running = {
            peer.name: stack.enter_context(_started(bench, peer))
            for peer in bench.peers
            if _has_index(bench, peer)
        }
        for kind in KINDS:
            asked = [peer.name for peer in bench.answering(kind) if peer.name in running]
            questions = drawn(kind, count, bench.tree)
            if OURS.name in asked and questions:
                found[kind] = _kind(
                    kind, questions, {name: running[name] for name in asked}, rounds
                )
        memory = {name: process.memory_mib() for name, process in running.items()}
    return {"kinds": found, "memory_at_rest_mib": memory}


def _started(bench: Bench, peer: Peer) -> PeerProcess:
    # declarations are part of what a user has
    named = WITH_DECLARATIONS if peer is OURS else peer
    return PeerProcess(peer.serves(bench.place(named)), bench.around(peer))


def _has_index(bench: Bench, peer: Peer) -> bool:
    return peer.name not in bench.skipped


def _kind(
    kind: Kind, questions: Sequence[str], running: Mapping[str, PeerProcess], rounds: int
) -> dict[str, Any]:
    """The first round warms up; then everybody is first in turn."""
    replies: dict[str, Replies] = {name: [] for name in running}
    names = list(running)
    for number in range(rounds + 1):
        for name in names:
            replies[name].append([])
        for at, question in enumerate(questions):
            turn = (at + number) % len(names)
            for name in (*names[turn:], *names[:turn]):
                replies[name][-1].append(running[name].ask(kind, question))
    for name in names:
        _same(name, questions, replies[name])
    warm = {name: rounds_of[1:] for name, rounds_of in replies.items()}
    return {
        "questions": len(questions),
        "peers": {name: _row(found) for name, found in warm.items()},
        "ours_to_theirs_p50": _ratios(warm),
    }


def _same(name: str, questions: Sequence[str], replies: Replies) -> None:
    """The same question has the same answer: else what was timed is not worth timing."""
    for at, question in enumerate(questions):
        if len({tuple(found[at].first) for found in replies}) > 1 and name == OURS.name:
            raise FailedError(f"two answers of {name} to {question}")


def _row(replies: Replies) -> dict[str, float]:
    """Each question's median over the rounds."""
    each = [*zip(*replies, strict=True)]
    row = spread(
        [statistics.median(reply.wall for reply in found) for found in each],
        [statistics.median(reply.cpu for reply in found) for found in each],
    )
    return {**row, "answered": sum(found[0].hits > 0 for found in each)}


def _ratios(warm: Mapping[str, Replies]) -> dict[str, dict[str, float]]:
    medians = {
        name: [statistics.median(reply.wall for reply in found) for found in rounds]
        for name, rounds in warm.items()
    }
    ours = medians[OURS.name]
    return {name: ratio(ours, found) for name, found in medians.items() if name != OURS.name}
