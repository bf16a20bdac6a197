"""Replay takes replies in order and stops at the outcome."""

from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.replay import replay
from facelet.generators.core.task import Episode, Outcome, Status


class CountDown(Episode):
    """An episode that ends after a number of replies and remembers what it was told."""

    def __init__(self, turns: int) -> None:
        self.turns = turns
        self.replies_heard: list[str] = []

    def prompt(self) -> Prompt:
        return chat_prompt("system", "user")

    def reply(self, text: str) -> Prompt | Outcome:
        self.replies_heard.append(text)
        if len(self.replies_heard) == self.turns:
            return Outcome(Status.CORRECT, strict=True)
        return self.prompt()


def test_replies_after_the_end_are_ignored() -> None:
    episode = CountDown(2)
    assert replay(episode, ["a", "b", "c"]).status is Status.CORRECT
    assert episode.replies_heard == ["a", "b"]


class ReportingCountDown(CountDown):
    """An episode that can say how far it came."""

    def outcome_when_halted(self) -> Outcome:
        return Outcome(
            Status.UNPARSED, strict=False, metrics={"heard": float(len(self.replies_heard))}
        )


def test_an_episode_may_say_what_the_replies_before_a_missing_one_came_to() -> None:
    assert replay(ReportingCountDown(3), ["a", "b"]).metrics == {"heard": 2.0}
    assert replay(ReportingCountDown(2), ["a", "b"]).status is Status.CORRECT


def test_a_transcript_that_ends_early_is_unparsed() -> None:
    assert replay(CountDown(3), ["a", "b"]) == Outcome(Status.UNPARSED, strict=False)
    assert replay(CountDown(1), []).status is Status.UNPARSED
