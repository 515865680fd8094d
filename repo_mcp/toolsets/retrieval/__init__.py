"""The `retrieval` toolset: exact, ordered search over a docs and a code root."""
