"""How well searches rank: judgement sets from public packages, and systems side by side on them."""
