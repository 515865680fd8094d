"""Ranking quality: judgement sets from public packages, and search systems compared on them."""
