"""One module for each page: which tool it asks, and what its template shows of the answer."""
