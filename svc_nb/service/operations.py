"""What the service can be asked: each operation with its path, scope, limits and shapes, declared where it is done."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import NoneType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from .answers import JSON, File, FullAnswer, PlainText
from .bodies import FILE, FORM, UploadedFile
from .keys import Key
from .problems import STATUS_PHRASES, Problem, ProblemBody

if TYPE_CHECKING:
    from .state import State

KIB = 1024
MIB = 1024 * KIB
JSON_OR_FORM = (JSON, FORM)
UNROUTED = "unrouted"


class Nothing(msgspec.Struct):
    """An operation without a body, or without a query."""


B = TypeVar("B", bound=msgspec.Struct)
Q = TypeVar("Q", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class Call(Generic[B, Q]):
    """One request, read and allowed: *file* is there until the operation returns, *address* is the service's own."""

    state: "State"
    key: Key
    body: B
    query: Q
    path: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    file: UploadedFile | None = None
    address: str = ""

    def refuse_free(self) -> None:
        """Raise 403 for an account whose plan has no administration, text improvement, spoken terms or voice."""
        if self.state.account.free:
            raise Problem(403, "Forbidden. Authorization failed or feature not available for your plan.")


Do = Callable[[Call[Any, Any]], Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """One method on one path; the path is logged, the query never is."""

    method: str
    path: str
    do: Do
    scope: str | None
    body: type[msgspec.Struct] | None = None
    query: type[msgspec.Struct] = Nothing
    answer: Any = None
    media: Sequence[str] = (JSON,)
    wrong_media: str | None = None  # what 415 says where it is not the usual words
    limit: int = 4 * MIB
    status: int = 200
    also: Sequence[int] = ()  # other statuses of success that a `FullAnswer` may have
    upload: Literal["", "multipart", "raw"] = ""  # streamed into `Call.file`: one part named "file", or the whole body
    signed: Do | None = None  # wants no key: called with the head of the request, raises 403 unless the query is right

    @property
    def name(self) -> str:
        """How faults and counters call it: "POST /v2/translate"."""
        return f"{self.method} {self.path}"


class Operations(list[Operation]):
    """The operations of one resource, or of all; `add` declares the function below it as one of them."""

    def add(self, method: str, path: str, **rest: Any) -> Callable[[Do], Do]:
        """Declare the decorated function as the operation *method* *path*; its annotations are the shapes."""

        def declare(do: Do) -> Do:
            hints = get_type_hints(do)
            body, query = get_args(hints["call"])
            answer = hints["return"]
            if get_origin(answer) is FullAnswer:
                (answer,) = get_args(answer)
            shapes = {"body": None if body is Nothing else body, "query": query}
            answer = None if answer in (NoneType, Nothing) else answer
            self.append(Operation(method, path, do, answer=answer, **shapes, **rest))
            return do

        return declare

    def by_path(self) -> dict[str, dict[str, Operation]]:
        """The operations of each path, by method."""
        paths: dict[str, dict[str, Operation]] = {}
        for operation in self:
            paths.setdefault(operation.path, {})[operation.method] = operation
        return paths


class OperationNames:
    """Finds the name of the operation that a request is for."""

    def __init__(self, operations: Operations) -> None:
        self.all = frozenset(operation.name for operation in operations)
        self._templates = [
            (re.compile(re.sub(r"{\w+}", "[^/]+", path)), path) for path in operations.by_path() if "{" in path
        ]

    def of(self, method: str, path: str) -> str:
        """The name, such as "GET /v3/glossaries/{glossary_id}", or "unrouted"."""
        if f"{method} {path}" in self.all:
            return f"{method} {path}"
        template = next((template for pattern, template in self._templates if pattern.fullmatch(path)), None)
        return f"{method} {template}" if f"{method} {template}" in self.all else UNROUTED


# ---- the service's description of itself, from the same declarations

VERSION = "3.13.0"
_BINARY = {"type": "string", "format": "binary"}
_REFERENCE = "#/components/schemas/{name}"


def document(operations: Iterable[Operation]) -> dict[str, Any]:
    """An OpenAPI 3.1 document."""
    operations = list(operations)
    shapes = [shape for each in operations for shape in (each.body, each.answer)]
    shapes = [shape for shape in shapes if shape not in (None, PlainText, File)]
    schemas, components = msgspec.json.schema_components([*shapes, ProblemBody], ref_template=_REFERENCE)
    schema_of = dict(zip(map(repr, [*shapes, ProblemBody]), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for each in operations:
        paths.setdefault(each.path, {})[each.method.lower()] = _described(each, schema_of)
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


def _described(operation: Operation, schema_of: dict[str, Any]) -> dict[str, Any]:
    query = msgspec.json.schema(operation.query)["$defs"][operation.query.__name__]
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", operation.path)
    ]
    parameters += [
        {"name": name, "in": "query", "required": name in query.get("required", ()), "schema": schema}
        for name, schema in query["properties"].items()
    ]
    success: dict[str, Any] = {"description": "Done"}
    if operation.answer is PlainText:
        success["content"] = {"text/tab-separated-values": {"schema": {"type": "string"}}}
    elif operation.answer is File:
        success["content"] = {"*/*": {"schema": _BINARY}}
    elif operation.answer is not None:
        success["content"] = {JSON: {"schema": schema_of[repr(operation.answer)]}}
    problem = {JSON: {"schema": schema_of[repr(ProblemBody)]}}
    problems = {str(status): {"description": text, "content": problem} for status, text in STATUS_PHRASES.items()}
    described = {
        "operationId": f"{operation.do.__module__.rpartition('.')[2]}.{operation.do.__name__}",
        "summary": (operation.do.__doc__ or "").partition("\n")[0],
        "parameters": parameters,
        "responses": {**{str(status): success for status in (operation.status, *operation.also)}, **problems},
    }
    if operation.signed:
        described["security"] = []
    if operation.body is not None or operation.upload:
        content = {media: {"schema": _body_schema(operation, schema_of)} for media in operation.media}
        described["requestBody"] = {"required": True, "content": content}
    return described


def _body_schema(operation: Operation, schema_of: dict[str, Any]) -> Any:
    body = operation.body
    if body is None:
        return _BINARY
    if not operation.upload:
        return schema_of[repr(body)]
    shape = msgspec.json.schema(body)["$defs"][body.__name__]  # of a form that brings a file
    properties = {**shape["properties"], FILE: _BINARY}
    return {**shape, "properties": properties, "required": [*shape.get("required", ()), FILE]}
