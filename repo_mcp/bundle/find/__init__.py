"""Candidates for a bundle: declarations and files that searches, names and paths lead to.

What is taken of them is decided in `choose`.
"""
