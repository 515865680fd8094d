"""Grants: what the bearer of a token may see of the roots that are served.

`token_file` reads the file of tokens, `narrowing` makes the options of what one of them may see.
Whatever answers is given these options alone: what they leave out is in no index that it opens.
"""
