"""Operations of the product timed against a fixed piece of work, with limits that are stored."""
