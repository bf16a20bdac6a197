"""The papers' result tables, and a scored model's row in them."""
