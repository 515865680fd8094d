"""Takes candidates into a bundle until its budget is spent, with the definitions they use."""
