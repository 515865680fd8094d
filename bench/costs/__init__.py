"""Costs of answers for an agent: bytes of answers and of tool lists."""
