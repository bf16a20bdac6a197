"""Play episodes as TextArena games for one player whose actions are the player's replies.

    import textarena
    import facelet.pipeline.adapters.textarena
    env = textarena.make("facelet/arcade_bit_query-v0", size=100, seed=7)
    env.reset(num_players=1, seed=0)            # entry 0
    player, observation = env.get_observation()
    done, info = env.step("My Query: AND 1 2")
    rewards, game_info = env.close()

TextArena shows text in a single chat, so prompts with pictures and turns that begin a new chat are
refused. `reset(seed=s)` selects entry s of the dataset, modulo its size; without a seed the entries
follow one another. `textarena.make("facelet/rows-v0", dataset=DIR, config=NAME, split="train")`
plays rows of a folder.
"""

from __future__ import annotations

from typing import Any

from facelet.generators.core import task_registry
from facelet.pipeline.adapters._play_source import FolderPlays, PlaySource, TaskPlays
from facelet.pipeline.optional_packages import import_optional
from facelet.pipeline.rollout.chat_messages import chat_text
from facelet.pipeline.rollout.rewards import Weights, reward
from facelet.pipeline.rollout.row_episode import Play

_arena = import_optional("textarena", "textarena")


class Environment(_arena.Env):  # type: ignore[misc,name-defined]
    """Plays of a source, one after another; see the module."""

    def __init__(self, source: PlaySource, weights: Weights | None) -> None:
        """Store the source of plays and the weights of the reward."""
        self.source, self.weights = source, weights
        self._next = 0
        self._play: Play | None = None

    def reset(self, num_players: int = 1, seed: int | None = None) -> None:
        """Start the next entry, or the entry that the seed selects.

        Raises:
            ValueError: the number of players is not 1, or the prompt shows pictures.
        """
        if num_players != 1:
            raise ValueError(f"num_players={num_players} is out of range; use 1 player")
        self._next = self._next if seed is None else seed
        self._play = self.source.open_play(self._next)
        self._next += 1
        self.state = _arena.SinglePlayerState(num_players=1)
        self.state.reset(game_state={"id": self._play.id})
        self._add_observations(_arena.ObservationType.PROMPT)

    def step(self, action: str) -> tuple[bool, dict[str, object]]:
        """Take a reply; return whether the episode is over, and TextArena's record of the step."""
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
        play = self._play
        assert play is not None
        name = play.id.rsplit("/", 2)[0]  # the config, or the task of a play in memory
        if play.replies and play.begins_chat:
            raise ValueError(
                f"{name}: a turn begins a new chat, and TextArena continues the existing chat"
            )
        for message in play.format_messages("dataset", new=True):
            if any(part["type"] == "image" for part in message["content"]):
                raise ValueError(f"{name} shows pictures, and TextArena text only")
            self.state.add_observation(message=chat_text([message]), observation_type=kind, to_id=0)


class Game(Environment):
    """Episodes of one task, generated in memory."""

    def __init__(
        self,
        task: str,
        size: int | None = None,
        seed: int = 0,
        params: dict[str, Any] | None = None,
        weights: Weights | None = None,
    ) -> None:
        """Generate the entries of a task.

        Args:
            task: name of the task.
            size: number of entries; by default 100, or all of a task that has fewer.
            seed: root of all seeds.
            params: params of the task.
            weights: weights of the reward.
        """
        super().__init__(TaskPlays(task, size, seed, params), weights)


class Rows(Environment):
    """Episodes of the rows of one config of a dataset."""

    def __init__(
        self, dataset: str, config: str, split: str | None = None, weights: Weights | None = None
    ) -> None:
        """Read the rows.

        Args:
            dataset: folder of a built or downloaded dataset.
            config: name of a config, such as "suite.task".
            split: name of a split; None for all.
            weights: weights of the reward.

        Raises:
            ValueError: the dataset, the config or the split does not exist or has no rows.
        """
        super().__init__(FolderPlays(dataset, config, split), weights)


def game_id(task: str) -> str:
    """Return the TextArena id of a task."""
    return f"facelet/{task.replace('/', '_')}-v0"


_games = {game_id(name): (Game, {"task": name}) for name in task_registry.task_names()}
for _id, (_kind, _options) in ({"facelet/rows-v0": (Rows, {})} | _games).items():
    if _id not in _arena.envs.registration.ENV_REGISTRY:
        _arena.envs.registration.register(_id, _kind, **_options)
