"""Managers and query sets of Django: calls of them give objects of the model that holds them."""

from __future__ import annotations

from typing import Final

from code_graph.evaluate.values import ExternalInstance, TupleValue, Values

MANAGER: Final = "django.db.models.Manager"
_QUERY: Final = "django.db.models.QuerySet"
MODELS: Final = frozenset({"django.db.models.Model", "django.contrib.gis.db.models.Model"})
MANAGERS: Final = frozenset(
    {
        *(MANAGER, _QUERY, "django.db.models.manager.Manager", "django.db.models.query.QuerySet"),
        *("django.db.models.manager.BaseManager", "django.contrib.gis.db.models.Manager"),
        *("django.contrib.auth.models.UserManager", "django.contrib.auth.models.BaseUserManager"),
    }
)
QUERIES: Final = frozenset({_QUERY, "django.db.models.query.QuerySet"})
MANAGERS_OF_MODEL: Final = frozenset({"objects", "_default_manager", "_base_manager"})
# members that give an object, one with a flag, a list of them, a query set of them
_OBJECT: Final = frozenset(
    {
        *("get", "create", "first", "last", "earliest", "latest"),
        *("create_user", "create_superuser", "get_by_natural_key"),
    }
)
_FLAGGED: Final = frozenset({"get_or_create", "update_or_create"})
_LISTED: Final = frozenset({"bulk_create", "iterator", "raw"})
NARROWED: Final = frozenset(
    {
        *("all", "filter", "exclude", "order_by", "annotate", "alias", "select_related", "defer"),
        *("prefetch_related", "distinct", "reverse", "using", "only", "none", "union", "extra"),
        *("intersection", "difference", "select_for_update", "complex_filter", "get_queryset"),
    }
)


def given(name: str, held: Values) -> Values:
    """The values that a member of a manager gives when it is called."""
    waited = name.removeprefix("a")
    if name not in _OBJECT | _FLAGGED and waited in _OBJECT | _FLAGGED:  # `aget`
        return (ExternalInstance("typing.Awaitable", (given(waited, held),)),)
    if name in _OBJECT:
        return held
    if name in _FLAGGED:
        return (TupleValue((held, (ExternalInstance("builtins.bool"),))),)
    if name in _LISTED:
        return (ExternalInstance("builtins.list", (held,)),)
    if name in NARROWED:
        return (ExternalInstance(_QUERY, (held,)),)
    return ()
