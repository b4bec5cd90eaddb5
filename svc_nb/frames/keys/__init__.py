"""Developer keys as a table: listed, made, renamed, ended, and their caps changed with a plan first and a way back."""
