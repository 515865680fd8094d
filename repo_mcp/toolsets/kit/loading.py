"""Runs imports on a thread, so that a cancelled call need not wait for them.

Interrupting an import is not safe, and some take a tenth of a second.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

from repo_mcp.budget import Budget

_T = TypeVar("_T")
# the answer to a cancelled call, which nobody reads; the rendering code may not be loaded yet
CANCELLED: Final[dict[str, Any]] = {
    "content": [{"type": "text", "text": "cancelled"}],
    "isError": True,
}
_POLL: Final = 0.005


def load_in_thread(load: Callable[[], _T], budget: Budget) -> _T:
    """Return or raise what `load` does; ends early when the call is cancelled."""
    results: list[_T] = []
    raised: list[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            results.append(load())
        except BaseException as error:  # noqa: BLE001 it is raised in the caller
            raised.append(error)
        finally:
            done.set()

    threading.Thread(target=work, name="loading", daemon=True).start()
    while not done.wait(_POLL):
        budget.check()
    if raised:
        raise raised[0]
    return results[0]
