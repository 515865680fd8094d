"""The command `doctor`: checks of installation, repository, clients and start-up."""
