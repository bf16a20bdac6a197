"""What to build: the YAML files that Hydra composes; a package, so that it can be found."""
