"""Descriptions of the path parameters of the API's URLs."""

from benchmarks.sets.models import REFERENCE
from core.rest.schema import describe_path

describe_path(
    "ref",
    "A judgment set: NAME is the latest version you may see, NAME@2 the second.",
    example="demo@1",
    pattern=f"^{REFERENCE.pattern.replace('?P<name>', '?:').replace('?P<version>', '?:')}$",
)
describe_path("run", "Number of a metric run of the set.", example=7)
describe_path("analysis", "Number of an analysis of the set.", example=3)
describe_path("submission", "Number of a submission to the set.", example=2)
describe_path("model_judge", "Number of a model judge of the set.", example=2)
describe_path("checkpoint", "Name of a trained or imported learned metric.", example="my-lerc")
describe_path("set_import", "Number of one of your imports.", example=7)
describe_path("freezing_id", "Number of a freezing of the study.", example=3)
