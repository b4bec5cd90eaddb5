"""Tables and their files: columns of texts, tables that say what they mean, and files written whole or not at all."""
