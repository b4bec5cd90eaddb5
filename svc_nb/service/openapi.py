"""The service's description of itself, made from the same declarations that answer the requests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from .operations import Call, Nothing, Operation
from .problems import STATUS_PHRASES, ProblemBody
from .uploads import FILE
from .wire import JSON, File, Plain

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
    shapes = [shape for each in operations for shape in (each.body, each.answer) if _has_schema(shape)]
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


def _has_schema(shape: Any) -> bool:
    return shape is not None and shape not in (Plain, File)


def _describe(operation: Operation, schema_of: dict[str, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": f"{operation.do.__module__.rpartition('.')[2]}.{operation.do.__name__}",
        "summary": (operation.do.__doc__ or "").partition("\n")[0],
        "parameters": [*_path_parameters(operation.path), *_query_parameters(operation.query)],
        "responses": _responses(operation, schema_of),
    }
    if operation.signed:
        described["security"] = []
    if content := _content(operation, schema_of):
        described["requestBody"] = {"required": True, "content": content}
    return described


def _content(operation: Operation, schema_of: dict[str, Any]) -> dict[str, Any]:
    """The bodies that the operation takes, by media type."""
    if operation.upload == "raw":
        return {media: {"schema": _BINARY} for media in operation.media}
    if operation.body is None:
        return {}
    schema = _with_file(operation.body) if operation.upload else schema_of[repr(operation.body)]
    return {media: {"schema": schema} for media in operation.media}


def _with_file(body: type[msgspec.Struct]) -> dict[str, Any]:
    """The fields of a form that brings a file."""
    shape: dict[str, Any] = msgspec.json.schema(body)["$defs"][body.__name__]
    properties = {**shape["properties"], FILE: _BINARY}
    return {**shape, "properties": properties, "required": [*shape.get("required", ()), FILE]}


def _path_parameters(path: str) -> list[dict[str, Any]]:
    names = re.findall(r"{(\w+)}", path)
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


def _query_parameters(query: type[msgspec.Struct]) -> list[dict[str, Any]]:
    schema = msgspec.json.schema(query)
    shape = schema["$defs"][query.__name__]
    required = shape.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": described}
        for name, described in shape["properties"].items()
    ]


def _responses(operation: Operation, schema_of: dict[str, Any]) -> dict[str, Any]:
    success: dict[str, Any] = {"description": "Done"}
    if operation.answer is Plain:
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
