"""The command tree, and the one place where an error becomes an exit code."""

from __future__ import annotations

import errno
import os
import sys
import threading
import traceback
from collections.abc import Sequence
from typing import NoReturn

import typer

import fcbench
from fcbench.cli import (
    compare_commands,
    data_commands,
    dataset_commands,
    export_commands,
    gate_commands,
    import_commands,
    package_commands,
    project_commands,
    provider_commands,
    review_commands,
    run_commands,
    sweep_commands,
    trend_commands,
    try_commands,
    validate_commands,
    workbench_commands,
)
from fcbench.cli.output import Output
from fcbench.errors import FcbenchError, NotFoundError, UsageError, WriteError
from fcbench.export.offline import stay_offline

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it: 128 + SIGINT."""

app = typer.Typer(
    name="fcbench",
    help="Measure how well language models call functions, and publish what others can replicate.",
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
) -> None:
    """Measure how well language models call functions, and publish what others can replicate.

    Exit codes: 0 pass, 1 fail, 2 cannot tell, 64 usage, 65 bad input, 66 not found, 69 not available, 70 internal,
    73 cannot write, 75 provider or ceiling, 78 mixed boards or tier not applicable, 130 interrupted.

    Example: fcbench quickstart
    """
    if version:
        Output().result(f"fcbench {fcbench.__version__}", {"version": fcbench.__version__})
        raise typer.Exit(0)
    if context.invoked_subcommand is None:
        Output().result(context.get_help(), {"help": context.get_help()})


run_commands.register(app)
sweep_commands.register(app)
try_commands.register(app)
compare_commands.register(app)
trend_commands.register(app)
data_commands.register(app)
dataset_commands.register(app)
export_commands.register(app)
import_commands.register_results(app)
gate_commands.register(app)
package_commands.register(app)
project_commands.register(app)
validate_commands.register(app)
provider_commands.register(app)
workbench_commands.register(app)
review_commands.register(app)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Nothing is raised but what ends a process.

    Args:
        argv: arguments without the program's name; the process's own without.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    stay_offline(os.environ)
    output = Output(as_json="--json" in arguments)
    try:
        code = app(args=arguments, prog_name="fcbench", standalone_mode=False)
    except FcbenchError as error:
        output.error(error)
        return error.exit_code
    except typer.TyperException as error:
        output.error(_usage(error))
        return UsageError.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return _interrupted(output)
    except BrokenPipeError:  # the reader of our output has gone: `fcbench tables | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        refused = _refused(error)
        output.error(refused)
        return refused.exit_code
    except Exception as error:
        output.error(_internal(error))
        return FcbenchError.exit_code
    if code == INTERRUPTED:  # Typer makes this of a KeyboardInterrupt, without a word
        return _interrupted(output)
    return code if isinstance(code, int) else 0


def _interrupted(output: Output) -> int:
    output.note("interrupted; what was finished is kept, and the same command goes on where it stopped")
    return INTERRUPTED


def _usage(error: typer.TyperException) -> UsageError:
    says = getattr(error, "format_message", None)
    return UsageError(
        "the command is not written as it should be",
        found=str(says() if says else error),
        next_step="see `fcbench --help` or `fcbench COMMAND --help`",
    )


def _refused(error: OSError) -> FcbenchError:
    """A file or folder that the system does not give, where no workflow has a better word for it."""
    kind = WriteError if error.errno in (errno.ENOSPC, errno.EROFS, errno.EDQUOT) else NotFoundError
    return kind(
        "the system refuses access to a file or folder",
        wanted="a place that may be read, and written where something is written",
        found=error.strerror or type(error).__name__,
        where=str(error.filename or "unknown"),
        next_step="mend the permissions, or name another place",
    )


def _internal(error: Exception) -> FcbenchError:
    if os.environ.get("FCBENCH_TRACEBACK"):
        traceback.print_exception(error)
    return FcbenchError(
        "this is a fault of fcbench itself",
        found=f"{type(error).__name__}: {error}"[:500],
        next_step="repeat the command with FCBENCH_TRACEBACK=1 and report what it prints",
    )


def run() -> None:
    """The console script."""
    leave(main())


def leave(code: int) -> NoReturn:
    """End the process. After an interrupt it does not wait for threads: a tool that hangs must not hold it."""
    others = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
    if code == INTERRUPTED and not all(thread.daemon for thread in others):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    raise SystemExit(code)
