"""Context bundles: the excerpts that a task needs, searched, aligned, cited, within a budget.

`bundler.py` is the door. A bundle is made from one snapshot and the files as they are now.
"""
