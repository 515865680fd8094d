"""Reads what is asked: query syntax, words and names, reports, traces, messages, keywords.

Nothing here reads a repository or an index. Lists of words are files in `data`.
"""
