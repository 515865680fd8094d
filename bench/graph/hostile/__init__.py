"""Sources that are made to cost the linker much, and what indexing a tree of them takes."""
