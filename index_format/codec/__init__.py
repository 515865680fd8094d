"""One module per byte layout, both directions; no layout knows of snapshots or queries.

A module's docstring is the specification of its bytes; `layout` holds the constants.
"""
