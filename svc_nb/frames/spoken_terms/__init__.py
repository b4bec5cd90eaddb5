"""Spoken terms as tables: read and written, checked, compared, and kept in step with the service."""
