"""The command `rg`: ripgrep's arguments and ripgrep's bytes, from the index if it can."""
