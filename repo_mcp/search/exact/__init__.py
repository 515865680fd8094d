"""Exact search: every line that matches a literal or an expression.

`engine.py` is the door. The index gives candidate files, and each is read and verified.
"""
