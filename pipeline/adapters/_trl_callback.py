"""Connect a stream to TRL's GRPOTrainer: positions, groups, evaluation, checkpoints and checks."""

from __future__ import annotations

from typing import Any

from facelet.pipeline.adapters._stream_factory import Streamed, shows_pictures
from facelet.pipeline.adapters._stream_progress import TrainerSetup
from facelet.pipeline.optional_packages import import_optional

_trl = import_optional("trl", "trl")
_transformers = import_optional("transformers", "trl")

STATE = "facelet"
"""Key of a stream's state in the trainer's state."""


class TrainingCallback(_transformers.TrainerCallback):  # type: ignore[misc,name-defined]
    """Connects a stream to a GRPOTrainer: positions, groups, evaluation, checkpoints and checks."""

    def __init__(self, rows: object) -> None:
        """Store the rows.

        Args:
            rows: the stream that the trainer uses, or the dataset that `prompts` returns.
        """
        self._rows = rows

    def on_init_end(self, args: Any, state: Any, control: Any, **trainer: Any) -> None:
        """Check the trainer.

        Args:
            args: the trainer's arguments.
            state: its state.
            control: what it does next.
            trainer: its parts.

        Raises:
            ValueError: it is no GRPOTrainer; its processor cannot read the pictures of the rows; or
                it draws rows long before their rewards, and the sampler learns.
        """
        _check_processor(self._rows, trainer["processing_class"])
        if not isinstance(self._rows, Streamed):
            return
        if not isinstance(args, _trl.GRPOConfig):
            raise ValueError(
                f"TrainingCallback needs GRPOTrainer, not the trainer of {type(args).__name__}, "
                "which draws rows in another process; use sampler='uniform' without the callback"
            )
        progress, model = self._rows.progress, trainer["model"]
        generated = args.steps_per_generation * args.num_iterations
        if not progress.stream.is_steady and args.gradient_accumulation_steps > generated:
            raise ValueError(
                f"gradient_accumulation_steps={args.gradient_accumulation_steps} draws the rows of "
                f"several generation batches at once, before the rewards that select them; set "
                f"steps_per_generation to a multiple of it, or use sampler='uniform'"
            )
        args.ignore_data_skip = True  # the stream continues by itself
        group = args.num_generations
        progress.trainer = TrainerSetup(
            args.generation_batch_size // group,
            group,
            args.per_device_train_batch_size * args.steps_per_generation,
            lambda: model.training,
        )
        group = args.num_generations_eval or group
        size = args.per_device_eval_batch_size
        progress.evaluation.trainer = TrainerSetup(
            size // group or 1, group, size, lambda: not model.training
        )

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Start at the first row, or where the checkpoint ends.

        Args:
            args: the trainer's arguments.
            state: its state.
            control: what it does next.
            _: its parts.

        Raises:
            ValueError: the checkpoint has no state of the stream, or that of another one.
        """
        if not isinstance(self._rows, Streamed):
            return
        if not state.global_step:
            self._rows.progress.start_again()
        elif STATE not in state.stateful_callbacks:
            raise ValueError(
                "the checkpoint was saved without TrainingCallback(rows), so its position in the "
                "stream is unknown; start again, or train with another seed"
            )
        else:
            self._rows.progress.restore(state.stateful_callbacks[STATE])

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Put the state of the stream into that of the trainer, which checkpoints contain.

        Args:
            args: the trainer's arguments.
            state: its state.
            control: what it does next.
            _: its parts.
        """
        if isinstance(self._rows, Streamed):
            state.stateful_callbacks[STATE] = self._rows.progress.state()

    def on_evaluate(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Return to the first row of the evaluation, so that every evaluation has the same rows.

        Args:
            args: the trainer's arguments.
            state: its state.
            control: what it does next.
            _: its parts.
        """
        if isinstance(self._rows, Streamed):
            self._rows.progress.evaluation.start_again()


def _check_processor(rows: Any, processor: object) -> None:
    """Check that a processor can read the pictures of rows.

    Raises:
        ValueError: it reads text only, and the rows show pictures.
    """
    if streamed := isinstance(rows, Streamed):
        pictured = shows_pictures(rows)
    else:
        pictured = "images" in (rows.column_names or next(iter(rows)))
    if pictured and getattr(processor, "image_processor", None) is None:
        raise ValueError(
            f"{rows.tasks if streamed else 'the dataset'} shows pictures, and the processor of the "
            f"model, {type(processor).__name__}, reads text only: train a vision-language model "
            "(processing_class=AutoProcessor.from_pretrained(...)), or select rows without "
            "pictures (pictures=False, or a param of the task, such as setting='symbolic')"
        )
