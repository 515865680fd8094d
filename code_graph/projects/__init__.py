"""The packages of a repository as their manifests say, and which files an import means.

Pure functions of the paths of a tree and of the text of its manifests, which the caller reads.
`catalog.read_projects` gives the projects; `imports` has a finder for each language.

A finder asks through a `tree.Probe`, which notes the key of each question, whether it was answered
or not. `tree.changed_keys` compares two states, each a tree and the `tables` of a finder: an import
whose keys are not among them means what it meant. `Projects.project_of` notes nothing: the project
of a file is asked again when any manifest has changed.
"""
