"""The stream of one session."""
