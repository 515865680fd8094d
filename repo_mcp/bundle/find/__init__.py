"""Finds candidates for a bundle: declarations that searches, names, frames and paths lead to.

Doors: `Searches` for hits, `gather_candidates` for the declarations around them, and
`score_declarations` and `find_neighbours` for further hits in the best files, and `rank_files`.
`choose` decides what is taken.
"""
