"""An SQS queue, accessed with the credentials of Mechanical Turk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from annotation.crowds.providers.mturk.client import (
    BUSY,
    REGION,
    SERVER_ERROR,
    AwsAnswer,
    session,
    unusable_credentials,
)
from annotation.crowds.providers.provider import (
    AccountError,
    Credentials,
    CrowdBusyError,
    CrowdError,
)

MAX_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class QueueMessage:
    """A message's text, and the handle that deletes this delivery of it."""

    body: str
    handle: str


class Queue:
    """Reads waiting messages. A message that is not deleted is delivered again."""

    def __init__(self, address: str, credentials: Credentials | None = None) -> None:
        self.address = address
        self._credentials = credentials
        self._boto: Any = None  # boto3 has no types

    def messages(self) -> Iterator[QueueMessage]:
        """The messages that wait now. Raises CrowdError."""
        for _ in range(MAX_ROUNDS):
            answer = self._request("receive_message", MaxNumberOfMessages=10)
            rows = answer.get("Messages", ())
            if not rows:
                return
            for row in rows:
                yield QueueMessage(row["Body"], row["ReceiptHandle"])

    def check(self) -> None:
        """Raises CrowdError if the queue does not exist or may not be read."""
        self._request("get_queue_attributes", AttributeNames=["QueueArn"])

    def delete(self, message: QueueMessage) -> None:
        self._request("delete_message", ReceiptHandle=message.handle)

    def _request(self, operation: str, **parameters: object) -> AwsAnswer:
        from botocore import exceptions

        try:
            answer: AwsAnswer = getattr(self._client(), operation)(
                QueueUrl=self.address, **parameters
            )
            return answer
        except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
            raise AccountError("There are no AWS credentials for the queue.") from error
        except unusable_credentials() as error:
            raise AccountError(f"The credentials for the queue cannot be used: {error}") from error
        except exceptions.ClientError as error:
            answer = error.response
            code = str(answer.get("Error", {}).get("Code", "")).rpartition(".")[2].lower()
            status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            kind = CrowdBusyError if code in BUSY or status >= SERVER_ERROR else CrowdError
            raise kind(
                f"The queue {self.address} cannot be read: {error}. Check that it exists, and that "
                "these credentials may read and delete its messages."
            ) from error
        except (exceptions.BotoCoreError, ValueError) as error:
            raise CrowdBusyError(f"The queue {self.address} does not answer: {error}") from error

    def _client(self) -> Any:  # noqa: ANN401 - boto3 has no types
        if self._boto is None:
            parts = urlsplit(self.address)
            # The queue's host names its region: sqs.eu-west-1.amazonaws.com
            region_match = re.match(r"sqs\.([a-z0-9-]+)\.amazonaws\.com", parts.hostname or "")
            self._boto = session(self._credentials).client(
                "sqs",
                region_name=region_match[1] if region_match else REGION,
                endpoint_url=f"{parts.scheme}://{parts.netloc}",
            )
        return self._boto
