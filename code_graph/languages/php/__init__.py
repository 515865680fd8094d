"""All that is known of PHP."""
