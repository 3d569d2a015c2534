"""Forms for accounts, API tokens, invitations and members."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import User

from core.accounts.roles import Role, SiteRole
from core.accounts.tokens import SCOPES

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


class TokenForm(forms.Form):
    """An API token's name, scopes and lifetime."""

    name = forms.CharField(
        label="Name", max_length=100, help_text="For example the program that uses it."
    )
    scopes = forms.MultipleChoiceField(
        label="Scopes",
        choices=[(scope, f"{scope}: {meaning}") for scope, meaning in SCOPES.items()],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one scope."},
    )
    days = forms.ChoiceField(label="Expires after", choices=list(EXPIRIES.items()), initial="90")

    def lifetime(self) -> timedelta:
        return timedelta(days=int(self.cleaned_data["days"]))


class InviteForm(forms.Form):
    """An invitation to an account."""

    site_role = forms.ChoiceField(
        label="Site role",
        choices=[(one.value, one.value) for one in SiteRole],
        help_text=" ".join(f"A {one.value} {one.meaning}." for one in SiteRole),
    )
    email = forms.EmailField(
        label="E-mail",
        required=False,
        help_text="The link is sent to this address. Leave it empty to send the link yourself.",
    )


class MemberForm(forms.Form):
    """The role of a new member."""

    role = forms.ChoiceField(
        label="Role",
        choices=[(role.value, role.value) for role in Role],
        initial=Role.VIEWER,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["role"].widget.attrs["id"] = f"{self.prefix or 'member'}-role"

    def selected_role(self) -> Role:
        return Role(self.cleaned_data["role"])


class AddMemberForm(MemberForm):
    username = forms.CharField(label="User name", max_length=150)

    field_order = ("username", "role")

    def clean_username(self) -> User:
        user = User.objects.filter(username=self.cleaned_data["username"], is_active=True).first()
        if user is None:
            raise forms.ValidationError("No account has this name. Send an invitation instead.")
        return user


class InviteMemberForm(MemberForm):
    email = forms.EmailField(
        label="E-mail",
        required=False,
        help_text="The link is sent to this address. Leave it empty to send the link yourself.",
    )

    field_order = ("email", "role")
