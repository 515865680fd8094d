"""Questions to a snapshot, answered with arrays: term statistics, postings and scores.

The caller chooses the terms and how they are scored.
"""
