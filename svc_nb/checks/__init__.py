"""Find what looks wrong in texts and their translations, and which terms are in texts."""
