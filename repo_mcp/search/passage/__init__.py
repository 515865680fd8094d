"""The snippet of a hit: lines of the current file, narrowed to the match."""
