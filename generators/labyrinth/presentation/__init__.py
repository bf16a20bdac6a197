"""Show boards to players: pictures, rules, and the state in words."""
