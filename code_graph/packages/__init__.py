"""The packages of a monorepo and the targets of its build files, and which depend on which.

Pure functions of the paths of a tree and of the text of its manifests and build files, which the
caller reads. Projects are those of `projects`; what their manifests declare to need, and the
targets of Bazel, Buck, Pants and Nx, is added here. `catalog.TreePackages` has them all.
"""
