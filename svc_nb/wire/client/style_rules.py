"""Style rule lists and their custom instructions."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from svc_nb.errors import BadReply
from svc_nb.wire.client.resource import CollectionClient, check, listing, member, segment, several
from svc_nb.wire.models import CustomInstruction, StyleRuleList, WireError

Rules = Mapping[str, Mapping[str, str]]

LARGEST_PAGE = 25
# This many full pages without anything new mean that the service ignores the page number.
STALE_PAGES = 10


class StyleRules(CollectionClient[StyleRuleList]):
    """Style rule lists; every change increments the `version` of the list."""

    _path, _noun, _member = "/v3/style_rules", StyleRuleList, "style_rules"

    def get(self, style_id: str) -> StyleRuleList:
        """Return one list with its rules and instructions."""
        return self._get(style_id)

    def delete(self, style_id: str) -> None:
        """Delete a list with its rules and instructions, for good."""
        self._delete(style_id)

    def iterate(self, *, page_size: int = LARGEST_PAGE, detailed: bool = False) -> Iterator[StyleRuleList]:
        """Yield every style rule list once, page after page.

        Lists that exist from the first page to the last are all yielded, each once, even if others are added at either
        end in the meantime; the added ones may be included or not. If lists are deleted in the meantime, the others
        move forward, so some may be skipped.
        """
        seen: set[str] = set()
        page = stale = 0
        while True:
            found = self.list(page=page, page_size=page_size, detailed=detailed)
            fresh = [each for each in found if each.style_id not in seen]
            seen.update(each.style_id for each in fresh)
            yield from fresh
            if len(found) < page_size:
                return
            page, stale = page + 1, 0 if fresh else stale + 1
            if stale >= STALE_PAGES:
                raise BadReply(f"The listing does not end: {stale} pages in a row contained nothing new")

    def create(
        self,
        name: str,
        language: str,
        *,
        configured_rules: Rules | None = None,
        custom_instructions: Iterable[CustomInstruction] = (),
    ) -> StyleRuleList:
        """Create a list; *configured_rules* maps category to rule to option."""
        body: dict[str, Any] = {"name": name, "language": language}
        if configured_rules is not None:
            body["configured_rules"] = _plain(configured_rules)
        instructions = several("custom_instructions", custom_instructions, CustomInstruction, "a CustomInstruction")
        if instructions:
            body["custom_instructions"] = [instruction.to_wire() for instruction in instructions]
        return self._one("POST", "", body)

    def rename(self, style_id: str, name: str) -> StyleRuleList:
        """Rename a list; its rules and instructions stay."""
        return self._one("PATCH", f"/{segment(style_id)}", {"name": name})

    def replace_rules(self, style_id: str, configured_rules: Rules) -> StyleRuleList:
        """Replace all rules of a list with *configured_rules*; its instructions stay."""
        return self._one("PUT", f"/{segment(style_id)}/configured_rules", _plain(configured_rules))

    def add_instruction(
        self, style_id: str, label: str, prompt: str, *, source_language: str | None = None
    ) -> CustomInstruction:
        """Add an instruction to a list."""
        body = CustomInstruction(label, prompt, source_language).to_wire()
        return self._instruction("POST", _instructions(style_id), body)

    def instruction(self, style_id: str, instruction_id: str) -> CustomInstruction:
        """Return one instruction of a list."""
        return self._instruction("GET", _instructions(style_id, instruction_id))

    def replace_instruction(
        self, style_id: str, instruction_id: str, label: str, prompt: str, *, source_language: str | None = None
    ) -> CustomInstruction:
        """Replace the label and prompt of an instruction; its id stays."""
        body = CustomInstruction(label, prompt, source_language).to_wire()
        return self._instruction("PUT", _instructions(style_id, instruction_id), body)

    def delete_instruction(self, style_id: str, instruction_id: str) -> None:
        """Delete one instruction of a list."""
        self._transport.request("DELETE", _instructions(style_id, instruction_id))

    def list(
        self, *, page: int | None = None, page_size: int | None = None, detailed: bool = False
    ) -> list[StyleRuleList]:
        """Return one page of lists, counted from 0; with rules and instructions only when *detailed*."""
        params = {"page": page, "page_size": page_size, "detailed": detailed}
        return self._ask(member(self._member, listing(StyleRuleList.from_wire)), "GET", self._path, params=params)

    def _instruction(self, method: str, path: str, body: object = None) -> CustomInstruction:
        def stored(wire: Any) -> CustomInstruction:
            instruction = CustomInstruction.from_wire(wire)
            if instruction.id is None:
                raise WireError("CustomInstruction: Object missing required field `id`")
            return instruction

        return self._ask(stored, method, path, json=body)


def _instructions(style_id: str, *instruction_id: str) -> str:
    return "/".join(["/v3/style_rules", segment(style_id), "custom_instructions", *map(segment, instruction_id)])


def _plain(rules: Rules) -> dict[str, dict[str, str]]:
    check("configured_rules", rules, Mapping, "a dict of category to rule to option")
    for category, chosen in rules.items():
        check(f"configured_rules[{category!r}]", chosen, Mapping, "a dict of rule to option")
    return {category: dict(chosen) for category, chosen in rules.items()}
