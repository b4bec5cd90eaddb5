"""Tables into the service's nouns and back; a feature is written once here and shows up on every surface."""
