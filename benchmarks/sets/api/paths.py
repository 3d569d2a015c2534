"""What the parts of the addresses are, said once."""

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
describe_path("tag", "Number of a reason given for a disagreement.", example=5)
describe_path("key", "Id of a candidate, as the set's file has it.", example="m-17")
describe_path("training", "Number of a training of yours.", example=4)
describe_path("checkpoint", "A learned metric that was trained or brought here.", example="my-lerc")
describe_path("set_import", "Number of an import of yours.", example=7)
describe_path("freezing_id", "Number of a freezing of the study.", example=3)
describe_path("tryout", "Number of a try-out of yours.", example=6)
