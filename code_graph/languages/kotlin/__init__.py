"""All that is known of Kotlin."""
