"""Everything the service applies around a translator: sentences, protection, terms, tags, style, tidying."""
