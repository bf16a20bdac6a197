"""What is true: puzzles, rules, labels and prompts. No files, no pixels, no processes."""
