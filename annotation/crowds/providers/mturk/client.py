"""The one door to boto3: where to, with whose credentials, and what an error means.

Credentials come from boto3's own chain and are never looked at here. The region is pinned: boto3
would build a host that never existed for any other.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from annotation.crowds.providers.provider import AccountError, CrowdBusyError, CrowdError

REGION = "us-east-1"
SANDBOX, PRODUCTION = "sandbox", "production"
ENDPOINTS = {
    SANDBOX: "https://mturk-requester-sandbox.us-east-1.amazonaws.com",
    PRODUCTION: "https://mturk-requester.us-east-1.amazonaws.com",
}
BUSY = {
    "throttling",
    "throttlingexception",
    "throttledexception",
    "toomanyrequestsexception",
    "requestlimitexceeded",
    "slowdown",
    "servicefault",
    "serviceunavailable",
    "internalfailure",
    "internalservererror",
}
ACCOUNT = {
    "accessdenied",
    "accessdeniedexception",
    "expiredtoken",
    "expiredtokenexception",
    "incompletesignature",
    "invalidclienttokenid",
    "invalidsignatureexception",
    "missingauthenticationtoken",
    "missingauthenticationtokenexception",
    "optinrequired",
    "signaturedoesnotmatch",
    "unrecognizedclientexception",
}
SERVER_ERROR = 500
ID = re.compile(r"\b[A-Z0-9]{20,64}\b")


def canonical(place: str) -> str:
    """A place by its name where its address was given: production is production however it is
    spelt."""
    named = {address: name for name, address in ENDPOINTS.items()}
    return named.get(place.strip().rstrip("/").lower().replace("http://", "https://", 1), place)


@functools.cache
def _models() -> Any:
    """boto3's service models, read from disk once in a process: a tenth of a second each time."""
    import botocore.session

    return botocore.session.Session().get_component("data_loader")


def session() -> Any:
    """A fresh session of boto3: credentials are looked for anew, and may have been renewed."""
    import boto3
    import botocore.session

    inner = botocore.session.Session()
    inner.register_component("data_loader", _models())
    return boto3.session.Session(botocore_session=inner)


class TurkError(CrowdError):
    """A request that MTurk refused. `code` is its own code without prefix, in lower case."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"Mechanical Turk says: {message}")
        self.code = code.rpartition(".")[2].lower()
        self.said = message

    @property
    def named_id(self) -> str:
        """The id that the message names, as HitAlreadyExists does; empty where it names none."""
        found = ID.findall(self.said)
        return found[0] if len(found) == 1 else ""


class Client:
    """boto3's client for one place, its errors turned into ours. Safe to share among threads."""

    def __init__(self, place: str) -> None:
        self.endpoint = ENDPOINTS.get(place, place)
        self._boto: Any = None

    def __call__(self, operation: str, **given: Any) -> dict[str, Any]:
        """One request, not retried here: the outbox decides when to ask again."""
        from botocore import exceptions

        try:
            answer: dict[str, Any] = getattr(self._client(), operation)(**given)
            return answer
        except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
            raise AccountError(
                "There are no AWS credentials. Give them to the process in one of boto3's ways: "
                "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role."
            ) from error
        except exceptions.ClientError as error:
            raise understood(error) from error
        except exceptions.ParamValidationError as error:
            raise CrowdError(f"boto3 refuses the request: {error}") from error
        except unreadable_credentials() as error:
            raise AccountError(
                f"The AWS credentials cannot be used: {error} Renew them, or sign in anew."
            ) from error
        except exceptions.BotoCoreError as error:  # not reached, cut off, too slow
            raise CrowdBusyError(f"{self.endpoint} does not answer: {error}") from error

    def pages(self, operation: str, field: str, **given: Any) -> Any:
        """Every item of a listing operation, page after page."""
        token: dict[str, str] = {}
        while True:
            answer = self(operation, MaxResults=100, **given, **token)
            yield from answer.get(field, ())
            if not answer.get("NextToken"):
                return
            token = {"NextToken": answer["NextToken"]}

    def _client(self) -> Any:
        if self._boto is None:
            from botocore.config import Config

            self._boto = session().client(
                "mturk",
                region_name=REGION,
                endpoint_url=self.endpoint,
                config=Config(
                    retries={"total_max_attempts": 1}, connect_timeout=10, read_timeout=30
                ),
            )
        return self._boto


@functools.cache
def unreadable_credentials() -> tuple[type[Exception], ...]:
    """What boto3 raises where credentials are there and cannot be used: no waiting helps."""
    from botocore import exceptions

    return (
        exceptions.ConfigParseError,
        exceptions.CredentialRetrievalError,
        exceptions.InvalidConfigError,
        exceptions.LoginError,
        exceptions.NoAuthTokenError,
        exceptions.ProfileNotFound,
        exceptions.RefreshWithMFAUnsupportedError,
        exceptions.SSOError,
        exceptions.TokenRetrievalError,
        exceptions.UnknownCredentialError,
    )


def understood(error: Any) -> CrowdError:
    """What a ClientError of boto3 means to us."""
    answer = error.response
    code = answer.get("Error", {}).get("Code", "") or ""
    said = answer.get("Error", {}).get("Message", "") or answer.get("Message", "") or code
    plain = code.rpartition("#")[2].lower()
    status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if plain in BUSY or status >= SERVER_ERROR:
        return CrowdBusyError(f"Mechanical Turk asks to wait: {said}")
    if plain in ACCOUNT:
        return AccountError(
            f"Mechanical Turk does not take these credentials ({code}: {said}). Renew them, and "
            "see that they are of the account and place meant."
        )
    turk = answer.get("TurkErrorCode") or answer.get("Error", {}).get("TurkErrorCode") or code
    if turk.rpartition(".")[2].lower() == "insufficientfunds":
        return AccountError(f"The account's balance is too small: {said}. Add money to it.")
    return TurkError(turk, said)
