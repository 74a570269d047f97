"""Gives generated calls a working credential of a kind that their operation accepts, and some of them a body that
refers to existing things: otherwise hardly any call would get past the guard and the field validation."""

import itertools
import json
import os
import urllib.parse
import urllib.request
from collections import defaultdict

import schemathesis

DESK = os.environ["CREDENTIAL_DESK"]

# The schemes that an operation accepts take turns.
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


# These accept any text, so there is nothing to break; and a generated credential would conflict with the working one.
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
    """Every other well-formed body refers to existing things; the rest stay as generated."""
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
