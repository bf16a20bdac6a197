"""The board: tiles, treasures, actions, random boards, and columns."""
