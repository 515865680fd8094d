"""Planted changes: the places that a review names beside those of compilers."""
