"""Test chambers in the spirit of MARBLE's M-PORTAL: world, devices, planner, and tasks."""
