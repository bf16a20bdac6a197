"""What all games of the arcade share: their params, terms, episodes and opponents."""
