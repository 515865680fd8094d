"""The audit log: one line of JSON for each call, redacted before it is written."""
