"""`.svc` on pandas: every method is one job of `columns`. Cheap to import: the rest loads on first use."""

from svc_nb.accessor.column import ColumnTexts
from svc_nb.accessor.frame import FrameTexts
from svc_nb.columns import last_run

__all__ = ["ColumnTexts", "FrameTexts", "last_run"]
