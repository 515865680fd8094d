"""The error of editing a client's file."""


class EditError(Exception):
    """A file can't be edited safely; the message says why."""
