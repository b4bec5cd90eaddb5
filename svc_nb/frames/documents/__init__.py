"""Documents: which files are sent, what became of each, and where its translation goes."""
