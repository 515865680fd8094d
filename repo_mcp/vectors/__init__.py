"""Vectors of texts: which words a text has, and the table that gives each a direction.

A text's vector is the sum of its words' vectors: texts are alike when their words mean alike.
`words.py` says what counts as a word, `model.py` reads a table. Nothing here searches or indexes.
"""
