"""TextArena: an episode as a game for one player, whose actions are the player's replies.

    import textarena
    import facelet.pipeline.adapters.textarena
    env = textarena.make("facelet/arcade_bit_query-v0", size=100, seed=7)
    env.reset(num_players=1, seed=0)            # entry 0
    player, observation = env.get_observation()
    done, info = env.step("My Query: AND 1 2")
    rewards, game_info = env.close()

TextArena shows text only, all of it in one chat: what shows pictures, or begins a new chat at some
turn, is refused. `reset(seed=s)` takes entry s of the dataset, modulo its size; without a seed the
entries follow one another. Rows of a folder are played by
`textarena.make("facelet/rows-v0", dataset=DIR, config=NAME, split="train")`.
"""

from __future__ import annotations

from typing import Any

from facelet.generators.core import task_registry
from facelet.pipeline.adapters._optional_package import import_optional
from facelet.pipeline.adapters._row_player import list_config_rows
from facelet.pipeline.rollout.memory_dataset import create_dataset
from facelet.pipeline.rollout.rewards import Weights, reward
from facelet.pipeline.rollout.row_episode import Play, open_row

_arena = import_optional("textarena", "textarena")


class Environment(_arena.Env):  # type: ignore[misc,name-defined]
    """Plays that follow one another; see the module. A subclass says which."""

    def __init__(self, weights: Weights | None) -> None:
        """Take what the reward counts besides being right."""
        self.weights = weights
        self._next = 0
        self._play: Play | None = None

    def _open_entry(self, number: int) -> Play:
        """Return the play of an entry; numbers begin anew after the last."""
        raise NotImplementedError

    def reset(self, num_players: int = 1, seed: int | None = None) -> None:
        """Begin an entry: the one that the seed names, else the next.

        Raises:
            ValueError: there is not one player, or the prompt shows pictures.
        """
        if num_players != 1:
            raise ValueError(f"num_players={num_players} is out of range; there is 1 player")
        self._next = self._next if seed is None else seed
        self._play = self._open_entry(self._next)
        self._next += 1
        self.state = _arena.SinglePlayerState(num_players=1)
        self.state.reset(game_state={"id": self._play.id})
        self._add_observations(_arena.ObservationType.PROMPT)

    def step(self, action: str) -> tuple[bool, dict[str, object]]:
        """Take a reply; return whether the episode is over, and what TextArena says of the step."""
        if self._play is None:
            raise ValueError("call reset before step")
        action = str(action)
        self.state.add_observation(
            message=action,
            observation_type=_arena.ObservationType.PLAYER_ACTION,
            from_id=0,
            to_id=0,
        )
        outcome = self._play.reply(action)
        if outcome is None:
            self._add_observations(_arena.ObservationType.GAME_MESSAGE)
        else:
            worth = reward(outcome, self.weights, self._play.replies)
            self.state.set_outcome(worth, str(outcome.status))
        done, info = self.state.step()
        return done, info

    def _add_observations(self, kind: object) -> None:
        """Show the player what is new."""
        assert self._play is not None
        if self._play.replies and self._play.begins_chat:
            raise ValueError(
                f"{_name_play(self._play)}: a turn begins a new chat, and "
                "TextArena adds to the one "
                "there is"
            )
        for message in self._play.format_messages("dataset", new=True):
            if any(part["type"] == "image" for part in message["content"]):
                raise ValueError(
                    f"{_name_play(self._play)} shows pictures, and TextArena text only"
                )
            text = "\n\n".join(part["text"] for part in message["content"])
            self.state.add_observation(message=text, observation_type=kind, to_id=0)


class Game(Environment):
    """Episodes of one task, made in memory."""

    def __init__(
        self,
        task: str,
        size: int = 100,
        seed: int = 0,
        params: dict[str, Any] | None = None,
        weights: Weights | None = None,
    ) -> None:
        """Hold the entries of a task.

        Args:
            task: name of the task.
            size: number of entries.
            seed: root of all seeds.
            params: params of the task.
            weights: what the reward counts besides being right.
        """
        super().__init__(weights)
        self.entries = create_dataset(task, size, seed, **(params or {}))

    def _open_entry(self, number: int) -> Play:
        return self.entries.play(self.entries[number % len(self.entries)])


class Rows(Environment):
    """Episodes of the rows of one config of a dataset."""

    def __init__(
        self, dataset: str, config: str, split: str | None = None, weights: Weights | None = None
    ) -> None:
        """Hold the rows.

        Args:
            dataset: folder of a built or downloaded dataset.
            config: name of a config, such as "suite.task".
            split: name of a split; None for all.
            weights: what the reward counts besides being right.

        Raises:
            ValueError: there is no such folder, config or split, or it has no rows.
        """
        super().__init__(weights)
        self.rows = list_config_rows(dataset, config, split)

    def _open_entry(self, number: int) -> Play:
        return open_row(self.rows[number % len(self.rows)])


def _name_play(play: Play) -> str:
    """Return the config of a play, or the task of one that was made in memory."""
    return play.id.rsplit("/", 2)[0]


def game_id(task: str) -> str:
    """Return the name under which TextArena knows a task."""
    return f"facelet/{task.replace('/', '_')}-v0"


_games = {game_id(name): (Game, {"task": name}) for name in task_registry.task_names()}
for _id, (_kind, _told) in ({"facelet/rows-v0": (Rows, {})} | _games).items():
    if _id not in _arena.envs.registration.ENV_REGISTRY:
        _arena.envs.registration.register(_id, _kind, **_told)
