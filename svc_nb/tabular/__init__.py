"""Tables and their files: columns of texts, tables that describe themselves, and files written whole or not at all."""
