"""All URLs of the site."""

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import include, path

from config.documentation import views as documentation
from config.search import search
from core.accounts.views.signing_in import SignInView
from core.pages import branding, theme

handler400 = "core.pages.views.bad_request"
handler403 = "core.pages.views.forbidden"
handler404 = "core.pages.views.not_found"
handler500 = "core.rest.faults.server_error"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("sign-in/", SignInView.as_view(), name="sign-in"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("", include("core.accounts.urls")),
    path("search/", search, name="search"),
    path("", include("config.administration.urls")),
    path("theme/", theme.choose, name="theme"),
    path("site/logo", branding.logo, name="site-logo"),
    path("site/colours.css", branding.colours, name="site-colours"),
    path("docs/", documentation.documentation, name="docs"),
    path("docs/search.html", documentation.search, name="docs-search"),
    path("docs/<path:page>", documentation.documentation, name="docs-page"),
    path("api/v1/", include("config.api_urls")),
    path("webhooks/", include("core.webhooks.urls")),
    path("", include("config.monitoring.urls")),
    path("", include("core.audit.urls")),
    path("", include("annotation.urls")),
    path("", include("benchmarks.urls")),
]
