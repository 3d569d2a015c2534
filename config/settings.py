"""Settings, read from environment variables. Without any, the embedded servers are used.

The comment above each variable is its entry in docs/reference/settings.md, which `manage.py
settings_reference` generates. A comment `# -- Title --` begins a section there.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import warnings
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from environs import FileAwareEnv, ValidationError, validate
from kombu import Queue

from config.embedded.paths import ServerPaths
from core.jobs.queues import JOBS, QUEUES
from core.pages.branding import check_logo
from core.pages.contrast import check_accent

env = FileAwareEnv(strip_whitespace=True)
BASE_DIR = Path(__file__).resolve().parent.parent

# -- Servers and folders --
# Folder for the data of the embedded servers, logs, and generated keys; `var` in the checkout by
# default.
VAR_DIR = Path(env.str("CONCORD_VAR", str(BASE_DIR / "var"))).resolve()
EMBEDDED_PATHS = ServerPaths(VAR_DIR)

# URL of a PostgreSQL server to use instead of the embedded one:
# postgresql://user:password@host/name.
DATABASE_URL = env.str("DATABASE_URL", "")
# URL of a Redis or RabbitMQ server to use instead of the embedded Redis: redis://host:6379/0 or
# amqp://user:password@host//.
BROKER_URL = env.str("BROKER_URL", "")
EMBEDDED = not (DATABASE_URL and BROKER_URL)


MIN_KEY_CHARS = 32  # a guessed key signs links and reads all identities


def _generated_secret(name: str) -> str:
    """A generated secret, created at the first start and stored under var/.

    It is on the disk before anything is signed or encrypted with it. Raises ImproperlyConfigured
    if the file was damaged.
    """
    file = VAR_DIR / name
    if not file.exists():
        VAR_DIR.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(f".{secrets.token_hex(4)}")
        unfinished.touch(mode=0o600)
        with unfinished.open("w") as opened:
            opened.write(secrets.token_urlsafe(50))
            opened.flush()
            os.fsync(opened.fileno())
        with contextlib.suppress(FileExistsError):  # another process was first
            file.hardlink_to(unfinished)
        unfinished.unlink()
        folder = os.open(VAR_DIR, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
    secret = file.read_text().strip()
    if len(secret) < MIN_KEY_CHARS:
        raise ImproperlyConfigured(
            f"{file} is damaged: it has {len(secret)} characters, and a key has at least "
            f"{MIN_KEY_CHARS}. Restore it from a backup. If there is none, delete it; what was "
            "signed or encrypted with it is lost."
        )
    return secret


def _check_keys(keys: str | list[str]) -> None:
    stored = keys if isinstance(keys, list) else [keys]
    if any(0 < len(key.strip()) < MIN_KEY_CHARS for key in stored):
        raise ValidationError(
            f"A key needs at least {MIN_KEY_CHARS} characters. "
            "Create one: python -c 'import secrets; print(secrets.token_urlsafe(50))'"
        )


# -- Keys --
# Key of at least 32 characters that signs sessions and links, and encrypts the secrets of webhooks
# and the keys of model judges. The same on all machines. Required with DATABASE_URL; otherwise it
# is generated once and stored in CONCORD_VAR.
SECRET_KEY = env.str("SECRET_KEY", "", validate=_check_keys) or _generated_secret("secret_key")
# Older values of SECRET_KEY, whose signatures and encrypted secrets stay valid.
SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", [])
# Keys of at least 32 characters that encrypt the identities of raters, newest first. Required when
# several machines share a database; otherwise one is generated once and stored in CONCORD_VAR.
IDENTITY_KEYS: list[str] = env.list("IDENTITY_KEYS", [], validate=_check_keys) or [
    _generated_secret("identity_key")
]

# -- Addresses --
# Whether error pages show tracebacks and settings. For development only.
DEBUG = env.bool("DEBUG", False)
# Host names of the site.
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
# Other origins that may submit forms, such as https://forms.example.org.
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", [])
# Whether a reverse proxy in front provides HTTPS. Then cookies are sent over TLS only, HTTP is
# redirected, and browsers must use HTTPS for a year (HSTS).
BEHIND_TLS = env.bool("BEHIND_TLS", False)
# With BEHIND_TLS: whether browsers must use HTTPS for all subdomains of the host too.
HSTS_SUBDOMAINS = env.bool("HSTS_SUBDOMAINS", False)
# With HSTS_SUBDOMAINS: whether browsers may take the domain into their list of HTTPS-only domains,
# which it leaves only after months.
HSTS_PRELOAD = env.bool("HSTS_PRELOAD", False)

INSTALLED_APPS = [
    "config.apps.ConfigConfig",
    "core.pages.apps.PagesConfig",
    "core.security.apps.SecurityConfig",
    "core.accounts.apps.AccountsConfig",
    "core.audit.apps.AuditConfig",
    "core.jobs.apps.JobsConfig",
    "core.webhooks.apps.WebhooksConfig",
    "core.rest.apps.RestConfig",
    "annotation.apps.AnnotationConfig",
    "benchmarks.apps.BenchmarksConfig",
    "core.accounts.administration.AdministratorsConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
]
MIDDLEWARE = [
    "core.logs.middleware.request_id_middleware",
    "core.security.headers.HeadersMiddleware",
    "config.monitoring.middleware.monitoring_middleware",
    "config.monitoring.requests.RequestMetricsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "annotation.rating.views.language.RaterLanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "core.security.uploads.UploadLimitMiddleware",
    "core.security.limits.middleware.RateLimitMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "core.audit.middleware.actor_middleware",
    "core.accounts.signing_in.SignInMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "core.pages.views.RefusalMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    [
                        "core.pages.template_loader.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "builtins": ["core.pages.templatetags.parts"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "core.pages.theme.theme_of",
                "core.pages.branding.branding",
            ],
        },
    },
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

_DATABASE = env.dj_db_url("DATABASE_URL", default=EMBEDDED_PATHS.database_url)
# A server that was cut off says nothing: without these, who waits for its answer waits for hours.
_CUT_OFF = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 11_000,
}
DATABASES = {
    "default": {
        **_DATABASE,
        "ENGINE": "core.postgresql",
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": _CUT_OFF | _DATABASE.get("OPTIONS", {}),
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- Rate limits --
# Views declare which of them counts their requests; config/rate_limits.py has the rules.
RATE_LIMITS = {
    # Failed sign-ins to an account from one address.
    "sign-in": env.str("RATE_LIMIT_SIGN_IN", "10/15m"),
    # Failed sign-ins from one address.
    "sign-in-address": env.str("RATE_LIMIT_SIGN_IN_ADDRESS", "60/15m"),
    # Failed sign-ins to an account from all addresses.
    "sign-in-account": env.str("RATE_LIMIT_SIGN_IN_ACCOUNT", "100/h"),
    # Password resets from one address.
    "password-reset": env.str("RATE_LIMIT_PASSWORD_RESET", "20/h"),
    # Password resets of an account.
    "password-reset-account": env.str("RATE_LIMIT_PASSWORD_RESET_ACCOUNT", "3/h"),
    # Password changes of an account.
    "password-change": env.str("RATE_LIMIT_PASSWORD_CHANGE", "10/15m"),
    # New accounts from one address.
    "new-account": env.str("RATE_LIMIT_NEW_ACCOUNT", "30/h"),
    # API requests with one token, of an account without a token, of visitors from one address, or
    # with invalid tokens from one address.
    "api": env.str("RATE_LIMIT_API", "600/m"),
    # Requests of a rater, and from one address with invalid rating links.
    "rating": env.str("RATE_LIMIT_RATING", "300/m"),
    # Raters who join from one address, which a class of students may share.
    "joining": env.str("RATE_LIMIT_JOINING", "600/m"),
    # Uploads of an account, by pages and API.
    "upload": env.str("RATE_LIMIT_UPLOAD", "60/10m"),
    # Files that an account, or visitors from one address, download, by pages and API.
    "download": env.str("RATE_LIMIT_DOWNLOAD", "60/m"),
    # Pages with computed figures that an account, or visitors from one address, open.
    "figures": env.str("RATE_LIMIT_FIGURES", "120/m"),
    # Texts that an account has scored by the page Try or the API.
    "try": env.str("RATE_LIMIT_TRY", "20/m"),
    # All other changes by an account.
    "write": env.str("RATE_LIMIT_WRITE", "300/m"),
}
RATE_LIMIT_RULES = "config.rate_limits.RULES"

# -- Operation --
# Bearer token for Prometheus to read /metrics, at least 20 characters. Without it, /metrics is off.
METRICS_TOKEN = env.str("METRICS_TOKEN", "", validate=lambda text: not text or len(text) >= 20)
# Number of reverse proxies in front of the site. The client's address is read from their
# X-Forwarded-For and the request id from their X-Request-ID. The default is 1 with BEHIND_TLS, else
# 0.
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", int(BEHIND_TLS), validate=lambda n: 0 <= n <= 10)

CELERY_BROKER_URL = BROKER_URL or EMBEDDED_PATHS.broker_url
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_QUEUES = tuple(Queue(name, routing_key=name) for name in QUEUES)
CELERY_TASK_DEFAULT_QUEUE = CELERY_TASK_DEFAULT_ROUTING_KEY = JOBS
CELERY_TASK_ROUTES = ["core.jobs.tasks.route"]
# A larger process is replaced when its task ends.
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 2_000_000  # kB; a set of a million takes one of them
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600}
# An exclusive queue belongs to a connection. A worker that was cut off comes back on a new one,
# while RabbitMQ still knows the old one: it was locked out of its own queue and ended.
CELERY_CONTROL_QUEUE_EXCLUSIVE = False
CELERY_CONTROL_QUEUE_DURABLE = True
CELERY_BROKER_HEARTBEAT = 30  # seconds; RabbitMQ gives the messages of who misses two to others

# -- Background work --
# Length of a lease in seconds. After this time without a sign of life from a worker, another one
# takes over its work.
SCORING_LEASE_SECONDS = env.int("SCORING_LEASE_SECONDS", 30, validate=lambda n: n >= 3)
# Device for models: `auto` (a GPU if there is one), `cpu` or `cuda`.
SCORING_DEVICE = env.str(
    "SCORING_DEVICE", "auto", validate=lambda name: name in ("auto", "cpu", "cuda")
)
# Seconds after which a worker frees the memory of unused models and Java helpers.
MODEL_IDLE_SECONDS = env.float("MODEL_IDLE_SECONDS", 45.0, validate=lambda n: n > 0)
# Maximum number of answers that one task scores; smaller for slow metrics.
SCORING_CHUNK_SIZE = env.int("SCORING_CHUNK_SIZE", 2000, validate=lambda n: n >= 1)

# -- Uploads --
# Maximum size of an uploaded checkpoint, in bytes.
CHECKPOINT_MAX_BYTES = env.int("CHECKPOINT_MAX_BYTES", 256 * 1024 * 1024)
# Maximum size of an uploaded file of judgments, in bytes.
UPLOAD_MAX_BYTES = env.int("UPLOAD_MAX_BYTES", 512 * 1024 * 1024)
# Maximum number of large uploads that a web process reads at the same time.
MAX_CONCURRENT_UPLOADS = env.int("MAX_CONCURRENT_UPLOADS", 4, validate=lambda n: n >= 1)
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024  # of a form without its files
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
DATA_UPLOAD_MAX_NUMBER_FILES = 102  # an import's judgments, pairs and texts
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024  # larger files are stored on disk while they are read
FILE_UPLOAD_HANDLERS = [
    "core.security.uploads.CheckingUploadHandler",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# Maximum size of a JSON request body of the API, in bytes. More data are uploaded as files.
API_MAX_JSON_BYTES = env.int("API_MAX_JSON_BYTES", 1024 * 1024, validate=lambda n: n > 0)
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "core.rest.authentication.TokenAuthentication",
        "core.rest.authentication.BrowserAuthentication",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "core.rest.parsers.BoundedJSONParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "EXCEPTION_HANDLER": "core.rest.problems.handle",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Concord",
    "DESCRIPTION": "Everything that the pages do, by the same services and permissions.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "COMPONENT_SPLIT_PATCH": False,
    "SORT_OPERATIONS": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "PREPROCESSING_HOOKS": ["core.rest.schema.drop_excluded"],
    "POSTPROCESSING_HOOKS": [],
}

# -- Models and calls to other servers --
# Folders and ids on the Hugging Face Hub that users may choose as models of metrics on pages and in
# the API. Commands accept any.
ALLOWED_MODELS: list[str] = env.list("ALLOWED_MODELS", [])

# Hosts (or host:port) in the local network that webhooks, submitted metrics and model judges may
# call, also without TLS.
OUTGOING_ALLOWED_HOSTS: list[str] = env.list("OUTGOING_ALLOWED_HOSTS", [])
# Timeout in seconds of a call to another server.
OUTGOING_TIMEOUT_SECONDS = env.float("OUTGOING_TIMEOUT_SECONDS", 30.0, validate=lambda n: n > 0)
# Maximum size of the answer to such a call, in bytes.
OUTGOING_MAX_BYTES = env.int("OUTGOING_MAX_BYTES", 1024 * 1024, validate=lambda n: n > 0)
# Timeout in seconds of a call to a language model that judges.
JUDGE_TIMEOUT_SECONDS = env.float("JUDGE_TIMEOUT_SECONDS", 120.0, validate=lambda n: n > 0)
# Timeout in seconds of a call to the receiver of a webhook.
WEBHOOK_TIMEOUT_SECONDS = env.float("WEBHOOK_TIMEOUT_SECONDS", 10.0, validate=lambda n: n > 0)

# -- Submissions --
# Maximum number of submissions of an account to a judgment set in 24 hours.
SUBMISSIONS_PER_DAY = env.int("SUBMISSIONS_PER_DAY", 3, validate=lambda n: n >= 1)
# Maximum number of submissions of an account to a judgment set with hidden labels, over all time.
SUBMISSIONS_PER_HIDDEN_SET = env.int("SUBMISSIONS_PER_HIDDEN_SET", 20, validate=lambda n: n >= 1)
# Maximum size of a submitted file, in bytes.
SUBMISSION_MAX_BYTES = env.int("SUBMISSION_MAX_BYTES", 64 * 1024 * 1024)
# Total seconds for which a metric run may call a submitted endpoint.
SUBMISSION_RUN_SECONDS = env.int("SUBMISSION_RUN_SECONDS", 4 * 3600, validate=lambda n: n > 0)
# Minimum number of hidden labels of a set for its figures to be shown.
MIN_HIDDEN_LABELS = env.int("MIN_HIDDEN_LABELS", 100, validate=lambda n: n >= 20)

# -- People --
# Days after a rater's last work until their identity is deleted. Studies can set their own number.
IDENTITY_RETENTION_DAYS = env.int("IDENTITY_RETENTION_DAYS", 365, validate=lambda n: n >= 0)

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
# Whether anybody can create a submitter's account. Otherwise accounts are created by invitation.
OPEN_SIGN_UP = env.bool("OPEN_SIGN_UP", False)
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "judgment-sets"
LOGOUT_REDIRECT_URL = "judgment-sets"

# -- Mail --
# Host of the mail server. Without it, e-mails are written to the terminal, or to var/log/site.log
# by `make run`.
EMAIL_HOST = env.str("EMAIL_HOST", "")
# Port of the mail server.
EMAIL_PORT = env.int("EMAIL_PORT", 587)
# User name at the mail server.
EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", "")
# Password at the mail server.
EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", "")
# Whether to use TLS (STARTTLS) for the mail server; true by default with EMAIL_HOST.
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", bool(EMAIL_HOST))
EMAIL_TIMEOUT = 20
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
# Sender address of e-mails.
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", "concord@localhost")

# All pages are English, but for the raters' pages, which have these languages.
LANGUAGE_CODE = "en"
LANGUAGES = [
    ("de", "Deutsch"),
    ("en", "English"),
    ("es", "Español"),
    ("fr", "Français"),
    ("ar", "العربية"),
    ("zh-hans", "简体中文"),
]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
WHITENOISE_USE_FINDERS = True  # served from the apps without collectstatic
warnings.filterwarnings("ignore", message="No directory at")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}
# -- Name and colours --
# The name of the site, in the header and in the titles of pages.
SITE_NAME = env.str("SITE_NAME", "Concord")
# The file of the logo in the header: SVG, PNG or WebP of at most 200 kB. It replaces mark and name.
SITE_LOGO = env.str("SITE_LOGO", "", validate=check_logo)
# The colours of links and buttons on light and on dark pages, such as #6b2fa0,#c9a2f2. A colour
# that cannot be read on the pages (contrast below 4.5) is refused at start.
SITE_ACCENT: list[str] = env.list("SITE_ACCENT", [], validate=check_accent)
# -- Rating pages --
# Sites that may show the rating pages in a frame, as sources of a content security policy.
RATING_FRAME_ANCESTORS: list[str] = env.list("RATING_FRAME_ANCESTORS", ["'self'"])
# Languages (de, es, fr, ar, zh-hans) in which a person has read Concord's texts on consent and pay.
# In all others these texts are marked as an unreviewed translation, with the English text beside.
REVIEWED_TRANSLATIONS: list[str] = env.list(
    "REVIEWED_TRANSLATIONS",
    [],
    validate=validate.ContainsOnly([code for code, _ in LANGUAGES]),
)
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = BEHIND_TLS
if BEHIND_TLS:
    # With this prefix, browsers accept the cookies from this host only, and only over TLS.
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    SECURE_HSTS_INCLUDE_SUBDOMAINS = HSTS_SUBDOMAINS
    SECURE_HSTS_PRELOAD = HSTS_PRELOAD
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]  # both are choices, for whole domains

# -- Logs --
# Format of the logs: `text`, or `json` for one JSON object per line.
LOG_FORMAT = env.str("LOG_FORMAT", "text", validate=validate.OneOf(["text", "json"]))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"record": {"()": "core.logs.lines.RecordFilter"}},
    "formatters": {
        "text": {
            "()": "core.logs.lines.TextFormatter",
            "format": "{asctime} {levelname} {name} {ids}{message}",
            "style": "{",
        },
        "json": {"()": "core.logs.lines.JsonFormatter"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "filters": ["record"],
            "formatter": LOG_FORMAT,
        }
    },
    # At lower levels they log requests to crowd platforms, which contain ids of workers.
    "loggers": {name: {"level": "WARNING"} for name in ("botocore", "httpx", "httpcore")},
    # Minimum level of logged lines: DEBUG, INFO, WARNING or ERROR.
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", "WARNING")},
}
