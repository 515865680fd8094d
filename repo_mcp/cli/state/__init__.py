"""The state of an index in words, as JSON and as a page, and notes on where a new one goes."""
