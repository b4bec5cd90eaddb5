"""Sends documents as any client could, over plain HTTP."""

from __future__ import annotations

from tests.waiting import until

ENDED = ("done", "error")
USAGE = "/v2/usage"


class Documents:
    """The three operations of documents, and what the account owes."""

    def __init__(self, raw):
        self.raw = raw

    def upload(self, content=b"The house is large.", name="letter.txt", headers=None, **fields):
        fields = {"source_lang": "EN", "target_lang": "DE", **fields}
        fields = {name: value for name, value in fields.items() if value is not None}
        return self.raw("POST", "/v2/document", data=fields, files={"file": (name, content)}, headers=headers or {})

    def send(self, *values, **rest):
        """Upload what must be taken; gives the handle."""
        answer = self.upload(*values, **rest)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def status(self, handle, **rest):
        path = f"/v2/document/{handle['document_id']}"
        return self.raw("POST", path, json={"document_key": handle["document_key"]}, **rest)

    def result(self, handle, **rest):
        path = f"/v2/document/{handle['document_id']}/result"
        return self.raw("POST", path, data={"document_key": handle["document_key"]}, **rest)

    def wait(self, handle):
        """The status when the translation has ended."""
        return until(lambda: (found := self.status(handle).json())["status"] in ENDED and found)

    def done(self, *values, **rest):
        """A handle of a document that is done."""
        handle = self.send(*values, **rest)
        assert self.wait(handle)["status"] == "done"
        return handle

    def owed(self):
        return self.raw("GET", USAGE).json()["character_count"]
