"""Accounts in Django's administration. Every change is in the audit log."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin  # noqa: F401 - registers User, replaced below
from django.contrib.auth.models import User
from django.db.models import Field, QuerySet
from django.forms import Field as FormField
from django.forms import ModelForm
from django.http import HttpRequest
from django.urls import reverse
from django.utils.timezone import now

from core import audit
from core.accounts.services import password_links, sessions
from core.accounts.views.shared import log_mail_error, person

# The label and help text of each field that is changed.
FIELDS = {
    "is_active": (
        "Active",
        "An inactive account cannot sign in, its sessions end, and its API tokens do not work. "
        "What it owns stays.",
    ),
    "is_staff": (
        "Researcher",
        "Can also create studies and judgment sets; others submit metrics.",
    ),
    "is_superuser": ("Administrator", "Can do everything, and see these pages."),
}


class AccountAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Finds accounts by a part of their name or their whole e-mail address: part of an address
    finds nothing, and none is shown, since the account page promises that nobody sees it.

    Accounts are made by invitations and commands.
    """

    list_display = ("username", "is_active", "is_researcher", "is_administrator", "last_login")
    list_filter = ("is_active", "is_staff", "is_superuser")
    search_fields = ("username", "email__iexact")
    ordering = ("username",)
    readonly_fields = (
        *("username", "has_email", "has_password", "date_joined", "last_login"),
        *("valid_tokens", "browsers"),
    )
    fields = (*FIELDS, *readonly_fields)
    actions = ("end_sessions", "send_password_links", "show_password_links")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Nobody locks themselves out."""
        return obj is None or obj != request.user

    def formfield_for_dbfield(
        self, db_field: Field[Any, Any], request: HttpRequest, **options: object
    ) -> FormField | None:
        label, help_text = FIELDS[db_field.name]
        options |= {"label": label, "help_text": help_text}
        return super().formfield_for_dbfield(db_field, request, **options)

    def save_model(
        self, request: HttpRequest, obj: User, form: ModelForm[User], change: bool
    ) -> None:
        super().save_model(request, obj, form, change)
        if not obj.is_active:
            sessions.end_others(obj, None)
        if form.changed_data:
            before = {name: form.initial[name] for name in form.changed_data}
            after = {name: form.cleaned_data[name] for name in form.changed_data}
            audit.record(person(request), "account.changed", obj, before, after)

    @admin.display(boolean=True, description="researcher", ordering="is_staff")
    def is_researcher(self, user: User) -> bool:
        return user.is_staff

    @admin.display(boolean=True, description="administrator", ordering="is_superuser")
    def is_administrator(self, user: User) -> bool:
        return user.is_superuser

    @admin.display(boolean=True, description="e-mail address")
    def has_email(self, user: User) -> bool:
        return bool(user.email)

    @admin.display(boolean=True, description="password")
    def has_password(self, user: User) -> bool:
        return user.has_usable_password()

    @admin.display(description="valid API tokens")
    def valid_tokens(self, user: User) -> int:
        return user.api_tokens.filter(revoked_at=None, expires_at__gt=now()).count()

    @admin.display(description="signed in with")
    def browsers(self, user: User) -> str:
        return ", ".join(one.device for one in sessions.sign_ins(user, at=now()))

    @admin.action(description="End sessions")
    def end_sessions(self, request: HttpRequest, users: QuerySet[User]) -> None:
        for user in users:
            ended = sessions.end_others(user, request.session.session_key)
            after = {"sessions": ended}
            audit.record(person(request), "account.sessions ended", user, after=after)
            messages.success(request, f"Sessions of {user} ended: {ended}.")

    @admin.action(description="Send a link for a new password")
    def send_password_links(self, request: HttpRequest, users: QuerySet[User]) -> None:
        for user in users:
            if not user.email:
                messages.error(
                    request, f"The account {user} has no e-mail address. Show the link instead."
                )
            elif link := self._password_link(request, user, is_sent=True):
                try:
                    protocol, domain = request.scheme or "", request.get_host()
                    password_links.send(user, link, protocol=protocol, domain=domain)
                except OSError:
                    log_mail_error()
                    messages.error(request, "The e-mail could not be sent. Show the link instead.")
                else:
                    messages.success(request, f"The link was sent to the e-mail address of {user}.")

    @admin.action(description="Show a link for a new password")
    def show_password_links(self, request: HttpRequest, users: QuerySet[User]) -> None:
        for user in users:
            if link := self._password_link(request, user, is_sent=False):
                path = reverse("password_reset_confirm", args=[link.uid, link.token])
                messages.success(
                    request,
                    f"Send this link to {user}, who chooses a password with it, once: "
                    f"{request.build_absolute_uri(path)}",
                )

    def _password_link(
        self, request: HttpRequest, user: User, *, is_sent: bool
    ) -> password_links.PasswordLink | None:
        """A link that expires as those of forgotten passwords do; None, with a message, for an
        administrator, since one cannot take over another, and for an inactive account."""
        if user.is_superuser or not user.is_active:
            which = "an administrator" if user.is_superuser else "inactive"
            messages.error(request, f"There is no link, because {user} is {which}.")
            return None
        after = {"sent by e-mail": is_sent}
        audit.record(person(request), "account.password link made", user, after=after)
        return password_links.PasswordLink.of(user)


admin.site.unregister(User)
admin.site.register(User, AccountAdmin)
