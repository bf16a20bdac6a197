"""Choose the items of a study, and record what every person has done.

All people get the same items: the same number from each config, spread over its levels, as `facelet
run` selects for the same limit. The order is drawn for each person from a seed and the name:
configs one after the other, so that instructions stay while they are needed, and their items in
random order.

Every reply is written to people.jsonl before the person sees the next step. A session resumes from
that file by playing the replies again. A completed play becomes a line of transcripts.jsonl, which
`facelet score` accepts, under the model human/<person>. A browser gets a view: prompts and the form
of a reply. A view contains no right answer; for practice items it contains the grade of the reply.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

from facelet.generators.core.seeding import digest_names, make_generator
from facelet.generators.core.task import Outcome
from facelet.pipeline.dataset.atomic_files import append_line
from facelet.pipeline.dataset.dataset_reader import SplitFiles
from facelet.pipeline.report.people.people_page_widgets import Widget, build_widget
from facelet.pipeline.rollout.row_episode import Play
from facelet.pipeline.rollout.row_opener import OpenedRow, read_row
from facelet.pipeline.rollout.row_selection import list_chosen_rows, sample_ids, select_splits
from facelet.pipeline.rollout.transcript_file import TranscriptFile, open_transcripts
from facelet.pipeline.scoring.ingest.prediction import MAX_REPLY
from facelet.pipeline.scoring.ingest.prediction_reader import PERSON as PERSON_MODEL
from facelet.renderers.api import encode_png
from facelet.renderers.pixel_hash import pixel_hash
from facelet.renderers.scenes.records import Scene

PRACTICE = 2
"""Items whose answers people are told, before those that count."""

LETTERS = "ABCD"
"""What an attention check may ask for."""

Kind = Literal["practice", "item", "check", "break"]


@dataclass(frozen=True, slots=True)
class SessionStep:
    """A step of a session.

    Attributes:
        kind: what it is.
        id: id of the row; of a check, the letter that is to be chosen; "" of a break.
    """

    kind: Kind
    id: str = ""


@dataclass(frozen=True, slots=True)
class StudyItems:
    """The items of a study.

    Attributes:
        items: ids by config.
        practice: ids of the practice items, which are none of these.
        rows: the rows of all of them, by id.
    """

    items: Mapping[str, Sequence[str]]
    practice: Sequence[str]
    rows: Mapping[str, OpenedRow]


def choose_items(
    folder: Path, suites: Sequence[str], configs: Sequence[str], split: str, limit: int
) -> StudyItems:
    """Return the items of a study.

    Args:
        folder: the dataset.
        suites: names of suites; none for all.
        configs: names of configs; none for all.
        split: name of the split; "" for all.
        limit: most items of a config.

    Raises:
        ValueError: there is no such dataset, suite, config or split.
    """
    items: dict[str, list[str]] = {}
    spare: list[str] = []
    wanted: dict[SplitFiles, set[str]] = {}
    for part in select_splits(folder, suites, configs, split):
        own = sample_ids(part, limit)
        rest = [row["id"] for row in part.iterate_rows(["id"]) if row["id"] not in own]
        items.setdefault(part.config, []).extend(sorted(own))
        first = sorted(rest, key=lambda name: digest_names("practice", name))[:1]
        if len(spare) < PRACTICE:
            spare += first
            own = own | set(first)
        wanted[part] = own
    rows = {row["id"]: read_row(row) for row in list_chosen_rows(folder, wanted)}
    return StudyItems(items, spare, rows)


def plan_steps(
    found: StudyItems, person: str, seed: int, *, checks: int, pause: int
) -> tuple[SessionStep, ...]:
    """Return the steps of a person.

    Args:
        found: the items of the study.
        person: who it is.
        seed: root of the order.
        checks: items between two attention checks; 0 for none.
        pause: items between two breaks; 0 for none.
    """
    rng = make_generator("people", str(seed), person)
    plan = [SessionStep("practice", name) for name in found.practice]
    configs = list(found.items)
    done = 0
    for place in rng.permutation(len(configs)).tolist():
        own = found.items[configs[place]]
        for index in rng.permutation(len(own)).tolist():
            if done and pause and done % pause == 0:
                plan.append(SessionStep("break"))
            plan.append(SessionStep("item", own[index]))
            done += 1
            if checks and done % checks == 0:
                plan.append(SessionStep("check", LETTERS[int(rng.integers(len(LETTERS)))]))
    return tuple(plan)


PERSON = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What a person may be called."""

LOG, TRANSCRIPTS = "people.jsonl", "transcripts.jsonl"
"""Files of a study."""

_PICTURES = 2000
"""Most pictures that are held; others are drawn again."""

View = dict[str, object]
"""What a browser is told, as JSON."""


def _find_pointed_picture(scenes: Sequence[Scene], asked: Widget) -> int | None:
    """Return the number of the picture whose parts are the options; None where there is none.

    It is the last picture of a chat, whose every label is a choice: examples come before it.
    """
    if not scenes or asked["kind"] != "choice":
        return None
    labels = scenes[-1].label_regions().keys()
    choices = {value for value, _ in asked["options"]}
    return len(scenes) - 1 if len(labels) > 1 and labels <= choices else None


_CHECK: Widget = {"kind": "choice", "form": "{}", "options": tuple((x, x) for x in "ABCD")}


@dataclass(frozen=True, slots=True)
class StudySettings:
    """What people are asked, and how.

    Attributes:
        chosen: its items.
        seed: root of the orders.
        checks: items between two attention checks.
        pause: items between two breaks.
        purpose: what people are told before they agree.
        code: completion code; "" for one of each person's own.
    """

    study_items: StudyItems
    seed: int
    checks: int
    pause: int
    purpose: str
    code: str


@dataclass(slots=True)
class PersonSession:
    """The progress of a person.

    Attributes:
        person: who it is.
        plan: the steps.
        agreed: whether the person agreed.
        place: number of the step that is next.
        replies: replies to the item of that step.
        seconds: seconds of each.
        play: its play; None before it was opened.
    """

    person: str
    plan: tuple[SessionStep, ...]
    has_agreed: bool = False
    place: int = 0
    replies: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    play: Play | None = None

    @property
    def next_step(self) -> SessionStep | None:
        """The step that is next; None at the end."""
        return self.plan[self.place] if self.place < len(self.plan) else None

    @property
    def reply_token(self) -> str:
        """What a reply must carry, so that none counts twice."""
        return f"{self.place}.{len(self.replies)}" if self.has_agreed else "consent"

    def advance(self) -> None:
        """Go on to the next step."""
        self.place += 1
        self.replies, self.seconds, self.play = [], [], None


class PersonSessions:
    """All sessions of a study; safe to use from several threads."""

    def __init__(self, study: StudySettings, log: IO[bytes], transcripts: TranscriptFile) -> None:
        """Go on behind the last line of the log.

        Args:
            study: what is asked.
            log: people.jsonl, to be read and appended to.
            transcripts: the transcripts.
        """
        self._study = study
        self._log = log
        self._transcripts = transcripts
        self._lock = threading.RLock()
        self._people: dict[str, PersonSession] = {}
        self._pictures: OrderedDict[str, bytes] = OrderedDict()
        self._resume_sessions()

    def current_view(self, person: str) -> View:
        """Return what a person is shown now.

        Raises:
            ValueError: that is no name of a person.
        """
        with self._lock:
            return self._build_view(self._find_session(person))

    def record_consent(self, person: str) -> View:
        """Take a person's consent, and return what comes next."""
        with self._lock:
            session = self._find_session(person)
            if not session.has_agreed:
                self._write_event({"person": person, "event": "agreed"})
                session.has_agreed = True
            return self._build_view(session)

    def record_reply(self, person: str, token: str, text: str, seconds: float) -> View:
        """Take a reply, and return what comes next; one that was taken before changes nothing.

        Args:
            person: who replies.
            token: the token of the view that is replied to.
            text: the reply.
            seconds: how long it took.

        Raises:
            ValueError: a name or a number is none, or the text is too long.
        """
        if not 0 <= seconds < 1e6:
            raise ValueError(f"seconds={seconds} is out of range; send a number from 0 on")
        if len(text) > MAX_REPLY:
            raise ValueError(f"a reply has at most {MAX_REPLY:,} characters")
        with self._lock:
            session = self._find_session(person)
            if token != session.reply_token or session.next_step is None:
                return self._build_view(session)
            event = {"person": person, "event": "reply", "place": session.place, "text": text}
            before = os.fstat(self._log.fileno()).st_size
            replies, spent = list(session.replies), list(session.seconds)
            self._write_event(event | {"seconds": round(seconds, 3), "id": session.next_step.id})
            try:
                feedback = self._apply_reply(session, text, round(seconds, 3))
            except OSError:  # Its transcript was not written, so neither is the reply.
                os.ftruncate(self._log.fileno(), before)
                session.replies, session.seconds, session.play = replies, spent, None
                raise
            return self._build_view(session) | feedback

    def read_picture(self, name: str) -> bytes | None:
        """Return a picture that somebody was shown, PNG; None if nobody was."""
        with self._lock:
            return self._pictures.get(name)

    def _find_session(self, person: str) -> PersonSession:
        if not PERSON.fullmatch(person):
            raise ValueError(f"{person[:80]!r} is no name; use 1 to 64 letters, digits, _ and -")
        if person not in self._people:
            how = self._study
            plan = plan_steps(how.study_items, person, how.seed, checks=how.checks, pause=how.pause)
            self._people[person] = PersonSession(person, plan)
        return self._people[person]

    def _resume_sessions(self) -> None:
        """Bring every session to where its log ends, and write transcripts that are missing."""
        self._log.seek(0)
        whole = 0
        for line in iter(self._log.readline, b""):
            if not line.endswith(b"\n"):
                self._log.truncate(whole)  # What a killed program left without its end.
                break
            whole = self._log.tell()
            said = json.loads(line)
            session = self._find_session(said["person"])
            if said["event"] == "agreed":
                session.has_agreed = True
            elif session.next_step is not None and session.next_step.id == said["id"]:
                self._apply_reply(session, said["text"], said["seconds"])
            else:
                raise ValueError(
                    f"{LOG}: a reply of {said['person']} is to {said['id']!r}, which this study "
                    "does not ask there; name another folder with out=..., or ask as before"
                )
        self._log.seek(0, 2)

    def _write_event(self, event: Mapping[str, object]) -> None:
        append_line(Path(self._log.name), self._log.fileno(), json.dumps(event).encode("ascii"))

    def _open_play(self, session: PersonSession, identifier: str) -> Play:
        if session.play is None:
            session.play = Play(self._study.study_items.rows[identifier], "dataset")
            for text in session.replies:
                session.play.reply(text)
        return session.play

    def _apply_reply(self, session: PersonSession, text: str, seconds: float) -> View:
        """Replay a reply of the log; return the feedback that the person sees."""
        step = session.next_step
        assert step is not None
        if step.kind in ("break", "check"):
            session.advance()
            return {}
        play = self._open_play(session, step.id)
        outcome = play.reply(text)
        session.replies.append(text)
        session.seconds.append(seconds)
        if outcome is None:
            return {}
        if step.kind == "item":
            self._append_transcript(session, play)
        session.advance()
        return self._build_feedback(step, outcome) if step.kind == "practice" else {}

    def _build_feedback(self, step: SessionStep, outcome: Outcome) -> View:
        """Return the feedback on a judged practice item."""
        row = self._study.study_items.rows[step.id]
        gold = row.task.gold_answer(row.instance)
        return {"feedback": {"status": str(outcome.status), "gold": gold}}

    def _append_transcript(self, session: PersonSession, play: Play) -> None:
        """Append the transcript of a play that is over, unless it is there."""
        model = f"{PERSON_MODEL}{session.person}"
        if (play.id, model, 0) in self._transcripts.held:
            return
        record = play.transcript(model)
        self._transcripts.append_line({**record, "seconds": list(session.seconds)})
        self._transcripts.held.add((play.id, model, 0))

    def _build_view(self, session: PersonSession) -> View:
        """Return what a person is shown: prompts and the form of a reply, never an answer."""
        items = [place for place, step in enumerate(session.plan) if step.kind == "item"]
        done = sum(place < session.place for place in items)
        common = {"token": session.reply_token, "done": done, "total": len(items)}
        if not session.has_agreed:
            return common | {"phase": "consent", "purpose": self._study.purpose}
        step = session.next_step
        if step is None:
            return common | {"phase": "end", "code": self._completion_code(session.person)}
        if step.kind == "break":
            return common | {"phase": "break"}
        if step.kind == "check":
            asked = f"This question checks that you are reading. Choose the letter {step.id}."
            chat = [{"role": "user", "parts": [{"text": asked}]}]
            return common | {"phase": "check", "chat": chat, "widget": _CHECK, "config": ""}
        play = self._open_play(session, step.id)
        row = self._study.study_items.rows[step.id]
        return common | {
            "phase": step.kind,
            "config": step.id.partition("/")[0],
            "turn": len(session.replies) + 1,
            "chat": self._build_chat(play, form := build_widget(row)),
            "widget": form,
        }

    def _build_chat(self, play: Play, asked: Widget) -> list[View]:
        """Return the chat that a player sees now, its pictures by name.

        A picture of the options says where each of them stands, for clicks.
        """
        names: dict[int, str] = {}
        pointed = _find_pointed_picture(play.scenes, asked)
        lines = []
        for message in play.format_messages("dataset"):
            parts: list[View] = []
            for part in message["content"]:
                if part["type"] == "text":
                    parts.append({"text": part["text"]})
                    continue
                if (index := part["image"]) not in names:
                    image = play.images[index]
                    names[index] = pixel_hash(image)
                    self._store_picture(names[index], encode_png(image))
                shown: View = {"picture": names[index]}
                if index == pointed:
                    shown["regions"] = play.scenes[index].label_regions()
                parts.append(shown)
            lines.append({"role": message["role"], "parts": parts})
        return lines

    def _store_picture(self, name: str, data: bytes) -> None:
        self._pictures[name] = data
        self._pictures.move_to_end(name)
        while len(self._pictures) > _PICTURES:
            self._pictures.popitem(last=False)

    def _completion_code(self, person: str) -> str:
        """Return the completion code of a person."""
        own = digest_names("completion", str(self._study.seed), person).hex()[:8].upper()
        return self._study.code or own


@contextmanager
def open_sessions(study: StudySettings, out: Path) -> Iterator[PersonSessions]:
    """Open the files of a study for the length of the block.

    Args:
        study: what is asked.
        out: the folder of its files; made if missing.

    Raises:
        ValueError: another program writes there, or the files are of another study.
    """
    out.mkdir(parents=True, exist_ok=True)
    with open_transcripts(out / TRANSCRIPTS) as transcripts, (out / LOG).open("a+b") as log:
        yield PersonSessions(study, log, transcripts)
