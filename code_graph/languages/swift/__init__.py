"""All that is known of Swift."""
