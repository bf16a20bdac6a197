"""Parse replies: the letters of blanks, single steps, and whole plans."""
