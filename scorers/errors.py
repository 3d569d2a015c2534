"""The exceptions callers of this library may meet; each marks one boundary."""


class MetricError(ValueError):
    """A metric was asked for that does not exist, or with options it does not have."""


class JavaError(RuntimeError):
    """A Java helper process could not do its work, even after it was started afresh."""
