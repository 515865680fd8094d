"""What a worker reads for searches: shares of the segments of an index."""
