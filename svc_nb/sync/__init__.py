"""For whatever is a table here and a thing on the service: names, changes step by step, backups, drafts."""
