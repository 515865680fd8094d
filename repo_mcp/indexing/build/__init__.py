"""From files to segments: chunks, documents, worker processes and merges."""
