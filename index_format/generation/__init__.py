"""Generations: manifests, publishing, the writer, compaction, and the snapshots that readers hold.

`Index` is the door; scores and searches are in `query`.
"""
