"""Use of the service as tables: the report as a table and back, days, names for keys, sums to draw, and a forecast."""
