"""The magics `%svc`, `%translate` and `%%translate`."""

from typing import Any

__all__ = ["register", "unregister"]


def register(shell: Any) -> None:
    """Register the magics and their completion in *shell*, replacing earlier ones; their settings stay."""
    from svc_nb.magics.completion import Completion
    from svc_nb.magics.magics import SvcMagics

    unregister(shell)
    shell.register_magics(SvcMagics(shell, parent=shell))
    shell.Completer.custom_matchers.append(Completion(shell))


def unregister(shell: Any) -> None:
    """Remove them again."""
    from svc_nb.magics.completion import Completion
    from svc_nb.magics.magics import SvcMagics

    for parts, kind in ((shell.Completer.custom_matchers, Completion), (shell.configurables, SvcMagics)):
        parts[:] = [each for each in parts if not isinstance(each, kind)]
    for kind_of_magic, names in SvcMagics.magics.items():
        for name in names:
            shell.magics_manager.magics[kind_of_magic].pop(name, None)
