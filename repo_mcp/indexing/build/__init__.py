"""Turns files into segments: chunks, facts, documents; settings and files in, segments out."""
