"""Gives generated calls a working credential of one of the kinds their operation takes, and now and then a body about
things that exist: without these hardly any call would get past the guard and the checks of single fields."""

import itertools
import json
import os
import urllib.parse
import urllib.request
from collections import defaultdict

import schemathesis

DESK = os.environ["CREDENTIAL_DESK"]

# The kinds an operation takes have their turns, one after the other.
credential_turns = defaultdict(itertools.count)
body_turns = defaultdict(itertools.count)


def ask(path):
    with urllib.request.urlopen(f"{DESK}/{path}") as answer:
        return json.load(answer)


def scheme_for(operation):
    requirements = operation.definition.raw.get("security", [])
    schemes = [name for requirement in requirements for name in requirement]
    if not schemes:
        return None
    return schemes[next(credential_turns[operation.label]) % len(schemes)]


# Any text will do for these, so there is nothing to break; and what is drawn for a credential contradicts the working one.
FREE = {f"#/components/parameters/{name}" for name in ("RequestId", "LastEventId", "CsrfToken", "DeviceId", "DeviceToken")}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            taken = operation.get("parameters", [])
            operation["parameters"] = [parameter for parameter in taken if parameter.get("$ref") not in FREE]


@schemathesis.auth(refresh_interval=None)
class WorkingCredential:
    def get(self, case, context):
        scheme = scheme_for(context.operation)
        return None if scheme is None else ask(f"credential/{scheme}")

    def set(self, case, data, context):
        for name, value in data.items():
            if name == "cookie":
                cookie, _, content = value.partition("=")
                case.cookies[cookie] = content
            else:
                case.headers[name] = value


@schemathesis.hook
def before_call(context, case, **kwargs):
    """Every other well-formed body speaks of what exists; the rest stay as they were drawn."""
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive or not isinstance(case.body, dict):
        return
    if next(body_turns[case.operation.label]) % 2:
        return
    for name, value in ask(f"body/{urllib.parse.quote(case.operation.label, safe='')}").items():
        if value is None:
            case.body.pop(name, None)
        else:
            case.body[name] = value
