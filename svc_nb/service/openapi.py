"""The service's description of itself, made from the same declarations that answer the requests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from .answers import JSON, File, PlainText
from .bodies import FILE
from .operations import Call, Nothing, Operation
from .problems import STATUS_PHRASES, ProblemBody

VERSION = "3.13.0"
_BINARY = {"type": "string", "format": "binary"}
_REFERENCE = "#/components/schemas/{name}"


def operation(described: Iterable[Operation]) -> Operation:
    """`GET /openapi.json` for *described*."""
    described = list(described)

    def publish(call: Call[Nothing, Nothing]) -> dict[str, Any]:
        return document(described)

    return Operation("GET", "/openapi.json", publish, scope=None)


def document(operations: Iterable[Operation]) -> dict[str, Any]:
    """An OpenAPI 3.1 document."""
    operations = list(operations)
    shapes = [shape for each in operations for shape in (each.body, each.answer)]
    shapes = [shape for shape in shapes if shape not in (None, PlainText, File)]
    schemas, components = msgspec.json.schema_components([*shapes, ProblemBody], ref_template=_REFERENCE)
    schema_of = dict(zip(map(repr, [*shapes, ProblemBody]), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for each in operations:
        paths.setdefault(each.path, {})[each.method.lower()] = _describe(each, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Embedded translation service", "version": VERSION},
        "security": [{"key": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "Authorization"}},
        },
    }


def _describe(operation: Operation, schema_of: dict[str, Any]) -> dict[str, Any]:
    query = msgspec.json.schema(operation.query)["$defs"][operation.query.__name__]
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", operation.path)
    ]
    in_query = [
        {"name": name, "in": "query", "required": name in query.get("required", ()), "schema": schema}
        for name, schema in query["properties"].items()
    ]
    described: dict[str, Any] = {
        "operationId": f"{operation.do.__module__.rpartition('.')[2]}.{operation.do.__name__}",
        "summary": (operation.do.__doc__ or "").partition("\n")[0],
        "parameters": [*in_path, *in_query],
        "responses": _responses(operation, schema_of),
    }
    if operation.signed:
        described["security"] = []
    body = _body_schema(operation, schema_of)
    if body is not None:
        content = {media: {"schema": body} for media in operation.media}
        described["requestBody"] = {"required": True, "content": content}
    return described


def _body_schema(operation: Operation, schema_of: dict[str, Any]) -> dict[str, Any] | None:
    body = operation.body
    if operation.upload == "raw":
        return _BINARY
    if body is None:
        return None
    if not operation.upload:
        schema: dict[str, Any] = schema_of[repr(body)]
        return schema
    shape = msgspec.json.schema(body)["$defs"][body.__name__]  # of a form that brings a file
    properties = {**shape["properties"], FILE: _BINARY}
    return {**shape, "properties": properties, "required": [*shape.get("required", ()), FILE]}


def _responses(operation: Operation, schema_of: dict[str, Any]) -> dict[str, Any]:
    success: dict[str, Any] = {"description": "Done"}
    if operation.answer is PlainText:
        success["content"] = {"text/tab-separated-values": {"schema": {"type": "string"}}}
    elif operation.answer is File:
        success["content"] = {"*/*": {"schema": _BINARY}}
    elif operation.answer is not None:
        success["content"] = {JSON: {"schema": schema_of[repr(operation.answer)]}}
    problem = {JSON: {"schema": schema_of[repr(ProblemBody)]}}
    problems = {
        str(status): {"description": text, "content": problem} for status, text in STATUS_PHRASES.items()
    }
    return {**{str(status): success for status in (operation.status, *operation.also)}, **problems}
