"""All that is known of TypeScript and JavaScript."""
