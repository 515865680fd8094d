"""Other revisions of a repository as if they were checked out: searched, read, and linked.

A revision is served by an index of its own. It begins as the index of the checkout, whose segments
are on the disk once; then files that differ are indexed from the objects of `.git`. No file of the
checkout is read for it.
"""
