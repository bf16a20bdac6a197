"""One module for each public set; each exports PUZZLE_SET, and no list names it."""
