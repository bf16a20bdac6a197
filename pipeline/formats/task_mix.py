"""Mix the samples of several tasks in one fine-tuning set.

A track is named as a task, "shapes/forward_deformation", or as a config of a suite, "suite.name",
whose params it then has. The tracks of a set take turns, sample by sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from facelet.pipeline import family_modules
from facelet.pipeline.config.build_keys import BuildSettings
from facelet.pipeline.config.settings_resolver import resolve_settings
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.formats import Target
from facelet.pipeline.formats.chat_formats import FinetuneSample, iterate_samples


@dataclass(frozen=True, slots=True)
class TaskTrack:
    """A part of a set.

    Attributes:
        task: what is asked.
        params: its params, but for level and half.
    """

    task: AnyTask
    params: Mapping[str, object]


def find_track(name: str, given: Mapping[str, object]) -> TaskTrack:
    """Return the track of a name.

    Args:
        name: a task or a config.
        given: params beside those of the config, which they replace.

    Raises:
        ValueError: there is no such task, suite or config.
    """
    suite, _, config = name.partition(".")
    if "/" in name or not config:
        return TaskTrack(family_modules.load_task(name), given)
    entries = resolve_settings(BuildSettings(suites=(suite,)))[0].entries
    if (entry := next((one for one in entries if one.name == config), None)) is None:
        raise ValueError(
            f"task={name} is unknown; {suite} has "
            f"{', '.join(f'{suite}.{one.name}' for one in entries)}"
        )
    return TaskTrack(family_modules.load_task(entry.task), {**entry.params, **given})


def mix_tracks(
    tracks: Sequence[TaskTrack], count: int, highest: int, target: Target, seed: int
) -> Iterator[FinetuneSample]:
    """Yield samples of tracks in turn; each track has as many, give or take one.

    Args:
        tracks: the tracks.
        count: number of samples of all tracks together.
        highest: the greatest level (S_max); of each track the levels have as many samples.
        target: whether the reply is the letter alone or reasons first.
        seed: root of the seeds.

    Raises:
        ValueError: a track will not do.
    """
    shares = [len(range(place, count, len(tracks))) for place in range(len(tracks))]
    drawn = [
        iterate_samples(one.task, one.params, share, highest, target, seed)
        for one, share in zip(tracks, shares, strict=True)
    ]
    rounds = chain.from_iterable(zip_longest(*drawn))
    return (sample for sample in rounds if sample is not None)
