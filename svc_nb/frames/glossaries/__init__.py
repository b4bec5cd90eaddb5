"""Glossaries as tables: read and written in every common form, checked, compared and kept in step with the service."""
