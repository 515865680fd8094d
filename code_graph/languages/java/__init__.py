"""All that is known of Java."""
