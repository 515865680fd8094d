"""Trains a small encoder that reads the order of words, on top of the table of word vectors.

Not part of the product: decision 0039 says what it was worth.
"""
