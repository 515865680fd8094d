"""A local server that lets an AI coding client interrogate a very large repository."""
