"""Which files and chunks fulfil a condition: globs, extensions, languages, words, phrases."""
