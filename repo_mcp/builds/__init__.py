"""The builds of a tree: configurations found in it or named, and the state of lines in each."""
