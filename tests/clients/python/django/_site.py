"""A site with the admin and an application whose migrations are made in the working directory."""

from urllib.parse import urlsplit

import django
from django.apps import AppConfig
from django.conf import settings


class Library(AppConfig):
    name = "_site"
    label = "library"
    path = "."


def set_up(url: str) -> None:
    """Let models be imported and the database at an address be used."""
    place = urlsplit(url)
    settings.configure(
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.postgresql",
                "HOST": place.hostname,
                "PORT": place.port,
                "USER": place.username,
                "NAME": place.path.lstrip("/"),
            }
        },
        INSTALLED_APPS=[
            "_site.Library",
            "django.contrib.admin",
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.messages",
            "django.contrib.sessions",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {
                    "context_processors": [
                        "django.template.context_processors.request",
                        "django.contrib.auth.context_processors.auth",
                        "django.contrib.messages.context_processors.messages",
                    ]
                },
            }
        ],
        MIGRATION_MODULES={"library": "library_migrations"},
        ROOT_URLCONF="_urls",
        SECRET_KEY="only a test",
        ALLOWED_HOSTS=["*"],
        USE_TZ=True,
        TIME_ZONE="UTC",
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    )
    django.setup()
