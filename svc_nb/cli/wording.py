"""Errors in the words of the command line: what says how to mend something in Python says it for a shell."""

from __future__ import annotations

from svc_nb.errors import RowsFailed, SvcError, UnknownLanguage

OPTIONS = {"target_lang": "--to", "source_lang": "--from", "language": "--language"}
IN_A_SHELL = {
    "svc_nb.languages() lists": "`svc-nb languages` lists",
    "svc_nb.glossaries.list() shows": "`svc-nb glossary list` shows",
    "svc_nb.style_rules.list() shows": "`svc-nb style list` shows",
    ".svc.lint()": "`svc-nb glossary lint`",
    ".svc.fix()": "`svc-nb glossary fix`",
    "svc_nb.documents.resume()": "`svc-nb documents --resume`",
    "run it again to go on": "run the same command again: only what is left is paid for",
    "what was paid for is still in memory": "the last answers could not be kept, and are paid for again",
    "set base_url= or SVC_BASE_URL": "set SVC_BASE_URL or --base-url",
    "(and free_base_url= or SVC_FREE_BASE_URL": "(and SVC_FREE_BASE_URL",
    ". A key made by the embedded service needs base_url=session.base_url": "",
    "set api_key= or SVC_API_KEY": "set SVC_API_KEY",
    "set admin_key= or SVC_ADMIN_KEY": "set SVC_ADMIN_KEY",
    "(api_key=, SVC_API_KEY)": "(SVC_API_KEY)",
    "(auth_scheme=, SVC_AUTH_SCHEME)": "(SVC_AUTH_SCHEME)",
    "(read_timeout=, SVC_TIMEOUT)": "(SVC_TIMEOUT)",
    'allow_http="{host}" or SVC_ALLOW_HTTP': "SVC_ALLOW_HTTP",
    'pass its encoding, such as encoding="cp1252"': "name its encoding: --encoding cp1252",
    "Set base_url to": "Set --base-url or SVC_BASE_URL to",
    "Check base_url:": "Check the address (--base-url, SVC_BASE_URL):",
    "replace=True replaces it, out= writes elsewhere": "--replace replaces it, --out writes elsewhere",
    "with glossary_id=": "with --id",
    "give name=, or style_id= of one that is there": "give --name, or --id of one that is there",
    "give language= to create it": "give --language to create it",
    "push with allow_unknown=True": "push with --allow-unknown",
    "pass again=True": "say --again",
    "sample=True is a service of this process: give no key": "--sample is a service of its own: give no key",
    'source_lang; pass it, such as source_lang="de"': "source language; name it: --from de",
    'target_lang; pass it, such as target_lang="de"': "target language; name it: --to de",
    "pass header=True, and if it is a term, header=False": "say --header, and if it is a term, --no-header",
    "pass header=False": "say --no-header",
    "pass header=True": "say --header",
    "pass source_lang=": "say --from",
    "prune=True": "--prune",
    "dry_run=True": "--dry-run",
    "svc_nb.style_rules.catalogue()": "svc_nb.style_rules.catalogue() in Python",
}


def spoken(problem: BaseException) -> str:
    """What *problem* says, for who sits at a shell."""
    return in_a_shell(_text(problem))


def in_a_shell(text: str) -> str:
    """*text* with commands for what says how to do something in Python.

    >>> in_a_shell("svc_nb.documents.resume() goes on")
    '`svc-nb documents --resume` goes on'
    """
    for python, shell in IN_A_SHELL.items():
        text = text.replace(python, shell)
    return text


def without_next(said: str) -> str:
    """A table's line in the words of a shell, without what to type next in Python."""
    return in_a_shell(said.partition(" Next: ")[0])


def _text(problem: BaseException) -> str:
    if isinstance(problem, RowsFailed):
        return str(problem).removesuffix(f" {problem.advice}")
    if isinstance(problem, UnknownLanguage):
        field = problem.field or ""
        return str(problem).replace(field, OPTIONS.get(field, field), 1)
    if isinstance(problem, SvcError):
        return str(problem)
    if isinstance(problem, KeyError) and problem.args:
        return str(problem.args[0])
    if isinstance(problem, OSError) and problem.strerror:
        return f"{problem.filename}: {problem.strerror}" if problem.filename else problem.strerror
    return str(problem) or type(problem).__name__
