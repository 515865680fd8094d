"""SCIP, the index format of compilers and code hosts, and the effect of an imported index.

`wire` has protobuf's encoding, `messages` the fields, `symbols` the grammar of symbols. `reading`
reads an index, `occurrences` keeps what the linker needs of it, `matching` tells whether a document
is of the text that its file has, `overlay` puts its occurrences in the place of edges. Writing an
index is in `export`.
"""
