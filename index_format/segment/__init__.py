"""One immutable segment: its entry in a manifest, writing, opening, reading and merging it.

Which segments make an index is decided in `generation`.
"""
