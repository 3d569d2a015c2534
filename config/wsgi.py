import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config import embedded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
if settings.EMBEDDED:
    embedded.ensure(settings.PLACES)
application = get_wsgi_application()
