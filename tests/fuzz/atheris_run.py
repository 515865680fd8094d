"""Drives a target with Atheris: python -m tests.fuzz.atheris_run TARGET [OPTION OF LIBFUZZER ...].

Atheris is the extra `fuzz`. It counts branches in all of the two packages, and starts from the
corpus; what it finds it adds to `.fuzz/corpus`, and what breaks the target to `.fuzz/findings`.
"""

from __future__ import annotations

import sys
from random import Random

import atheris

with atheris.instrument_imports(include=["index_format", "repo_mcp"]):
    from tests.fuzz.targets import TARGETS

from tests.fuzz.engine import Target
from tests.fuzz.mutations import mutated
from tests.fuzz.supervisor import GROWN, put_input, starting_points


def main(arguments: list[str]) -> None:
    """Never returns: libFuzzer ends the process."""
    name, *options = arguments
    target = TARGETS[name]
    corpus, findings = GROWN / "corpus" / name, GROWN / "findings" / name
    findings.mkdir(parents=True, exist_ok=True)
    for data in starting_points(target):
        put_input(corpus, data)
    command = [sys.argv[0], f"-artifact_prefix={findings}/", f"-max_len={target.max_input}"]

    def mutate(data: bytes, room: int, seed: int) -> bytes:
        return _mutated(target, data, seed)[:room]

    atheris.Setup([*command, *options, str(corpus)], target.run, custom_mutator=mutate)
    atheris.Fuzz()


def _mutated(target: Target, data: bytes, seed: int) -> bytes:
    """By the target's own rules, by ours, or by libFuzzer's."""
    chance = Random(seed)
    fate = chance.random()
    if target.mutation is not None and fate < 0.5:
        return target.mutation(data, chance)
    if fate < 0.7:
        return mutated(data, chance, target.words)
    found: bytes = atheris.Mutate(data, target.max_input)
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
