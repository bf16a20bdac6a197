"""Labels: states of the cube with exact distances, in bulk, as Parquet files."""
