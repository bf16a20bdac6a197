"""What all verbs share: keys, the reading of words, help, completion, and the way to a verb."""
