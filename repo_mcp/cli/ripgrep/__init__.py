"""The command `rg`: ripgrep's arguments and ripgrep's bytes, from the index where it has the answer."""
