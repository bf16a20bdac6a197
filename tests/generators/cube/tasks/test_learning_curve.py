"""Learning curve: episodes played by hand, their metrics, and what a player reads."""

from collections.abc import Sequence

import pytest

from facelet.generators.core.prompts import PicturePart, Prompt, TextPart
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Outcome, Status
from facelet.generators.cube.attempts.episodes import AttemptEpisode
from facelet.generators.cube.attempts.instances import Instance
from facelet.generators.cube.attempts.rules import progress_moves
from facelet.generators.cube.engine import moves
from facelet.generators.cube.tasks.learning_curve import TASK, Params
from facelet.generators.options.letter_placement import LETTERS
from facelet.renderers.scenes.records import CubeNet


def make_item(pools, index: int = 0, **values) -> Instance:
    params = Params(**values)
    params.validate()
    draw = Draw((0, "tests", params.depth), index)
    return TASK.generate(params, draw, pools(params.metric, params.depth))[0]


def letter_for(episode: AttemptEpisode, good: bool) -> str:
    """The letter of the move that brings closer, or of the first that does not."""
    closer = progress_moves("htm", episode.current_situation.state)
    place = next(i for i, move in enumerate(episode.list_offered_moves) if (move in closer) is good)
    return f"<ANSWER>{LETTERS[place]}</ANSWER>"


def play_script(item: Instance, script: str) -> tuple[list[str], Outcome]:
    """Play g (closer), b (not closer) and ? (no letter); return states met, and the outcome."""
    episode, states = TASK.open(item), [item.state.facelets]
    for sign in script:
        text = "hm" if sign == "?" else letter_for(episode, sign == "g")
        result = episode.reply(text)
        states.append(episode.current_situation.state)
        if isinstance(result, Outcome):
            return states, result
    raise AssertionError(f"the episode goes on after {script}")


def test_the_best_player_solves_in_as_many_attempts_as_moves(pools) -> None:
    for depth in (1, 2, 3):
        for index in range(10):
            _, outcome = play_script(make_item(pools, index, depth=depth), "g" * depth)
            assert (outcome.status, outcome.strict) == (Status.CORRECT, True)
            assert outcome.metrics["attempts"] == outcome.metrics["attempts_all"] == depth
            assert outcome.metrics["solved_at_1"] == (depth == 1)
            assert outcome.metrics["solved_within_3"] == 1


def test_unreadable_replies_cost_an_attempt_and_change_nothing(pools) -> None:
    states, outcome = play_script(make_item(pools, depth=2), "?g?g")
    assert states[0] == states[1] != states[2] == states[3] != states[4]
    assert outcome.status is Status.CORRECT and not outcome.strict
    assert outcome.metrics["attempts"] == 4 and outcome.metrics["parse_failures"] == 2
    assert outcome.metrics["solved_within_3"] == 0
    assert outcome.note == "reply 1: no letter could be read"


def test_a_wrong_move_is_carried_out_and_can_be_made_good(pools) -> None:
    item = make_item(pools, 3, depth=1)
    states, outcome = play_script(item, "bgg" if starts_two_away(item) else "bg")
    assert states[1] != states[0]
    assert outcome.status is Status.CORRECT
    assert outcome.metrics["setbacks"] == 1
    assert outcome.note.startswith("reply 1: ") and "does not bring closer" in outcome.note


def starts_two_away(item: Instance) -> bool:
    episode = TASK.open(item)
    episode.reply(letter_for(episode, False))
    return not any(
        moves.apply_maneuver(episode.current_situation.state, (move,))
        == "".join(f * 9 for f in "URFDLB")
        for move in progress_moves("htm", episode.current_situation.state)
    )


def test_it_ends_after_the_last_attempt(pools) -> None:
    item = make_item(pools, depth=3, max_attempts=4)
    _, outcome = play_script(item, "?gg?")
    assert outcome.status is Status.WRONG
    assert (outcome.gold, outcome.answer) == (("solved",), ("unsolved",))
    metrics = outcome.metrics
    assert "attempts" not in metrics and metrics["attempts_all"] == 4
    assert (metrics["solved"], metrics["solved_at_1"], metrics["solved_within_3"]) == (0, 0, 0)
    _, outcome = play_script(item, "????")
    assert (outcome.status, outcome.answer) == (Status.UNPARSED, ())


def test_a_transcript_that_breaks_off_is_no_result(pools) -> None:
    item = make_item(pools, depth=3)
    assert replay(TASK.open(item), TASK.reference(item)[:2]).status is Status.UNPARSED


def prompt_texts(prompt: Prompt) -> list[str]:
    return [p.text for message in prompt.messages for p in message.parts if isinstance(p, TextPart)]


def prompt_pictures(prompt: Prompt) -> Sequence[object]:
    return [
        p.scene for message in prompt.messages for p in message.parts if isinstance(p, PicturePart)
    ]


@pytest.mark.parametrize("modality", ["image_text", "image", "text"])
def test_questions_show_the_state_and_distance_of_the_moment(pools, modality: str) -> None:
    item = make_item(pools, depth=2, modality=modality)
    episode = TASK.open(item)
    first = episode.prompt()
    assert "Attempt 1 of 6. The cube is 2 moves from solved." in prompt_texts(first)[1]
    chosen = episode.list_offered_moves[LETTERS.index(letter_for(episode, True)[8])]
    then = episode.reply(letter_for(episode, True))
    assert isinstance(then, Prompt) and [m.role for m in then.messages] == ["user"]
    line = f"{chosen} was carried out. Attempt 2 of 6. The cube is 1 move from solved."
    assert prompt_texts(then)[0].startswith(line)
    state = episode.current_situation.state
    assert prompt_pictures(then) == ([] if modality == "text" else [CubeNet(state)])
    assert ("Cube state:" in prompt_texts(then)[0]) is (modality != "image")
    for place, move in enumerate(episode.list_offered_moves):
        assert f"{LETTERS[place]}: {move}\n" in prompt_texts(then)[-1]
    again = episode.reply("hm")
    assert (
        isinstance(again, Prompt)
        and "the cube is as it was. Attempt 3 of 6." in prompt_texts(again)[0]
    )
    assert "\nA: " in prompt_texts(again)[-1] and prompt_pictures(again) == prompt_pictures(then)


def test_what_is_carried_out_is_told_without_a_verdict(pools) -> None:
    item = make_item(pools, depth=3)
    for good in (True, False):
        episode = TASK.open(item)
        then = episode.reply(letter_for(episode, good))
        assert isinstance(then, Prompt)
        assert prompt_texts(then)[0].split(".")[0].endswith("was carried out")


def test_quarter_turns_are_named_in_their_metric(pools) -> None:
    prompt = TASK.open(make_item(pools, metric="qtm", depth=2)).prompt()
    assert "The cube is 2 quarter turns from solved." in prompt_texts(prompt)[1]
    assert "a turn by 180 degrees takes two" in prompt_texts(prompt)[0]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"depth": 7}, "max_attempts=6 attempts cannot solve a start of depth=7; use at least 7"),
        (
            {"depth": 7, "max_attempts": 7},
            "depth=7 with max_attempts=7 may lead 14 moves from solved; use a sum of at most 13",
        ),
        (
            {"depth": 8, "max_attempts": 8, "metric": "qtm"},
            "may lead 16 moves from solved; use a sum of at most 15 (qtm)",
        ),
        ({"depth": 2, "max_attempts": 8}, "max_attempts=8 is too many for depth=2"),
        ({"modality": "both"}, "modality='both' is unknown"),
    ],
)
def test_params_that_cannot_be_played_are_explained(values, told: str) -> None:
    with pytest.raises(ValueError) as caught:
        Params(**values).validate()
    assert told in str(caught.value)


def test_matched_rows_offer_the_same_moves(pools) -> None:
    params = Params(modality="matched", depth=2)
    items = TASK.generate(params, Draw((0, "tests"), 0), pools("htm", 2))
    assert [item.modality for item in items] == ["image_text", "image", "text"]
    assert len({TASK.open(item).list_offered_moves for item in items}) == 1
    assert len({tuple(TASK.reference(item)) for item in items}) == 1


def test_a_state_that_is_met_again_may_offer_the_same(pools) -> None:
    fresh = TASK.open(make_item(pools, depth=3, redraw="attempt"))
    before = fresh.list_offered_moves
    fresh.reply("hm")
    assert fresh.list_offered_moves != before
    same = TASK.open(make_item(pools, depth=3))
    before = same.list_offered_moves
    same.reply("hm")
    assert same.list_offered_moves == before
    start = same.current_situation.state
    same.reply(letter_for(same, True))
    assert same.list_offered_moves != before and same.current_situation.state != start
    away = moves.apply_maneuver(start, (before[LETTERS.index(offered_letter(before, start))],))
    assert same.current_situation.state == away


def offered_letter(offered: Sequence[str], state: str) -> str:
    closer = progress_moves("htm", state)
    return next(x for x, move in zip(LETTERS, offered, strict=True) if move in closer)


@pytest.mark.parametrize(("redraw", "low", "high"), [("attempt", 0.25, 0.6), ("state", 0.0, 0.1)])
def test_a_player_that_remembers_offers_gains_only_where_they_are_redrawn(
    pools, redraw: str, low: float, high: float
) -> None:
    """It never looks at the cube: it takes a move that it was offered before in the same state."""
    solved = 0
    for index in range(100):
        episode = TASK.open(make_item(pools, index, depth=3, redraw=redraw))
        outcome: object = None
        while not isinstance(outcome, Outcome):
            seen = episode.list_offered_moves
            outcome = episode.reply("hm")
            if not isinstance(outcome, Outcome):
                now = zip(LETTERS, episode.list_offered_moves, strict=True)
                again = [x for x, move in now if move in seen] or [*LETTERS]
                outcome = episode.reply(f"<ANSWER>{again[index % len(again)]}</ANSWER>")
        solved += outcome.status is Status.CORRECT
    assert low <= solved / 100 <= high


def test_false_rows_are_found(pools) -> None:
    row = TASK.encode(make_item(pools, depth=3))
    assert TASK.find_faults(TASK.decode(row)) == []
    for column, value, told in (
        ("options_key", "xyz", "32 hexadecimal digits"),
        ("options_key", "0" * 32, "random letters solve it with probability"),
        ("chance", 0.25, "not 0.25"),
        ("max_attempts", 2, "cannot solve a start of depth=3"),
        ("max_attempts", 12, "may lead 15 moves"),
        ("redraw", "never", "redraw='never' is unknown"),
        ("modality", "sound", "modality='sound' is unknown"),
        ("modality", "matched", "unknown modality 'matched'"),
        ("state_text", "braille", "state_text='braille' is unknown"),
    ):
        assert told in "\n".join(TASK.find_faults(TASK.decode({**row, column: value})))
