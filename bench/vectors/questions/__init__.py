"""Trains the words of questions and of code: which code answers a question without its words."""
