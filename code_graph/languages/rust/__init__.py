"""All that is known of Rust."""
