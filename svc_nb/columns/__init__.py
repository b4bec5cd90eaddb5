"""Texts of a table through one operation: which are sent, what came of each, and how they are put back."""
