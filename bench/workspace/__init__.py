"""Several roots beside one tree in which they are folders."""
