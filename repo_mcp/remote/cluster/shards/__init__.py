"""Shards of an index: the segments that a worker reads for searches."""
