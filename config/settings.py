"""Settings, read from the environment. With nothing set, the embedded default runs.

DATABASE_URL, BROKER_URL   servers to use instead of the embedded ones
IDENTITY_KEYS              comma-separated secrets of at least 32 characters, newest first, that
                           encrypt who raters are at their platforms; required where several
                           machines share a database, else made once and kept under var/
SECRET_KEY                 required with DATABASE_URL; else made once and kept under var/
SECRET_KEY_FALLBACKS       comma-separated older keys, whose signatures and seals still count
ALLOWED_HOSTS, CSRF_TRUSTED_ORIGINS   comma-separated
TRUSTED_PROXIES            how many proxies stand in front: who calls is read from what they add
RATE_LIMIT_SIGN_IN, ...     how often: "10/15m"; "unlimited" (see RATE_LIMITS)
BEHIND_TLS                 true when a proxy in front speaks HTTPS: secure cookies, HSTS
WEB_WORKERS, WEB_THREADS, ALLOW_DIRECT_EXPOSURE   the web server's: config/web/server.py
METRICS_TOKEN              what Prometheus presents as its bearer token to read /metrics
OPEN_SIGN_UP               true lets anybody make a submitter's account; else by invitation
EMAIL_HOST, EMAIL_PORT, EMAIL_HOST_USER, EMAIL_HOST_PASSWORD, EMAIL_USE_TLS, DEFAULT_FROM_EMAIL
                           the mail server; without one, mails are written to the terminal
ALLOWED_MODELS             comma-separated folders and ids on the hub that metrics asked for on a
                           page or by the API may name as their model; commands may name any
OUTGOING_ALLOWED_HOSTS     hosts, or host:port, of the own network that may be called, and
                           without TLS: endpoints of submitted metrics; none by default
RATING_FRAME_ANCESTORS     sites that may show the rating pages in a frame; 'self' by default
LOG_FORMAT, LOG_LEVEL      text (the default), or json: a JSON object a line; WARNING by default
CONCORD_VAR                where the embedded default keeps its data (var/)
CONCORD_DATA               real judgment data for development and tests, never in the repository
"""

from __future__ import annotations

import contextlib
import secrets
import warnings
from pathlib import Path

from environs import Env, validate
from kombu import Queue

from config.embedded.places import Places

env = Env()
BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(env.str("CONCORD_VAR", str(BASE_DIR / "var"))).resolve()
PLACES = Places(VAR_DIR)

DATABASE_URL = env.str("DATABASE_URL", "")
BROKER_URL = env.str("BROKER_URL", "")
EMBEDDED = not (DATABASE_URL and BROKER_URL)


def _made_once(name: str) -> str:
    """A secret of this installation's own, made at its first start and kept under var/."""
    kept = VAR_DIR / name
    if not kept.exists():
        VAR_DIR.mkdir(parents=True, exist_ok=True)
        fresh = kept.with_suffix(f".{secrets.token_hex(4)}")
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(50))
        with contextlib.suppress(FileExistsError):  # another process was first: its key counts
            kept.hardlink_to(fresh)
        fresh.unlink()
    return kept.read_text()


SECRET_KEY = env.str("SECRET_KEY", "") or _made_once("secret_key")
SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", [])
IDENTITY_KEYS: list[str] = env.list("IDENTITY_KEYS", []) or [_made_once("identity_key")]
DEBUG = env.bool("DEBUG", False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", [])
BEHIND_TLS = env.bool("BEHIND_TLS", False)

INSTALLED_APPS = [
    "config.apps.ConfigConfig",
    "core.pages.apps.PagesConfig",
    "core.security.apps.SecurityConfig",
    "core.accounts.apps.AccountsConfig",
    "core.audit.apps.AuditConfig",
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
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

DATABASES = {
    "default": {
        **env.dj_db_url("DATABASE_URL", default=PLACES.database_url),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# How often somebody may ask for something: so many at once, then as many more spread over the
# period. Each is a variable of the environment, such as RATE_LIMIT_SIGN_IN=10/15m. What counts as a
# request of which kind is in config/rate_limits.py.
RATE_LIMITS = {
    name: env.str(f"RATE_LIMIT_{name.upper().replace('-', '_')}", default)
    for name, default in {
        "sign-in": "10/15m",  # failures, of an account from one address
        "sign-in-address": "60/15m",  # failures from one address
        "sign-in-account": "100/h",  # failures of an account from everywhere
        "password-reset": "20/h",  # from one address
        "password-reset-account": "3/h",
        "password-change": "10/15m",
        "new-account": "30/h",  # from one address
        "api": "600/m",  # by token
        "rating": "300/m",  # by rating link
        "joining": "600/m",  # by address: a class may sit behind one
        "upload": "60/10m",
        "download": "60/m",
        "try": "20/m",  # answers typed in to be scored
        "write": "300/m",
    }.items()
}
RATE_LIMIT_RULES = "config.rate_limits.RULES"
# What Prometheus presents to read /metrics; without it there is no such page.
METRICS_TOKEN = env.str("METRICS_TOKEN", "", validate=lambda text: not text or len(text) >= 20)
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", int(BEHIND_TLS), validate=lambda n: 0 <= n <= 10)

CELERY_BROKER_URL = BROKER_URL or PLACES.broker_url
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Trainings have a queue of their own, and so have answers that a person waits for: behind the
# chunks of metric runs they would wait for hours. A worker takes from all; on several machines,
# start those with a GPU with `-Q gpu` and the others with `-Q celery,try`.
CELERY_TASK_QUEUES = tuple(Queue(name, routing_key=name) for name in ("celery", "gpu", "try"))
CELERY_TASK_DEFAULT_QUEUE = CELERY_TASK_DEFAULT_ROUTING_KEY = "celery"
CELERY_TASK_ROUTES = {
    "benchmarks.tasks.train": {"queue": "gpu"},
    "benchmarks.tasks.score_tryout": {"queue": "try"},
}
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600}

# A chunk's lease lapses this many seconds after its worker last gave a sign of life; the worker
# renews it three times as often while it scores.
SCORING_LEASE_SECONDS = env.int("SCORING_LEASE_SECONDS", 30, validate=lambda n: n >= 3)
SCORING_CHUNK_SIZE = env.int("SCORING_CHUNK_SIZE", 2000, validate=lambda n: n >= 1)
# A training's state is kept in the database so often, up to this size, for another worker to go on
# from it; checkpoints that are sent may have this size.
TRAINING_KEEP_SECONDS = env.float("TRAINING_KEEP_SECONDS", 30.0, validate=lambda n: n >= 0)
TRAINING_STATE_MAX_BYTES = env.int("TRAINING_STATE_MAX_BYTES", 512 * 1024 * 1024)
CHECKPOINT_MAX_BYTES = env.int("CHECKPOINT_MAX_BYTES", 256 * 1024 * 1024)
UPLOAD_MAX_BYTES = env.int("UPLOAD_MAX_BYTES", 512 * 1024 * 1024)
UPLOAD_LIMITS = "config.upload_limits.TABLE"
UPLOADS_AT_ONCE = env.int("UPLOADS_AT_ONCE", 4, validate=lambda n: n >= 1)  # by web process
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024  # a form without its files
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
DATA_UPLOAD_MAX_NUMBER_FILES = 20
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024  # larger files lie on disk while they are read
FILE_UPLOAD_HANDLERS = [
    "core.security.uploads.CheckingUploadHandler",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# A body of JSON; larger things come as files.
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

ALLOWED_MODELS: list[str] = env.list("ALLOWED_MODELS", [])

# Calls to other people's servers: how long one may take and how much it may answer.
OUTGOING_ALLOWED_HOSTS: list[str] = env.list("OUTGOING_ALLOWED_HOSTS", [])
OUTGOING_SECONDS = env.float("OUTGOING_SECONDS", 30.0, validate=lambda n: n > 0)
OUTGOING_MAX_BYTES = env.int("OUTGOING_MAX_BYTES", 1024 * 1024, validate=lambda n: n > 0)
WEBHOOK_SECONDS = env.float("WEBHOOK_SECONDS", 10.0, validate=lambda n: n > 0)

# Submissions: how many a user may make to a set in 24 hours, how large a file may be, and for how
# long a run may call an endpoint. Labels that are hidden show in figures over so many of them.
SUBMISSIONS_PER_DAY = env.int("SUBMISSIONS_PER_DAY", 3, validate=lambda n: n >= 1)
SUBMISSION_MAX_BYTES = env.int("SUBMISSION_MAX_BYTES", 64 * 1024 * 1024)
SUBMISSION_RUN_SECONDS = env.int("SUBMISSION_RUN_SECONDS", 4 * 3600, validate=lambda n: n > 0)
HIDDEN_LABELS_LEAST = env.int("HIDDEN_LABELS_LEAST", 20, validate=lambda n: n >= 2)

# For how many days after their last work it is kept who raters are; a study may say otherwise.
IDENTITY_DAYS = env.int("IDENTITY_DAYS", 365, validate=lambda n: n >= 0)

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
# Anybody may make a submitter's account; else accounts come by invitation.
OPEN_SIGN_UP = env.bool("OPEN_SIGN_UP", False)
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "judgment-sets"
LOGOUT_REDIRECT_URL = "judgment-sets"

# Without a mail server, mails are written to the terminal (make run: var/log/site.log).
EMAIL_HOST = env.str("EMAIL_HOST", "")
EMAIL_PORT = env.int("EMAIL_PORT", 587)
EMAIL_HOST_USER = env.str("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = env.str("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = env.bool("EMAIL_USE_TLS", bool(EMAIL_HOST))
EMAIL_TIMEOUT = 20
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", "concord@localhost")

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
WHITENOISE_USE_FINDERS = True  # served from the apps; collecting them first is not needed
warnings.filterwarnings("ignore", message="No directory at")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}
# The raters' pages, and only these, may live in other sites' frames: sources as CSP writes them.
RATING_FRAME_ANCESTORS: list[str] = env.list("RATING_FRAME_ANCESTORS", ["'self'"])
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = BEHIND_TLS
if BEHIND_TLS:
    # The prefix has browsers take them from this very host alone, and over TLS.
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True

LOG_FORMAT = env.str("LOG_FORMAT", "text", validate=validate.OneOf(["text", "json"]))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"record": {"()": "core.logs.lines.RecordFilter"}},
    "formatters": {
        "text": {"format": "{asctime} {levelname} {name} {ids}{message}", "style": "{"},
        "json": {"()": "core.logs.lines.JsonFormatter"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "filters": ["record"],
            "formatter": LOG_FORMAT,
        }
    },
    # What these tell at a finer level are requests to providers, with who the workers are.
    "loggers": {name: {"level": "WARNING"} for name in ("botocore", "httpx", "httpcore")},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", "WARNING")},
}
