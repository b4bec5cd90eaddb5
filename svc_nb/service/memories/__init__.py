"""Translation memories: stored by segment, filled from TMX and given as TMX, and searched when texts are translated."""
