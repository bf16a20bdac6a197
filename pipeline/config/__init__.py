"""What a build is told: Hydra composes, the schema checks, settings are the result."""
