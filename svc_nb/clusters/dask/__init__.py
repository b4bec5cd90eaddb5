"""Dask: its DataFrames and Series, what is done with a partition of them, and workers that send."""

from svc_nb.clusters.dask.engine import ENGINE

__all__ = ["ENGINE"]
