"""`python -m sotto`: what the program `sotto` leaves to Python, which is Parquet."""
from __future__ import annotations

import argparse
import re
import signal
import sys
from typing import Any, NoReturn

from . import mechanisms
from ._parquet import DONE, IS_NO, BadData, Stopped, columns, privatize

_USAGE, _BAD_DATA, _INPUT_OUTPUT = 2, 3, 4
_TITLE = "python -m sotto"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=_TITLE, description="Parquet files. The program `sotto` takes all other formats.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    release = commands.add_parser(
        "privatize", help="replace every word of one column of a Parquet file by a random word of the model",
        description="Replaces every word of one column of a Parquet file by a random word of the model. The other "
        "columns, the schema and its metadata pass in clear; rows keep their order and row groups. One row group is in "
        "memory at a time. The output is whole or absent.")
    release.add_argument("file", help="a Parquet file")
    release.add_argument("--column", required=True, action="append", help="the column to privatise, by name or by number (from 1)")
    release.add_argument("-o", "--output", required=True, help="the Parquet file to write")
    release.add_argument("--model", help="a .sotto file (default: the default model)")
    release.add_argument("--mechanism", default="tem", help="default: tem; `sotto mechanisms` describes them")
    for name, text in _parameters().items():
        release.add_argument(f"--{name}", help=text)
    release.add_argument("--unknown", default="anchor", help="words that the model does not have: anchor (default) | "
                         "mask | drop | keep. Only anchor is private")
    release.add_argument("--unknown-word", help="the public word that stands for unknown words")
    release.add_argument("--strip-html", action="store_true", help="remove HTML tags such as <br /> and decode entities first")
    release.add_argument("--report", help="write the report of the release (JSON, for the data holder)")
    release.add_argument("--public-report", action="store_true", help="leave every count taken from the input out of the report")
    release.add_argument("--certify", action="store_true", help="put the certificate of this model into the report")
    release.add_argument("--force", action="store_true", help="replace existing files")
    release.add_argument("--allow-weak", action="store_true", help="go on even if more than 90%% of the words are expected to stay")
    release.add_argument("--threads", type=int, default=0, help="default: one for each core")
    release.add_argument("-q", "--quiet", action="store_true", help="no summary; warnings stay")
    listed = commands.add_parser("columns", help="show the names and types of the columns of a Parquet file")
    listed.add_argument("file", help="a Parquet file")
    return parser


def _parameters() -> dict[str, str]:
    """Of the word mechanisms, from the registry, each once."""
    found: dict[str, str] = {}
    for entry in mechanisms():
        if entry.kind == "words":
            for parameter in entry.parameters:
                found.setdefault(parameter.name, parameter.help.replace("%", "%%"))
    return found


def _flags(message: str) -> str:
    """The engine's messages name keywords of Python, `epsilon=2`; here they are flags."""
    def flag(match: re.Match[str]) -> str:
        name, value = match[1].rstrip("_").replace("_", "-"), match[2].strip("'")
        return f"--{name} {value}".rstrip()
    return re.sub(r"`([a-z_]+)=([^`]*)`", flag, message)


def _fail(message: str, code: int) -> NoReturn:
    print(f"sotto: {_flags(message)}", file=sys.stderr)
    raise SystemExit(code)


def main(words: list[str] | None = None) -> int:
    arguments = _parser().parse_args(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that the temporary file is removed
    try:
        if arguments.command == "columns":
            return columns(arguments.file)
        chosen: dict[str, Any] = {name: getattr(arguments, name.replace("-", "_")) for name in _parameters()}
        return privatize(arguments, {name: value for name, value in chosen.items() if value is not None})
    except Stopped as stopped:
        print(f"sotto: {stopped}", file=sys.stderr)
        return IS_NO
    except BadData as fault:
        _fail(str(fault), _BAD_DATA)
    except (ValueError, TypeError) as fault:
        _fail(str(fault), _USAGE)
    except KeyError as fault:
        _fail(str(fault.args[0]), _USAGE)
    except OSError as fault:
        _fail(fault.strerror and f"{fault.filename}: {fault.strerror}" or str(fault), _INPUT_OUTPUT)
    except ImportError as fault:
        _fail(str(fault), _USAGE)
    except KeyboardInterrupt:
        return 130
    return DONE


if __name__ == "__main__":
    sys.exit(main())
