"""A folder for each language: all that is known of it."""
