"""Generate endless rows by number, with samplers that select their cells."""
