"""Trains the words of questions: which code answers them that does not have these words.

Not part of the product: decision 0216 says what it was worth.
"""
