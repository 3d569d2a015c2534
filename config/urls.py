"""All addresses of the site."""

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import include, path

from accounts.views.signing_in import SignIn

handler400 = "benchmarks.views.site.bad_request"
handler403 = "benchmarks.views.site.forbidden"
handler404 = "benchmarks.views.site.not_found"
handler500 = "rest.faults.server_error"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("sign-in/", SignIn.as_view(), name="sign-in"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("", include("accounts.urls")),
    path("api/v1/", include("config.api_urls")),
    path("webhooks/", include("webhooks.urls")),
    path("", include("audit.urls")),
    path("", include("annotation.urls")),
    path("", include("benchmarks.urls")),
]
