"""One continuous transcript over several sessions."""
