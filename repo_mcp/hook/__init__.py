"""Facts that a client's hook adds to a conversation, about what a prompt or a search names.

A hook reads what is on the disk and waits for nothing: it builds no index and compares none with
the files, but each line that it shows is one of the file as it is now. Where it has nothing to add,
or is in doubt, it says nothing. It gives facts and no orders, and never blocks.
"""
