"""TextArena plays the episodes under its own names, and pays what replay pays."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.adapters


def play_replies(env, seed, replies):
    env.reset(num_players=1, seed=seed)
    _, new = env.get_observation()
    first = "\n\n".join(text for _, text, _ in new)
    for said in replies:
        done, _ = env.step(said)
        if done:
            break
    rewards, info = env.close()
    return first, done, rewards, info


def test_rewards_are_those_of_the_dataset_in_memory():
    import textarena

    from facelet.pipeline.adapters import textarena as adapter

    env = textarena.make(adapter.game_id("arcade/bit_query"), size=3, seed=7)
    data = env.source.entries
    for number, entry in enumerate(data):
        right = entry["answer"]
        for replies in (right, ["My Answer: 0"] * 99, [*right[:-1], *["I do not know."] * 99]):
            first, done, rewards, info = play_replies(env, number, replies)
            assert done and rewards == {0: data.score_answer(replies, entry)}
            assert first == entry["question"]
            assert (info[0]["reason"] == "correct") == (rewards[0] == 1)
        assert data.score_answer(right, entry) == 1


def test_pictures_are_refused():
    import textarena

    from facelet.pipeline.adapters import textarena as adapter

    env = textarena.make(
        adapter.game_id("labyrinth/act"), size=1, params={"turns": 1, "setting": "visual"}
    )
    with pytest.raises(ValueError, match="shows pictures"):
        env.reset(num_players=1)
    with pytest.raises(ValueError, match="use 1 player"):
        env.reset(num_players=2)


def test_rows_of_a_folder_are_played_and_named_where_they_are_refused(script, monkeypatch):
    import textarena

    from facelet.pipeline.rollout.row_episode import Play

    def make_env(config):
        return textarena.make("facelet/rows-v0", dataset=str(script.folder), config=config)

    env = make_env("suite.bit_query")
    for number, row in enumerate(env.source.rows):
        _, done, rewards, _ = play_replies(env, number, script.plays[row["id"]])
        assert done and rewards[0] in (0, 1)
    with pytest.raises(ValueError, match=r"^suite.act shows pictures, and TextArena text only"):
        make_env("suite.act").reset(num_players=1)
    with pytest.raises(ValueError, match=r"unknown config .suite\.bit."):
        make_env("suite.bit")
    # No config of text alone has a turn that begins a new chat.
    monkeypatch.setattr(Play, "begins_chat", property(lambda _: True))
    env.reset(num_players=1, seed=0)
    with pytest.raises(ValueError, match=r"^suite.bit_query: a turn begins a new chat"):
        play_replies(env, 0, ["I do not know."])
