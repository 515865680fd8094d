"""Where a question is answered: roots of a workspace, a revision, builds, installed packages.

A call names these in its arguments and in conditions of its texts. They are read once, here, and
what answers gets a value: no other room looks for them in texts.
"""
