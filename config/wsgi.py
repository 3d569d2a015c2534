import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config import embedded
from core.processes import permanent_imports

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
if settings.EMBEDDED:
    embedded.ensure(settings.EMBEDDED_PATHS)
with permanent_imports():
    application = get_wsgi_application()
    import_module(settings.ROOT_URLCONF)  # imports all views before the server forks its processes
