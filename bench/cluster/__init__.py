"""Builds on many machines: unit costs of a real one, and a simulation of larger ones."""
