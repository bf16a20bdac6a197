"""Store joined predictions in columns, with the uncommon ones beside them.

Nearly every prediction is one reply and nothing else. Of a million such predictions only the texts
are stored one by one.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from facelet.pipeline.scoring.array_types import Bools
from facelet.pipeline.scoring.ingest.prediction import Prediction


@dataclass(slots=True)
class PredictionBatch:
    """Predictions, in the order in which they came.

    Attributes:
        rows: number of the row of each in the dataset.
        models: code of its model.
        samples: its sample index.
        texts: its reply; "" if it is not plain.
        places: where it was read.
        ids: id of its row, where that is known; "" elsewhere.
        others: the predictions that are more than one plain reply, by their place.
    """

    rows: array[int] = field(default_factory=lambda: array("q"))
    models: array[int] = field(default_factory=lambda: array("i"))
    samples: array[int] = field(default_factory=lambda: array("i"))
    texts: list[str] = field(default_factory=list)
    places: array[int] = field(default_factory=lambda: array("q"))
    ids: list[str] = field(default_factory=list)
    others: dict[int, Prediction] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of predictions."""
        return len(self.rows)

    def add_prediction(
        self, row: int, model: int, prediction: Prediction, place: int, identifier: str = ""
    ) -> None:
        """Enter a prediction for a row.

        Args:
            row: number of the row.
            model: code of the model.
            prediction: the prediction.
            place: where it was read.
            identifier: id of the row, if it is known.
        """
        if not (plain := _is_plain(prediction)):
            self.others[len(self.rows)] = prediction
        self.rows.append(row)
        self.models.append(model)
        self.samples.append(prediction.sample)
        self.texts.append(prediction.replies[0] if plain else "")
        self.places.append(place)
        self.ids.append(identifier)

    def add_plain(
        self,
        rows: Sequence[int],
        models: Sequence[int],
        samples: Sequence[int],
        texts: Sequence[str],
        places: Iterable[int],
        ids: Sequence[str],
    ) -> None:
        """Enter predictions that are one reply each.

        Args:
            rows: numbers of the rows.
            models: codes of the models.
            samples: the sample indices.
            texts: the replies.
            places: where they were read.
            ids: ids of the rows.
        """
        self.rows.extend(rows)
        self.models.extend(models)
        self.samples.extend(samples)
        self.texts += texts
        self.places.extend(places)
        self.ids += ids

    def is_judged(self) -> Bools:
        """Return for each prediction whether it can be graded: it is no failure."""
        found = np.ones(len(self.rows), dtype=bool)
        found[[place for place, one in self.others.items() if one.failure is not None]] = False
        return found

    def prediction_at(self, place: int) -> Prediction:
        """Return the graded part of a prediction; its id and its model's name are not kept."""
        if (other := self.others.get(place)) is not None:
            return other
        return Prediction("", (self.texts[place],), self.samples[place])


def _is_plain(prediction: Prediction) -> bool:
    """Return whether a prediction is one reply without further facts."""
    return (
        len(prediction.replies) == 1
        and prediction.failure is None
        and not prediction.cut
        and prediction.spent is None
        and prediction.patterns is None
        and not prediction.reasons
        and not prediction.nulls
        and not prediction.later
        and not prediction.damage
        and prediction.refuse is None
    )
