"""What people fill in about their account, and to invite others."""

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
    """A name, an address for a new password, and a password twice."""

    email = forms.EmailField(
        label="E-mail",
        required=False,
        help_text="Where a link for a new password goes, should you forget yours.",
    )

    class Meta:
        model = User
        fields = ("username", "email")
        labels = {"username": "Name"}
        help_texts = {"username": "Letters, digits and @ . + - _; colleagues see it."}

    def clean_username(self) -> str:
        """Names that differ in case alone would be taken for each other."""
        name: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=name).exists():
            raise forms.ValidationError("This name is taken. Choose another one.")
        return name


class EmailForm(forms.Form):
    email = forms.EmailField(label="E-mail", required=False)


class TokenForm(forms.Form):
    """A token's name, what it may do, and for how long."""

    name = forms.CharField(
        label="Name", max_length=100, help_text="What it is for, such as the program that uses it."
    )
    scopes = forms.MultipleChoiceField(
        label="It may",
        choices=[(scope, f"{scope}: {meaning}") for scope, meaning in SCOPES.items()],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one: a token without any opens nothing."},
    )
    days = forms.ChoiceField(label="It works for", choices=list(EXPIRIES.items()), initial="90")

    def lifetime(self) -> timedelta:
        return timedelta(days=int(self.cleaned_data["days"]))


class InviteForm(forms.Form):
    """Somebody to be invited to an account."""

    site_role = forms.ChoiceField(
        label="As",
        choices=[(one.value, one.value) for one in SiteRole],
        help_text="; ".join(f"a {one.value} {one.meaning}" for one in SiteRole).capitalize() + ".",
    )
    email = forms.EmailField(
        label="E-mail",
        required=False,
        help_text="The link is sent there. Without one, you pass the link on yourself.",
    )


class MemberForm(forms.Form):
    """An account, or an e-mail address, that gets a role."""

    role = forms.ChoiceField(
        label="Role",
        choices=[(role.value, role.value) for role in Role],
        initial=Role.VIEWER,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["role"].widget.attrs["id"] = f"{self.prefix or 'member'}-role"

    def chosen(self) -> Role:
        return Role(self.cleaned_data["role"])


class AddMemberForm(MemberForm):
    username = forms.CharField(label="Account", max_length=150, help_text="Its name.")

    field_order = ("username", "role")

    def clean_username(self) -> User:
        found = User.objects.filter(username=self.cleaned_data["username"], is_active=True).first()
        if found is None:
            raise forms.ValidationError("There is no account of that name. Invite them instead.")
        return found


class InviteMemberForm(MemberForm):
    email = forms.EmailField(
        label="E-mail",
        required=False,
        help_text="The link is sent there. Without one, you pass the link on yourself.",
    )

    field_order = ("email", "role")
