"""The evaluation that languages with declared types share.

`evaluation` evaluates expressions and has a part for each question: `names` (the meaning of a name
or member), `members` (those of a type, its other parts and its bases), `types`, `calls` (callees,
results, expected types; with `overloads`, `conversions` and `inference`). `definitions` leads from
values to declarations. `rules` has what a language may change, `extended` and `packages` what
several languages change alike. `tables` and `declared_names` list the declarations of a file.
"""
