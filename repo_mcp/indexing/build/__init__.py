"""Turns files into segments: chunks, documents, worker processes and merges."""
