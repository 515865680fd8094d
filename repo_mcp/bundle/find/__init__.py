"""Finds candidates for a bundle: declarations that searches, names, frames and paths lead to.

Doors: `Searches` for hits, `gather_candidates` for the declarations around them, and
`score_declarations` and `find_neighbours` for more of the best files. What is taken of them is
decided in `choose`.
"""
