"""NeMo Gym's contract: the routes of a resources server, by its documented shapes.

    POST /seed_session   {"id": ROW, ...}        opens a session, which a cookie names; answers {}
    POST /reply          {"text": ...}           the tool: the next reply of that session
    POST /verify         {"id": ROW, "response": {...}, ...}   the same again, with `reward`

`response` is a finished answer of the Responses API. Where the session has replies already, its
reward is that of the episode as it stands; else the text of `response` is the one reply to the row.
A row's id stands beside, or in `verifier_metadata`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from facelet.pipeline.rollout.api_completions import read_answer
from facelet.pipeline.serve.episode_service import Answer, EpisodeService, RequestRefusedError

COOKIE = "facelet_session"
"""The cookie that names a session."""


def is_nemo_request(asked: Mapping[str, Any]) -> bool:
    """Return whether a request to /verify is of this contract."""
    return "response" in asked


def seed_session(service: EpisodeService, asked: Mapping[str, Any]) -> str:
    """Open a session of the row that a request names, or of the next row; return the session.

    Raises:
        RefusedError: there is no such row.
        FullError: no more sessions may be open.
    """
    named = _find_identifier(asked)
    opened = service.open_session({} if named is None else {"id": named})
    return str(opened["session"])


def call_tool(service: EpisodeService, session: str, asked: Mapping[str, Any]) -> Answer:
    """Carry out the tool: return what the player is told next, as one text, and whether it is over.

    Args:
        service: the service.
        session: the session.
        asked: the request.

    Raises:
        RefusedError: there is no such session, or it is over.
    """
    told = service.take_reply(session, asked)
    parts = [part for message in told["messages"] for part in _output_texts(message["content"])]
    return {"output": "\n\n".join(parts), "done": told["done"]}


def _output_texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    assert isinstance(content, list)
    return [part.get("text") or part["image_url"]["url"] for part in content]


def grade_request(service: EpisodeService, session: str, asked: Mapping[str, Any]) -> Answer:
    """Return a request with its reward.

    Args:
        service: the service.
        session: the session that the cookie names; "" for none.
        asked: the request.

    Raises:
        RefusedError: there is no such row, or the response holds no answer.
    """
    if session:
        stands = service.session_state(session)
        if stands["turn"]:
            return {**asked, "reward": float(stands.get("reward", 0.0))}
    named = _find_identifier(asked)
    if named is None:
        named = stands["id"] if session else None
    try:
        said = read_answer(asked["response"]).text
    except ValueError as error:
        raise RequestRefusedError(f"response holds no answer: {error}"[:300]) from None
    (result,) = service.grade_items({"items": [{"id": named, "reply": said}]})["results"]
    if "error" in result:
        raise RequestRefusedError(str(result["error"]))
    return {**asked, "reward": result["reward"]}


def _find_identifier(asked: Mapping[str, Any]) -> object:
    beside = asked.get("verifier_metadata")
    return asked.get("id") or (beside.get("id") if isinstance(beside, Mapping) else None)
