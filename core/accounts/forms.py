"""Forms for accounts, API tokens, invitations and members."""

from __future__ import annotations

from typing import TypeVar, Unpack

from django import forms
from django.contrib import messages
from django.contrib.auth.forms import BaseUserCreationForm, PasswordResetForm
from django.contrib.auth.models import User
from django.http import HttpRequest, QueryDict
from kombu.exceptions import OperationalError

from core.accounts.inputs import GiveRole, InviteMember, NewInvitation, NewToken
from core.accounts.roles import Role
from core.accounts.tasks import send_password_links
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions

Given = TypeVar("Given", bound=GiveRole)
EXPIRIES = {"7": "a week", "30": "30 days", "90": "90 days", "365": "a year"}


class NewAccountForm(BaseUserCreationForm):  # type: ignore[type-arg]
    """A user name, an e-mail address for password resets, and a password twice."""

    email = forms.EmailField(
        label="E-mail",
        required=False,
        help_text="For resetting your password.",
    )

    class Meta:
        model = User
        fields = ("username", "email")
        labels = {"username": "User name"}
        help_texts = {"username": "Letters, digits and @ . + - _. Other members see it."}

    def clean_username(self) -> str:
        """The name; it must differ from all others in more than upper and lower case."""
        name: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=name).exists():
            raise forms.ValidationError("This user name is taken. Choose another one.")
        return name


class EmailForm(forms.Form):
    email = forms.EmailField(label="E-mail", required=False)


class TokenForm(DataclassForm[NewToken]):
    """An API token's name, scopes and lifetime."""

    chosen = ("days",)
    help_texts = {"name": "For example the program that uses it.", "days": ""}

    def __init__(self, data: QueryDict | None = None, **options: Unpack[FormOptions]) -> None:
        super().__init__(data, **options)
        self.set_choices("days", EXPIRIES.items())


LINK_HELP = "The link is sent to this address. Leave it empty to send the link yourself."


class InviteForm(DataclassForm[NewInvitation]):
    """An invitation to an account."""

    help_texts = {"email": LINK_HELP}


class MemberForm(DataclassForm[Given]):
    """The role of a new member."""

    def __init__(self, data: QueryDict | None = None, **options: Unpack[FormOptions]) -> None:
        super().__init__(data, **options)
        role = self.fields["role"]
        role.initial = Role.VIEWER
        role.widget.attrs["id"] = f"{self.prefix or 'member'}-role"

    def selected_role(self) -> Role:
        return Role(self.cleaned_data["role"])


class AddMemberForm(MemberForm[GiveRole]):
    username = forms.CharField(label="User name", max_length=150)

    field_order = ("username", "role")

    def clean_username(self) -> User:
        user = User.objects.filter(username=self.cleaned_data["username"], is_active=True).first()
        if user is None:
            raise forms.ValidationError("No account has this name. Send an invitation instead.")
        return user


class InviteMemberForm(MemberForm[InviteMember]):
    help_texts = {"email": LINK_HELP}
    field_order = ("email", "role")


class ForgottenPasswordForm(PasswordResetForm):
    """Sends the e-mails by a task, also where no account has the address."""

    # Django's has options for its e-mail, which the task does not need.
    def save(self, *, request: HttpRequest, **options: object) -> None:  # type: ignore[override]
        users = [user.pk for user in self.get_users(self.cleaned_data["email"])]
        try:
            send_password_links.delay(users, request.scheme or "", request.get_host())
        except OperationalError:
            messages.error(request, "No e-mail can be sent at the moment. Ask for it again later.")
