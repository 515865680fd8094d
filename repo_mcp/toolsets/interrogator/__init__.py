"""The `interrogator` toolset (`repo.*`): search, files, outlines, bundles, index and audit."""
