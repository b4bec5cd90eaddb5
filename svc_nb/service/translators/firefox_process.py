"""One Firefox model in a process of its own: a NUL ends each text that comes in, and each translation that goes out.

A model is bound to the thread that made it, panics end the thread, and a broken one can hang or crash: here that takes
nothing else with it. The process is started by this file's path, needs fxtranslate alone, and ends with its input.
"""

import os
import sys
from pathlib import Path


def main(library: str, *files: str) -> None:
    """Answer texts with the model in *files*: model, vocabularies of source and target, and maybe a shortlist."""
    sys.path.append(library)
    from fxtranslate import Translator

    out = os.dup(1)
    os.dup2(2, 1)  # what native code prints is no answer
    translator = Translator(*(Path(file).read_bytes() for file in files))
    rest = b""
    while part := os.read(0, 1 << 16):
        *texts, rest = (rest + part).split(b"\0")
        for text in texts:
            answer = translator.translate_long(text.decode()).encode().replace(b"\0", b" ") + b"\0"
            while answer:
                answer = answer[os.write(out, answer) :]


if __name__ == "__main__":
    main(*sys.argv[1:])
