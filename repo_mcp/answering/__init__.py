"""Answers calls in several processes: the threads of one share a processor."""
