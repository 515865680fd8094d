"""All that is known of C++."""
