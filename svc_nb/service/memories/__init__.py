"""Translation memories: kept by segment, filled from TMX and given as TMX, and recalled when texts are translated."""

from .shelf import Memories, Memory

__all__ = ["Memories", "Memory"]
