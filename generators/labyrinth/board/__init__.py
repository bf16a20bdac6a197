"""The board: its tiles and treasures, the actions on it, random boards, and its columns."""
