"""Bulk labels: cube states with exact distances, as Parquet files."""
