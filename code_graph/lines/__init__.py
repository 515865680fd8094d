"""Languages read for declarations alone: found by patterns of lines, without a grammar.

A language has one file, `outline.py`, with `RULES`, a `rules.LineRules`. Comments and texts are
blanked at the same length, so that no pattern matches in them and a brace in one ends nothing;
names are read from the text as it is. Then each unit's pattern is matched, and the way in which
the language ends its blocks says where a unit ends. What is in another is found by these ends.
"""
