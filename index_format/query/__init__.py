"""Questions to a snapshot, answered with arrays: term statistics, postings and scores.

The caller decides which terms are asked for and what the scores mean.
"""
