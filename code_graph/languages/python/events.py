"""Events on which libraries of Python run functions that were registered: saves, requests.

Each line names the calls that register a function, the calls on which it is run, and what one of
the names around the second must contain: a call of `save` counts if it is a model's. In the place
of that, `:requests` stands for calls that are requests, `:signals` for the same variable's.
"""

from __future__ import annotations

from typing import Final

_SAVES: Final = "save asave create acreate get_or_create aget_or_create update_or_create"
_REQUESTS: Final = "get post put patch delete head options open request"
_HOOKS: Final = " ".join(
    f"{begin}_{end}"
    for begin in ("before", "after", "teardown")
    for end in ("request", "app_request", "appcontext")
)
_SESSION: Final = """
add add_all commit execute query get scalars scalar flush rollback remove delete merge refresh
begin connection get_bind expire close __call__"""
_TABLE: Final = f"""
post_save.connect pre_save.connect receiver | {_SAVES} | Model Manager django factory
post_delete.connect pre_delete.connect receiver | delete adelete | Model Manager django
m2m_changed.connect receiver | add remove clear set | django Manager
pre_init.connect post_init.connect | {_SAVES} | Model Manager django factory
connect connect_via receiver listen | send send_robust asend send_async | :signals
{_HOOKS} | {_REQUESTS} | :requests
teardown_appcontext | app_context test_request_context | Flask Quart
scoped_session async_scoped_session | {" ".join(_SESSION.split())} | scoped_session
"""

# names that register, names that tell, and what is asked of a name that tells
EVENTS: Final = tuple(
    tuple(tuple(part.split()) for part in line.split("|")) for line in _TABLE.strip().split("\n")
)
