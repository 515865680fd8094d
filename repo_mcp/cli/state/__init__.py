"""The state of an index in words and as JSON, and notes on where a new one goes."""
