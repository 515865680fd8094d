"""Pages for people: search, files and status of one repository, served on this machine alone.

A page asks one tool, as any client does, and renders its answer; there is no second reader and no
second search. The door is `server`. Needs the extra `web`; nothing of it is imported before the
command `web` runs.
"""
