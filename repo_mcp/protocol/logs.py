"""Levels of messages for a client's log."""

from __future__ import annotations

from typing import Final

LEVELS: Final = (
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
)
# what a client of the handshake is sent until it asks for something else
BEFORE_ASKED: Final = "warning"


def is_wanted(level: str, least: str) -> bool:
    """Whether a message of this level is to be sent; without a known least level none is."""
    if least not in LEVELS or level not in LEVELS:
        return False
    return LEVELS.index(level) >= LEVELS.index(least)
