"""The `codeagent` toolset: files, folders and the state of the index."""
