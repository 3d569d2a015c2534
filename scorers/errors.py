"""The exceptions callers of this library may meet; each marks one boundary."""


class MetricError(ValueError):
    """A metric was asked for that does not exist, or with options it does not have."""


class JavaError(RuntimeError):
    """A Java helper process could not do its work, even after it was started afresh."""


class ModelError(RuntimeError):
    """A model cannot be loaded or run: missing, damaged, unfit, or too big for its device."""


class EncoderError(ModelError):
    """An encoder cannot be found, is not what it should be, or does not fit the device."""


class CheckpointError(ModelError):
    """A learned metric's checkpoint is missing, damaged, or not of the kind asked for."""


class TrainingError(RuntimeError):
    """A training cannot start, go on, or end with weights."""
