"""Compares owners with those of other programs."""
