"""Turn the arguments of a build into checked settings, with Hydra."""
