"""URLs of accounts, invitations and password resets."""

from django.contrib.auth import views as auth
from django.urls import path

from core.accounts.forms import ForgottenPasswordForm
from core.accounts.views import account, inviting
from core.security.declarations import costs

urlpatterns = [
    path("account/", account.account, name="account"),
    path("account/email", account.change_email, name="account-email"),
    path("account/password/", account.ChangePassword.as_view(), name="change-password"),
    path("account/tokens", account.make_token, name="make-token"),
    path("account/tokens/<int:pk>/revoke", account.revoke_token, name="revoke-token"),
    path("account/sessions/<int:pk>/end", account.end_session, name="end-session"),
    path("account/sessions/end-others", account.end_other_sessions, name="end-other-sessions"),
    path("account/invitations/", inviting.invite, name="invitations"),
    path("account/invitations/<int:pk>/withdraw", inviting.withdraw, name="withdraw-invitation"),
    path("invitation/<str:signed>/", inviting.accept, name="invitation"),
    path("sign-up/", inviting.sign_up, name="sign-up"),
    path(
        "new-password/",
        costs("password-reset")(auth.PasswordResetView).as_view(
            template_name="accounts/forgot_password.html", form_class=ForgottenPasswordForm
        ),
        name="password_reset",
    ),
    path(
        "new-password/sent/",
        auth.PasswordResetDoneView.as_view(template_name="accounts/password_mail_sent.html"),
        name="password_reset_done",
    ),
    path(
        "new-password/<uidb64>/<token>/",
        auth.PasswordResetConfirmView.as_view(template_name="accounts/new_password.html"),
        name="password_reset_confirm",
    ),
    path(
        "new-password/done/",
        auth.PasswordResetCompleteView.as_view(template_name="accounts/password_is_new.html"),
        name="password_reset_complete",
    ),
]
