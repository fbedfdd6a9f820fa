"""Options of the trainings of the demo models, and word errors of the published models. ADR 70 and 71 have the reasons."""

from dataclasses import dataclass

_PREPARE = ("--replaced-share", "0.12", "--invented-share", "0.6")
_TRAIN = (
    "--rate", "8e-4", "--warmup-steps", "200", "--short-share", "0.01", "--change-share", "0.02", "--calm-share", "0.35",
    "--dropped-merges", "0.05", "--batch-seconds", "600", "--longest", "12",
)
# Commit with the checkpoints with which the trainings started.
_COMMIT = "b01b681a634f062affd10ac5801eeb01d4db734b"


@dataclass(frozen=True)
class Training:
    """A training of the demo model of one language. Its repetitions differ only in their seeds."""

    language: str
    start: str  # checkpoint with which the training starts: COMMIT:PATH
    prepare: tuple  # options of `prepare` for the training
    train: tuple  # options of `train`
    word_errors: float  # of the published model in PyTorch, for voices of espeak-ng, in percent
    evaluation: tuple = ()  # options of `prepare` for the evaluation


# The numbers of steps are those of the trainings in ADR 70. The numbers of shards give about the same hours of speech.
TRAININGS = {
    training.language: training
    for training in (
        Training(
            "ki",
            f"{_COMMIT}:training/checkpoints/kikuyu.pt",
            (*_PREPARE, "--shards", "420", "--real-share", "0.5", "--domain-share", "0.5"),
            (*_TRAIN, "--steps", "10280"),
            10.9,
        ),
        Training(
            "luo",
            f"{_COMMIT}:training/checkpoints/dholuo.pt",
            (*_PREPARE, "--shards", "850", "--real-share", "0.65", "--domain-share", "0.4"),
            (*_TRAIN, "--steps", "20700"),
            14.3,
        ),
    )
}
