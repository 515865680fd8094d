"""What a prompt says: its parts, identifiers, paths, stack traces and quoted messages.

Nothing here looks into the repository.
"""
