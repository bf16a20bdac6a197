"""Base of the two planning tasks: generate and check their instances.

Both draw under one name, so items of equal turns, split and number have the same board and target,
whether they are planned or acted out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from facelet.generators.core.chance_level import Chance, ChanceFromRows
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import Measure
from facelet.generators.core.row_schema import make_decoder, make_encoder
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Column, Task, Traits
from facelet.generators.labyrinth.board import board_columns
from facelet.generators.labyrinth.board.actions import write_turn
from facelet.generators.labyrinth.board.board_engine import NAME_OF
from facelet.generators.labyrinth.plan_task import instances
from facelet.generators.labyrinth.plan_task.action_grammar import parse_action
from facelet.generators.labyrinth.plan_task.instances import Instance, Params
from facelet.generators.labyrinth.plan_task.referee import MEASURES
from facelet.generators.labyrinth.presentation.displays import Display
from facelet.generators.labyrinth.search.board_sampler import solve_board
from facelet.generators.labyrinth.search.exact_search import WayCounts, fewest_turns

_BOARDS = {"any": "labyrinth/boards 1", "loose": "labyrinth/boards 2"}
"""Under which the boards of both tasks are drawn, by the treasures that are targets."""


class PlanningTask(Task[Params, Instance]):
    """A task of plans to a treasure; a subclass adds its name, its prompts and its replies."""

    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = instances.COLUMNS
    traits: ClassVar[Traits] = Traits(simulated=True)
    measures: ClassVar[tuple[Measure, ...]] = MEASURES
    deviations: ClassVar[tuple[Deviation, ...]] = (
        Deviation(
            "any board with a treasure at the requested number of turns",
            "insertions alone cannot bring pawn and treasure together in twice these turns",
            "four turns apart they are on few pairs of cells, and one list of insertions that "
            "never looked solved an eighth of all boards",
            "shifted=any",
        ),
        Deviation(
            "any treasure may be the target",
            "the target is on a loose tile, up to three turns evenly over the cells of these",
            "half of the treasures never move: one reply for each name of a target, which the "
            "prompt states, solved half of the boards at no turn and a fifth at four",
            "targets=any",
        ),
    )

    def chance_level(self, params: Params) -> Chance:
        """Return that each row has its own chance."""
        return ChanceFromRows()

    def generate(self, params: Params, draw: Draw, resource: Any) -> tuple[Instance, ...]:
        """Return a random instance of the wanted number of turns."""
        made = instances.draw_instance(
            params.turns,
            params.board_display(),
            draw.derive_shared_draw(_BOARDS[params.targets]).rng,
            params.budget_in_turns(),
            params.count_blocked_shifts(),
            loose=params.targets == "loose",
        )
        return (made,)

    def gold_answer(self, instance: Instance) -> str:
        """Return the reference, a turn a line; any other plan that reaches the target is right."""
        return "\n".join(map(write_turn, instance.solution))

    def group_key(self, instance: Instance) -> str:
        """Return the board."""
        return board_columns.canonical_key(instance.board)

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false; the fewest turns and all counts are searched anew."""
        wrong = board_columns.find_column_faults(instance.board, instance.target)
        if wrong:
            return wrong
        board, target, turns = instance.board, instance.target, instance.turns
        walkable = board.treasure_cell(target) in board.reachable_cells()
        if board.pawn == board.treasure_cell(target):
            wrong.append("the pawn stands on the target at the start")
        if walkable != (turns == 0):
            wrong.append(f"the target can{'' if walkable else 'not'} be walked to at the start")
        if instance.budget and instance.budget < turns:
            wrong.append(f"{turns} turns are needed, and {instance.budget} count")
        if turns and fewest_turns(board, target, turns) != turns:
            wrong.append(f"the target is not exactly {turns} turns away")
        if not wrong:
            ways, solution = solve_board(board, target, turns)
            if instance.ways != ways:
                wrong.append(f"there are {ways}, not {instance.ways}")
            if instance.solution != solution:
                wrong.append(f"the reference is not {'; '.join(map(write_turn, solution))}")
        return wrong

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        return {
            **board_columns.encode_board(instance.board, instance.target),
            "target_name": NAME_OF[instance.target],
            "budget": instance.budget,
            "phase": "INSERT" if instance.starts_with_insertion else "MOVE",
            "minimal_turns": instance.turns,
            "optimal_insertions": instance.ways.insertions,
            "optimal_plans": instance.ways.plans,
            "chance": instance.ways.chance,
            "solution": list(map(write_turn, instance.solution)),
            **make_encoder(Display)(instance.display),
        }

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance of a row."""
        return Instance(
            board_columns.decode_board(row),
            row["target"],
            row["minimal_turns"],
            WayCounts(row["optimal_insertions"], row["optimal_plans"], row["chance"]),
            tuple(tuple(map(parse_action, turn.split("; "))) for turn in row["solution"]),
            make_decoder(Display)(row),
            row["budget"],
        )
