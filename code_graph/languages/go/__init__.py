"""All that is known of Go."""
