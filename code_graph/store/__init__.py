"""Keeps the graph in an index of its own: one document a file, one chunk a declaration.

`documents` makes the documents of linked files, `terms` and `records` their terms and attachments.
`text_tree` shows a snapshot of the text index to the linker. `relink` links the files that have
changed, and `dependents` finds those to link again. Queries are in `query`; which process links is
for the caller to decide.
"""
