"""TextArena: an episode as a game for one player, whose actions are the player's replies.

    import textarena
    import facelet.pipeline.adapters.textarena
    env = textarena.make("facelet/arcade_bit_query-v0", size=100, seed=7)
    env.reset(num_players=1, seed=0)            # entry 0
    player, observation = env.get_observation()
    done, info = env.step("My Query: AND 1 2")
    rewards, game_info = env.close()

TextArena shows text only: a task that shows pictures is refused. `reset(seed=s)` takes entry s of
the dataset, modulo its size; without a seed the entries follow one another.
"""

from __future__ import annotations

from typing import Any

from facelet.generators.core import registry
from facelet.pipeline.adapters._needs import package
from facelet.pipeline.environment.memory import create_dataset
from facelet.pipeline.environment.play import Play
from facelet.pipeline.environment.rewards import Weights, reward

_arena = package("textarena", "textarena")


class Game(_arena.Env):  # type: ignore[misc,name-defined]
    """Episodes of one task; see the module."""

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
        self.entries = create_dataset(task, size, seed, **(params or {}))
        self.weights = weights
        self._next = 0
        self._play: Play | None = None

    def reset(self, num_players: int = 1, seed: int | None = None) -> None:
        """Begin an entry: the one that the seed names, else the next.

        Raises:
            ValueError: there is not one player, or the task shows pictures.
        """
        if num_players != 1:
            raise ValueError(f"num_players={num_players} is out of range; there is 1 player")
        self._next = self._next if seed is None else seed
        self._play = self.entries.play(self.entries[self._next % len(self.entries)])
        self._next += 1
        self.state = _arena.SinglePlayerState(num_players=1)
        self.state.reset(game_state={"id": self._play.id})
        self._tell(_arena.ObservationType.PROMPT)

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
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
            self._tell(_arena.ObservationType.GAME_MESSAGE)
        else:
            self.state.set_outcome(reward(outcome, self.weights), str(outcome.status))
        done, info = self.state.step()
        return done, info

    def _tell(self, kind: Any) -> None:
        """Show the player what is new."""
        assert self._play is not None
        for message in self._play.new_messages:
            if not isinstance(message["content"], str):
                texts = [part.get("text") for part in message["content"]]
                if None in texts:
                    raise ValueError(f"{self._play.task} shows pictures, and TextArena text only")
                message["content"] = "\n\n".join(texts)
            self.state.add_observation(message=message["content"], observation_type=kind, to_id=0)


def game_id(task: str) -> str:
    """Return the name under which TextArena knows a task."""
    return f"facelet/{task.replace('/', '_')}-v0"


for _name in registry.names():
    if game_id(_name) not in _arena.envs.registration.ENV_REGISTRY:
        _arena.envs.registration.register(game_id(_name), Game, task=_name)
