"""Reads what is asked: query syntax, words and names, reports, traces, messages, keywords, kinds.

`kinds` tells what kind of question a text is, and what about: bundles, `repo.ask` and research map
kinds to what they do. Nothing here reads a repository or an index. Lists of words are files in
`data`.
"""
