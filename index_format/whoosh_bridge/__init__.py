"""A snapshot as Whoosh's reader, so that all of Whoosh's queries and scorers work on it.

The fast path does not come through here; see `query`.
"""
