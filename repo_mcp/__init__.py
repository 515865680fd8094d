"""A local server that lets an AI coding client interrogate a very large repository."""

__version__ = "0.1.0"
