"""Shared by everything that is a table here and a resource on the service: names, stepwise changes, backups, drafts."""
