from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Accounts: roles, invitations, API tokens, sessions."""

    name = "core.accounts"

    def ready(self) -> None:
        from core.accounts import signing_in

        signing_in.connect()
