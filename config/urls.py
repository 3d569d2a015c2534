"""All addresses of the site."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path

handler400 = "benchmarks.views.site.bad_request"
handler403 = "benchmarks.views.site.forbidden"
handler404 = "benchmarks.views.site.not_found"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("sign-in/", LoginView.as_view(template_name="sign_in.html"), name="sign-in"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("api/v1/", include("config.api_urls")),
    path("webhooks/", include("webhooks.urls")),
    path("", include("annotation.urls")),
    path("", include("benchmarks.urls")),
]
