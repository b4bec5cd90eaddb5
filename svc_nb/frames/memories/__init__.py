"""Translation memories as tables: read from TMX and written to it, sent to the service and fetched from it."""
