"""A folder for each language: all that is known of it beside its row in `language_table`."""
