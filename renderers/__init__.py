"""Draw scenes as pictures, without knowledge of tasks and labels."""
