"""Keyword search of the `retrieval` toolset: lines and files that hold words or phrases."""
