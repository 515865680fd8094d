"""Every input that fuzzing has kept is handled as all must be: a defect that returns has a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.engine import MAX_INPUT, name_of, run_limited
from tests.fuzz.supervisor import CORPUS, limited_time
from tests.fuzz.targets import TARGETS

# the folder is in git: what it holds is chosen (make fuzz KEEP=1), not collected
_MOST_BYTES = 300_000
FILES = sorted(file for file in CORPUS.rglob("*") if file.is_file())


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_starts_from_sound_seeds(name: str) -> None:
    """The first five, as fuzzing tries them all."""
    seeds = list(TARGETS[name].seeds())
    assert seeds
    for data in seeds[:5]:
        shape, finding = run_limited(TARGETS[name], data, limited_time)
        assert finding is None, (shape, finding)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_an_input_is_still_handled(file: Path) -> None:
    _, finding = run_limited(TARGETS[file.parent.name], file.read_bytes(), limited_time)
    assert finding is None, finding.text


def test_inputs_are_few_and_small_and_named_by_their_content() -> None:
    sizes = [file.stat().st_size for file in FILES]
    assert sum(sizes) <= _MOST_BYTES
    assert max(sizes) <= max(target.max_input for target in TARGETS.values())
    assert [file for file in FILES if file.name != name_of(file.read_bytes())] == []


def test_every_folder_of_inputs_is_a_target() -> None:
    assert {file.parent.name for file in FILES} <= set(TARGETS)
    assert min(target.max_input for target in TARGETS.values()) <= MAX_INPUT
