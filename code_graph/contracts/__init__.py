"""Places where code meets other code by a text that both have: a route, a topic, a setting.

No name leads from a request to the function that answers it, but both have the path. Frameworks are
described as data, in `languages/*/frameworks/*.toml`, which `descriptions` reads; `calls` finds the
calls and decorators of a text that they speak of, `keys` writes texts in the form that both sides
agree on, and `reading` makes the contracts of a file: of calls with the keys of `routes`, below the
paths of `prefixes`, with the texts that `values` finds in variables, and what `wrappers` hand on;
and of expressions (`patterns`). Nothing in here looks at another file: the linker joins the two
sides (`link/contracts`).
"""
