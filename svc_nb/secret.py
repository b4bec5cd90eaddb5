"""A key that is never shown by accident: not in a repr, a log line, a pickle or a JSON document."""

import hmac
import re
from typing import Any, NoReturn
from urllib.parse import quote

STARS = "****"


class Secret:
    """Holds one secret string; only `reveal` gives it away.

    Two secrets are equal if their strings are. A secret is not a `str`, so formatting and logging show stars, and
    `json.dumps` refuses it.

    >>> Secret("abc")
    ****
    """

    __slots__ = ("__value",)

    def __init__(self, value: str) -> None:
        self.__value = value

    def reveal(self) -> str:
        """Give the string away; call it only where the string leaves the process."""
        return self.__value

    def hide(self, text: str) -> str:
        """*text* with stars for each copy of the secret, in upper or lower case, percent-encoded or not."""
        if not self.__value or (text.isascii() and len(text) < len(self.__value)):
            return text
        forms = (self.__value, quote(self.__value, safe=""))
        if text.isascii() and not any(form.lower() in text.lower() for form in forms):
            return text  # the usual case; compiling a pattern for each of many secrets takes longer than a request
        return re.sub("|".join(map(re.escape, forms)), STARS, text, flags=re.IGNORECASE)

    def __repr__(self) -> str:
        return STARS

    def __format__(self, spec: str) -> str:
        return format(STARS, spec)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        mine, theirs = (each.__value.encode("utf-8", "surrogatepass") for each in (self, other))
        return hmac.compare_digest(mine, theirs)

    def __hash__(self) -> int:
        return hash((Secret, self.__value))

    def __copy__(self) -> "Secret":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Secret":
        return self

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("A Secret cannot be pickled. Connect again where the key is needed.")
