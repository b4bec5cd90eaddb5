"""Spark: the frames of pyspark.sql and of pyspark.pandas, its sessions, and executors that send."""

from svc_nb.clusters.spark.engine import ENGINE

__all__ = ["ENGINE"]
