"""The fuzzer finds what is planted: defects behind several steps, crashes, hangs, memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.engine import (
    ROOT,
    Coverage,
    Explorer,
    Target,
    distilled,
    features,
    name_of,
    run_limited,
    text_of,
)
from tests.fuzz.mutations import json_bytes, line_mutation, mutated, tree_mutation
from tests.fuzz.run import main
from tests.fuzz.targets import TARGETS

HERE = "tests/fuzz/test_engine.py"
needs_processes = pytest.mark.skipif(sys.platform == "win32", reason="it forks")


def staircase(data: bytes) -> object:
    """Each step is reached by inputs that reached the one before."""
    if data[:1] == b"F":
        if data[1:2] == b"U":
            if data[2:3] == b"Z":
                raise ValueError(data)
            return 2
        return 1
    return 0


def seeds() -> Iterator[bytes]:
    yield b"aaaaaaaa"


STAIRCASE = Target("staircase", staircase, seeds, (HERE,))


def unlimited(_: bytes) -> nullcontext[None]:
    return nullcontext()


def explored(target: Target, seed: int, tries: int) -> tuple[Explorer, list[bytes]]:
    kept: list[bytes] = []
    explorer = Explorer(target, Random(seed), unlimited, kept.append)
    explorer.replay(target.seeds(), lambda: False)
    explorer.explore(lambda: explorer.done.executions >= tries)
    return explorer, kept


def test_a_defect_behind_several_steps_is_found_and_made_small() -> None:
    explorer, kept = explored(STAIRCASE, 1, 60_000)
    (found,) = explorer.done.findings.values()
    assert found.data == b"FUZ"
    assert found.signature.startswith("ValueError at test_engine.py:")
    assert {data[:1] for data in kept} == {b"F"}
    assert explorer.done.added == len(kept) == 2


def test_equal_seeds_try_equal_inputs() -> None:
    tried: list[list[bytes]] = []
    for _ in range(2):
        inputs: list[bytes] = []
        tried.append(inputs)
        explored(Target("x", inputs.append, seeds, ()), 7, 300)
    assert tried[0] == tried[1]
    assert len(set(tried[0])) > 100


def test_coverage_is_that_of_the_watched_files_and_of_the_answer() -> None:
    def reached(data: bytes, watched: tuple[str, ...]) -> set[int]:
        return features(STAIRCASE, data, Coverage(watched), unlimited)[0]

    assert len(reached(b"", ())) == 1
    assert reached(b"", ()) != reached(b"F", ())
    assert len(reached(b"FU", (HERE,))) > len(reached(b"F", (HERE,))) > 1


def test_few_inputs_are_kept_for_what_many_reach() -> None:
    inputs = [b"F", b"Fx", b"FU", b"FUx", b"b", b"bx", b"FUZ"]
    assert sorted(distilled(STAIRCASE, inputs, unlimited, 100)) == [b"F", b"FU", b"b"]
    assert len(distilled(STAIRCASE, inputs, unlimited, 1)) == 1


PLANTED = """
import os, sys
from pathlib import Path
import numpy
from tests.fuzz.engine import Target
from tests.fuzz import supervisor

supervisor.CPU_SECONDS = 0.2
supervisor._CPU_SECONDS_AT_MOST = 0.6

def loops(data):
    while data == b"x":
        pass

def sticks(data):
    if data == b"x":
        sum(range(10 ** 15))

def crashes(data):
    if data == b"x":
        os.kill(os.getpid(), 11)

def swells(data):
    if data == b"x":
        numpy.zeros(3 << 30, dtype="u1")

target = Target("planted", globals()[sys.argv[1]], lambda: [b"x"], ())
report = supervisor.fuzz(target, 0, 1, Path(sys.argv[2]))
for file, finding in report.findings:
    print(file.read_bytes(), finding.signature)
"""


@pytest.mark.servers
@needs_processes
@pytest.mark.parametrize(
    ("kind", "signature"),
    [
        ("loops", "Hang"),
        ("sticks", "the process ended with status -27"),
        ("crashes", "the process ended with status -11"),
        ("swells", "MemoryError at "),
    ],
)
def test_what_no_test_survives_is_reported_with_its_input(
    kind: str, signature: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{PLANTED}"]
    found = subprocess.run(
        [*command, kind, str(tmp_path)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert found.stdout.startswith(f"b'x' {signature}"), found.stderr


@pytest.mark.servers
def test_an_input_is_run_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "input"
    file.write_bytes(b"src/**\nsrc/a")
    assert main(["--target", "glob", "--input", str(file)]) == 0
    assert capsys.readouterr().out == "[True]\n"


def test_every_target_watches_what_is_there() -> None:
    watched = [ROOT / name for target in TARGETS.values() for name in target.watched]
    assert [path for path in watched if not path.exists()] == []


def test_mutations_change_and_end() -> None:
    chance, base = Random(3), json_bytes({"a": [1, "x", None], "b": {"c": 2.5}})
    mutate = line_mutation(tree_mutation(json.loads, json_bytes, ("name",)))
    trees = {mutate(base, chance) for _ in range(200)}
    assert len(trees) > 100
    assert any(b"1e400" in tree for tree in trees)
    assert any(b'"name":' in tree for tree in trees)
    assert len({mutated(base, chance, [b"word"], [b"other"]) for _ in range(200)}) > 100
    assert mutate(b"no json", chance) != mutate(b"no json", chance)


@pytest.mark.parametrize(
    ("data", "text"), [(b"\xc3\xa4", "ä"), (b"\xed\xa0\x80", "\ud800"), (b"\xff", "ÿ")]
)
def test_every_input_is_a_text(data: bytes, text: str) -> None:
    assert text_of(data) == text


def test_a_finding_is_one_defect_by_the_place_it_comes_from() -> None:
    target = TARGETS["glob"]

    def fails(data: bytes) -> object:
        return dict[bytes, object]()[data]

    finding = run_limited(Target("x", fails, seeds, ()), b"a", unlimited)[1]
    assert finding is not None
    assert finding.signature.startswith("KeyError at test_engine.py:")
    assert run_limited(target, b"a", unlimited)[1] is None
    assert name_of(b"a") != name_of(b"b")
