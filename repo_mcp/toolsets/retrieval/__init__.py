"""The `retrieval` toolset: exact search in fixed order over a docs and a code root."""
