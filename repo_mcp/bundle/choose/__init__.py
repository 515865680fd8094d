"""Chooses the lines of a bundle within its budget, and completes them with tests.

Doors: `Choice` takes candidates, `find_tests` finds tests of them, and `fit_bundle` makes the
result. Searches for the prompt are in `find`.
"""
