"""Access to boto3: endpoints, credentials and the meaning of errors.

boto3 finds the credentials itself, unless some were entered on a page. The region is fixed, because
boto3 would build a host that does not exist for any other.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

from annotation.crowds.providers.provider import (
    AccountError,
    Credentials,
    CrowdBusyError,
    CrowdError,
)

REGION = "us-east-1"
KEY, SECRET = "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"
CREDENTIALS = {KEY: "the key of your account at the service", SECRET: "its secret"}
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


def canonical_environment(environment: str) -> str:
    """The name of an environment that was given by its URL, so that every spelling of production is
    recognised as production."""
    names = {address: name for name, address in ENDPOINTS.items()}
    return names.get(
        environment.strip().rstrip("/").lower().replace("http://", "https://", 1), environment
    )


@functools.cache
def _models() -> Any:  # noqa: ANN401 - boto3 has no types
    """boto3's service models, read once per process: reading them takes 0.1 seconds."""
    import botocore.session

    return botocore.session.Session().get_component("data_loader")


def session(
    credentials: Credentials | None = None,
) -> Any:  # noqa: ANN401 - boto3 has no types
    """Make a boto3 session with these credentials; without them it looks for some anew, because
    they may have been renewed."""
    import boto3
    import botocore.session

    inner = botocore.session.Session()
    inner.register_component("data_loader", _models())
    if credentials is None:
        return boto3.session.Session(botocore_session=inner)
    known = credentials()
    return boto3.session.Session(known[KEY], known[SECRET], botocore_session=inner)


def has_credentials() -> bool:
    """Whether boto3 finds credentials in the environment or in a file.

    The role of a machine is not looked for: that takes seconds on machines that have none.
    """
    import botocore.exceptions
    import botocore.session

    finder = botocore.session.Session().get_component("credential_provider")
    for network in ("iam-role", "container-role"):
        finder.remove(network)
    try:
        return finder.load_credentials() is not None
    except botocore.exceptions.BotoCoreError:  # a file that cannot be read, or half of a key
        return False


# An answer of AWS, or a part of it, as boto3 returns it.
AwsAnswer = dict[str, Any]


class MTurkError(CrowdError):
    """A request that MTurk refused. `code` is MTurk's code without prefix, in lower case."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"Mechanical Turk says: {message}")
        self.code = code.rpartition(".")[2].lower()
        self.message = message

    @property
    def named_id(self) -> str:
        """The id in the message, as in HitAlreadyExists; empty if there is not exactly one."""
        ids = ID.findall(self.message)
        return ids[0] if len(ids) == 1 else ""


class MTurkClient:
    """boto3's client for one environment, with translated errors. Safe to share among threads."""

    def __init__(self, environment: str) -> None:
        self.endpoint = ENDPOINTS.get(environment, environment)
        self.credentials: Credentials | None = None
        self._boto: Any = None  # boto3 has no types

    def __call__(self, operation: str, **parameters: object) -> AwsAnswer:
        """Make one request without retrying it: the outbox decides when to retry."""
        from botocore import exceptions

        try:
            answer: AwsAnswer = getattr(self._client(), operation)(**parameters)
            return answer
        except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
            raise AccountError(
                "There are no AWS credentials. An administrator enters them on the page Crowd "
                "accounts, or provides them in a way that boto3 supports: AWS_ACCESS_KEY_ID and "
                "AWS_SECRET_ACCESS_KEY, a profile, or a role."
            ) from error
        except exceptions.ClientError as error:
            raise translate_error(error) from error
        except exceptions.ParamValidationError as error:
            raise CrowdError(f"boto3 rejects the request: {error}") from error
        except unusable_credentials() as error:
            raise AccountError(
                f"The AWS credentials cannot be used: {error} Renew them or sign in again."
            ) from error
        except exceptions.BotoCoreError as error:  # not reached, cut off, too slow
            raise CrowdBusyError(f"{self.endpoint} does not answer: {error}") from error

    def pages(self, operation: str, field: str, **parameters: object) -> Iterator[AwsAnswer]:
        """Yield every item of a paginated operation."""
        token: dict[str, str] = {}
        while True:
            answer = self(operation, MaxResults=100, **parameters, **token)
            yield from answer.get(field, ())
            if not answer.get("NextToken"):
                return
            token = {"NextToken": answer["NextToken"]}

    def _client(self) -> Any:  # noqa: ANN401 - boto3 has no types
        if self._boto is None:
            from botocore.config import Config

            self._boto = session(self.credentials).client(
                "mturk",
                region_name=REGION,
                endpoint_url=self.endpoint,
                config=Config(
                    retries={"total_max_attempts": 1}, connect_timeout=10, read_timeout=30
                ),
            )
        return self._boto


@functools.cache
def unusable_credentials() -> tuple[type[Exception], ...]:
    """boto3's exceptions for credentials that exist but cannot be used. Waiting does not help."""
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


def translate_error(error: Any) -> CrowdError:  # noqa: ANN401 - boto3 has no types
    """Translate a ClientError of boto3."""
    answer = error.response
    code = answer.get("Error", {}).get("Code", "") or ""
    message = answer.get("Error", {}).get("Message", "") or answer.get("Message", "") or code
    plain_code = code.rpartition("#")[2].lower()
    status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if plain_code in BUSY or status >= SERVER_ERROR:
        return CrowdBusyError(f"Mechanical Turk is busy: {message}")
    if plain_code in ACCOUNT:
        return AccountError(
            f"Mechanical Turk rejects these credentials ({code}: {message}). Renew them and "
            "check that they belong to the intended account and environment."
        )
    turk = answer.get("TurkErrorCode") or answer.get("Error", {}).get("TurkErrorCode") or code
    if turk.rpartition(".")[2].lower() == "insufficientfunds":
        return AccountError(f"The account's balance is too small: {message}. Add money to it.")
    return MTurkError(turk, message)
