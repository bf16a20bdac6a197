"""Replies: the letters of blanks, single steps and whole plans, read out of what a model writes."""
