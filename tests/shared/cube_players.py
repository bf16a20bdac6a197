"""Players of CubeBench's cube, through the functions that live code has."""

from facelet.generators.cube.engine.notation import FACE_MOVES, quarter_turns
from facelet.generators.cube.navigation.environment import CubeEnvironment
from facelet.generators.cube.navigation.replies import TURNS


def play_greedily(cube: CubeEnvironment) -> None:
    """Turn the face, by a quarter or half, that brings most stickers home, as long as one does."""
    tries = [quarter_turns((move,)) for move in FACE_MOVES]
    undo = {turn: turn[0] if turn.endswith("'") else turn + "'" for turn in TURNS}
    while True:
        gains = []
        for turns in tries:
            gains.append(sum(cube.make_move(turn) for turn in turns))
            for turn in turns:
                cube.make_move(undo[turn])
        best = max(range(len(tries)), key=gains.__getitem__)
        if gains[best] <= 0:
            cube.final_answer()
        for turn in tries[best]:
            cube.make_move(turn)
