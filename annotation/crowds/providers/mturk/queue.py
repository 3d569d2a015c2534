"""An SQS queue by its address, with boto3's credentials."""

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
    session,
    unreadable_credentials,
)
from annotation.crowds.providers.provider import AccountError, CrowdBusyError, CrowdError

MOST_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Message:
    """A message's text, and the handle by which this delivery of it is deleted."""

    body: str
    handle: str


class Queue:
    """Reads what waits; a message that is not deleted comes again."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._boto: Any = None

    def messages(self) -> Iterator[Message]:
        """What waits now. Raises CrowdError."""
        for _ in range(MOST_ROUNDS):
            answer = self._ask("receive_message", MaxNumberOfMessages=10)
            rows = answer.get("Messages", ())
            if not rows:
                return
            for row in rows:
                yield Message(row["Body"], row["ReceiptHandle"])

    def check(self) -> None:
        """Raises CrowdError where there is no such queue, or it may not be read."""
        self._ask("get_queue_attributes", AttributeNames=["QueueArn"])

    def delete(self, message: Message) -> None:
        self._ask("delete_message", ReceiptHandle=message.handle)

    def _ask(self, operation: str, **given: Any) -> dict[str, Any]:
        from botocore import exceptions

        try:
            answer: dict[str, Any] = getattr(self._client(), operation)(
                QueueUrl=self.address, **given
            )
            return answer
        except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
            raise AccountError("There are no AWS credentials for the queue.") from error
        except unreadable_credentials() as error:
            raise AccountError(f"The credentials for the queue cannot be used: {error}") from error
        except exceptions.ClientError as error:
            answer = error.response
            code = str(answer.get("Error", {}).get("Code", "")).rpartition(".")[2].lower()
            status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            kind = CrowdBusyError if code in BUSY or status >= SERVER_ERROR else CrowdError
            raise kind(
                f"The queue {self.address} cannot be read: {error}. See that it is there, and that "
                "these credentials may read it and delete from it."
            ) from error
        except (exceptions.BotoCoreError, ValueError) as error:
            raise CrowdBusyError(f"The queue {self.address} does not answer: {error}") from error

    def _client(self) -> Any:
        if self._boto is None:
            parts = urlsplit(self.address)
            # A queue may be in another region, which its host names: sqs.eu-west-1.amazonaws.com
            named = re.match(r"sqs\.([a-z0-9-]+)\.amazonaws\.com", parts.hostname or "")
            self._boto = session().client(
                "sqs",
                region_name=named[1] if named else REGION,
                endpoint_url=f"{parts.scheme}://{parts.netloc}",
            )
        return self._boto
