"""Style rule lists as tables: the catalogue, lint, files, differences, copies, and keeping step with the service."""
