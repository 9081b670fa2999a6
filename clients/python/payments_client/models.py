"""The types of requests, responses and events. They are descriptions: the values are dicts."""

from .generated.models import *  # noqa: F403
