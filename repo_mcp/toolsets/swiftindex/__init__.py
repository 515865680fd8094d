"""The SwiftIndex toolset: indexing, search by words and meaning, and research."""
