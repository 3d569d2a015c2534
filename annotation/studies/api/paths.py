"""Descriptions of the parameters in the URLs of the API over studies."""

from core.rest.schema import describe_path

describe_path("slug", "Short name of a study, as in its URL.", example="my-study")
describe_path("upload", "Number of an upload that has not been imported.", example=4)
describe_path("import_id", "Number of an import of candidates.", example=5)
describe_path("kind", "A stage: qualification, trial, full or second-look.", example="full")
describe_path("publication", "Number of a publication at a crowd.", example=1)
describe_path("provider", "A crowd: mturk, prolific or link.", example="link")
