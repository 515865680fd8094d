"""Parses a prompt: prose, code, frames of traces, messages, and keywords with weights.

Doors: `parse_prompt` and `extract_keywords`. Nothing here reads the repository.
"""
