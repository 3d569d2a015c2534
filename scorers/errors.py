"""The exceptions that this package raises to its callers."""


class MetricError(ValueError):
    """A metric or one of its options does not exist, or an option's value is invalid."""


class JavaError(RuntimeError):
    """A Java helper process failed, even after a restart."""


class ModelError(RuntimeError):
    """A model cannot be loaded or run: it is missing, damaged or too big for its device."""


class EncoderError(ModelError):
    """An encoder is missing, has unexpected weights, or is too big for its device."""


class CheckpointError(ModelError):
    """A checkpoint is missing, damaged or of the wrong kind."""


class TrainingError(RuntimeError):
    """A training cannot start or finish."""


class FileError(ValueError):
    """A file cannot be read or written; the message names file, line and field."""
