"""Implement the routes of a NeMo Gym resources server.

    POST /seed_session   {"id": ROW, ...}        opens a session, named in a cookie; returns {}
    POST /reply          {"text": ...}           the tool: the next reply of that session
    POST /verify         {"id": ROW, "response": {...}, ...}   returns the request with `reward`

`response` is a complete answer of the Responses API. If the session has replies, the reward is that
of the episode so far; otherwise the text of `response` is the only reply to the row. The id of the
row is in the request or in its `verifier_metadata`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from facelet.pipeline.rollout.api_completions import read_answer
from facelet.pipeline.rollout.chat_messages import iterate_parts
from facelet.pipeline.serve.episode_service import Answer, EpisodeService, RequestRefusedError

COOKIE = "facelet_session"
"""Name of the cookie with the session."""


def is_nemo_request(asked: Mapping[str, Any]) -> bool:
    """Return whether a request to /verify comes from NeMo Gym."""
    return "response" in asked


def seed_session(service: EpisodeService, asked: Mapping[str, Any]) -> str:
    """Open a session of the row in a request, or of the next row; return the session.

    Raises:
        RequestRefusedError: the row does not exist.
        StoreFullError: too many sessions are open.
    """
    named = _find_identifier(asked)
    opened = service.open_session({} if named is None else {"id": named})
    return str(opened["session"])


def call_tool(service: EpisodeService, session: str, asked: Mapping[str, Any]) -> Answer:
    """Run the tool: return the next prompt as one text, and whether the episode is over.

    Args:
        service: the service.
        session: the session.
        asked: the request.

    Raises:
        RequestRefusedError: the session does not exist or is over.
    """
    found = service.take_reply(session, asked)
    parts = iterate_parts(found["messages"])
    texts = [part.get("text") or part["image_url"]["url"] for part in parts]
    return {"output": "\n\n".join(texts), "done": found["done"]}


def grade_request(service: EpisodeService, session: str, asked: Mapping[str, Any]) -> Answer:
    """Return a request with its reward.

    Args:
        service: the service.
        session: the session in the cookie; "" for none.
        asked: the request.

    Raises:
        RequestRefusedError: the row does not exist, or the response has no answer.
    """
    if session:
        state = service.session_state(session)
        if state["turn"]:
            return {**asked, "reward": float(state.get("reward", 0.0))}
    named = _find_identifier(asked)
    if named is None:
        named = state["id"] if session else None
    try:
        said = read_answer(asked["response"]).text
    except ValueError as error:
        raise RequestRefusedError(f"response has no answer: {error}"[:300]) from None
    (result,) = service.grade_items({"items": [{"id": named, "reply": said}]})["results"]
    if "error" in result:
        raise RequestRefusedError(str(result["error"]))
    return {**asked, "reward": result["reward"]}


def _find_identifier(asked: Mapping[str, Any]) -> object:
    beside = asked.get("verifier_metadata")
    return asked.get("id") or (beside.get("id") if isinstance(beside, Mapping) else None)
