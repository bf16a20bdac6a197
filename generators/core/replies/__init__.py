"""The reply boundary that every reply passes, and a grammar for each kind of answer."""
