"""The packages of a repository as their manifests say, and which files an import means.

Pure functions of the paths of a tree and of the text of its manifests, which the caller reads.
`read_projects` gives the projects; `imports` has a finder for each language. A finder asks through
a `Probe`, which notes each question, so that the caller knows which answers a change may affect.
"""
