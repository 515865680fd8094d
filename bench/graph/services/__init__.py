"""Compares edges that lead from a text to what has the same text, with what a person read.

    python -m bench.graph.services ROOT NAME [--differences] [--without NAMES]
    python -m bench.graph.services ROOTS [NAME] --without-each [--differences]

ROOT is a checkout of the repository of `truth/NAME.toml` at its commit. A use is a place where code
reaches other code by a text: a request, a remote call, a field of a GraphQL operation, a topic, a
table, a setting, a function of a native module, a template. Its file, its line and what it means
are written down there, with uses of what is outside of the repository, which must have no edge. All
uses of the judged files are listed, so each other edge of these kinds that begins there is wrong.
With `--without "express gin"` these descriptions are left out, with `all` every one but those of no
framework: so the repositories tell what is found of a framework that nobody has described.
`--without-each` does so for all repositories in ROOTS, which are named as their truth: servers,
clients, models, queues, procedures and settings in turn.
"""
