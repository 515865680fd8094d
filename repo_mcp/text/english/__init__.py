"""English texts: their wording, and words that are often side by side."""
