"""Translations and corpora under a magnifying glass: findings on texts and their translations, and terms in texts."""

from svc_nb.frames.quality.candidates import term_candidates
from svc_nb.frames.quality.catalogue import checks
from svc_nb.frames.quality.check import check
from svc_nb.frames.quality.coverage import coverage

__all__ = ["check", "checks", "coverage", "term_candidates"]
