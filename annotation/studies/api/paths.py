"""Descriptions of the parameters in the URLs of the API over studies."""

from core.rest.schema import describe_path

describe_path("slug", "Short name of a study, as in its URL.", example="my-study")
describe_path("version", "Version of the protocol, from 1.", example=1)
describe_path("upload", "Number of an upload that has not been imported.", example=4)
describe_path("import_id", "Number of an import of candidates.", example=5)
describe_path("kind", "A stage: qualification, trial, full or second-look.", example="full")
describe_path("worker", "Pseudonym of a worker.", example="w-3f2a")
describe_path("number", "Number of a step of the ledger, from 1.", example=1)
describe_path("rating", "Number of a rating.", example=17)
describe_path("candidate", "Number of a candidate of the study.", example=5)
describe_path("message", "Number of a message.", example=2)
describe_path("publication", "Number of a publication at a crowd.", example=1)
describe_path("submitted", "Number of a submission at a crowd.", example=3)
describe_path("provider", "A crowd: mturk, prolific, link, local or files.", example="local")
