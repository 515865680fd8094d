"""What the rules of Rust, Swift, C and C++ share: names over files, includes, extended types."""
