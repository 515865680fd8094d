"""What answers cost an agent: bytes of answers and of tool lists."""
