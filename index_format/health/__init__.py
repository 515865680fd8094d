"""Checks, repairs and dumps an index; imported only on use."""
