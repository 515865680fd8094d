"""Chooses the lines of a bundle within its budget, and completes them with definitions.

Doors: `Choice` takes candidates, `DefinitionFinder` and `related` find definitions, tests and
outlines, and `fit_bundle` makes the result. Searches for the prompt are in `find`.
"""
