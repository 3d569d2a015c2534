"""URLs of administrators' page of the accounts at crowd platforms."""

from django.urls import path

from annotation.crowds.views import accounts

urlpatterns = [
    path("", accounts.crowd_accounts, name="crowd-accounts"),
    path("<str:provider>/enter", accounts.enter, name="crowd-account-enter"),
    path("<int:pk>/test", accounts.test, name="crowd-account-test"),
    path("<int:pk>/remove", accounts.remove, name="crowd-account-remove"),
]
