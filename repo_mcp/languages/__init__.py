"""From a file's text to facts about it: what it declares, refers to, imports and says of itself."""
