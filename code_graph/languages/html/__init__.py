"""HTML: prose by its headings, and templates of components, which name members of these."""
