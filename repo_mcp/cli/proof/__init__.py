"""The command `proof`: certificates of lists of uses, which another machine can make again."""
