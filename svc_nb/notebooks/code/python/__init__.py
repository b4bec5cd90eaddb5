"""Python, with IPython's magics in it: where its comments and strings stand, and that it stays the same."""
