"""Checks, repairs and dumps an index; imported only when asked for."""
