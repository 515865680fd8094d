"""Writes the graph in the formats of other tools; today SCIP, which code hosts read."""
