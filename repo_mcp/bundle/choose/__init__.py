"""Chooses the lines of a bundle within its budget, and completes them with definitions.

Doors: `Choice` takes candidates, `DefinitionFinder` and `related` find what completes them, and
`fit_bundle` makes the result. Nothing here searches for candidates of the prompt.
"""
