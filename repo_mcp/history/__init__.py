"""Questions about the history of a repository, answered from its index of commits and `.git`."""
