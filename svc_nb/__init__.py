"""Work with a translation service on whole tables, from a notebook."""
