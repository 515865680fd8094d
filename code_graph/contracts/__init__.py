"""Places where code meets other code by a text that both have: a route, a topic, a setting.

No name leads from a request to the function that answers it, but both have the path. Frameworks are
data: calls and decorators in `languages/*/frameworks/*.toml`, which `descriptions` reads, and what
paths and names say in `languages/*/conventions.toml`, which `conventions` reads. `keys` writes
texts in the form that both sides agree on. `read` makes the contracts of one file, `join` the edges
from each use of a text to what gives it, when a file is linked.
"""
