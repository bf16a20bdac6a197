"""Plans: the search for shortest ones, their mistakes, and their sentences."""
