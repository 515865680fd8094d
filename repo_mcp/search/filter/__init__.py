"""Finds files and chunks that fulfil a condition: globs, extensions, languages, words, phrases."""
