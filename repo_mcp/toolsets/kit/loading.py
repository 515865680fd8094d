"""Loads code beside a call: a call that is cancelled meanwhile ends, the next one finds it loaded.

An import can't be ended half-way without harm, and some take a tenth of a second.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

from repo_mcp.budget import Budget

_T = TypeVar("_T")
# what is said to nobody: the code that words answers may not be loaded yet
CANCELLED: Final[dict[str, Any]] = {
    "content": [{"type": "text", "text": "cancelled"}],
    "isError": True,
}
_POLL: Final = 0.005


def beside(load: Callable[[], _T], budget: Budget) -> _T:
    """What `load` gives or raises, from a thread of its own that nobody ends."""
    given: list[_T] = []
    raised: list[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            given.append(load())
        except BaseException as error:  # noqa: BLE001 it is raised where it is waited for
            raised.append(error)
        finally:
            done.set()

    threading.Thread(target=work, name="loading", daemon=True).start()
    while not done.wait(_POLL):
        budget.check()
    if raised:
        raise raised[0]
    return given[0]
