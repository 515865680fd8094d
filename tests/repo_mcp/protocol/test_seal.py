"""State that a client carries is believed as it was given, and for a while."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest

from repo_mcp.protocol.seal import LIFETIME, Seal
from tests.repo_mcp.clocks import Clock

STATE = {"call": "repo.search", "answers": ["yes"]}


def test_state_with_any_bit_changed_is_refused() -> None:
    seal = Seal()
    given = urlsafe_b64decode(seal.close(STATE))
    assert seal.open(urlsafe_b64encode(given).decode()) == STATE
    for at in range(8 * len(given)):
        changed = bytearray(given)
        changed[at // 8] ^= 1 << at % 8
        assert seal.open(urlsafe_b64encode(changed).decode()) is None


@pytest.mark.parametrize("text", ["", "A", "AAAA", "ä", "=" * 80, "A" * 43 + "="])
def test_what_is_no_state_is_refused(text: str) -> None:
    assert Seal().open(text) is None


def test_state_ends_with_its_time_and_with_its_process() -> None:
    clock = Clock()
    seal = Seal(clock)
    given = seal.close(STATE)
    assert Seal(clock).open(given) is None
    clock.advance(LIFETIME - 1)
    assert seal.open(given) == STATE
    clock.advance(1)
    assert seal.open(given) is None
