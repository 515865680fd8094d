"""The command `doctor`: checks the installation, the repository, the clients and the start."""
