"""Options that commands share, declared once; --help lists them in groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import InvalidInput

if TYPE_CHECKING:
    from ..report import Detail

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
PICTURES = (".svg", ".png", ".pdf")


class Option(click.Option):
    """An option with the group that --help lists it in."""

    group = "Options"


class Command(click.Command):
    """A command whose help lists its options by group."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one section for the command's own options and one for each group."""
        groups: dict[str, list[tuple[str, str]]] = {Option.group: []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                title = getattr(parameter, "group", Option.group)
                groups.setdefault(title, []).append(record)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)


class ClaimCommand(Command):
    """A command whose help ends with the language of claims."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the words that the parser accepts."""
        from ..vocabulary import words

        with formatter.section("A claim is made of numbers and"):
            formatter.write_dl(list(words().items()))


def option(*names: str, **attributes: Any) -> Option:
    """Return an option, for `option_group`."""
    return Option(names, **attributes)


def option_group(
    title: str, parameter: str, make: Callable[..., Any], options: Sequence[click.Parameter]
) -> Decorator:
    """Return a decorator that adds options to a command.

    The command receives one argument for all of them, `parameter=make(**values)`. `make` raises
    InvalidInput for values that do not fit together, before the command does any work.
    """
    for member in options:
        if isinstance(member, Option):
            member.group = title

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def call(*arguments: Any, **values: Any) -> Any:
            group_values = {str(member.name): values.pop(str(member.name)) for member in options}
            return command(*arguments, **{parameter: make(**group_values)}, **values)

        # click.option keeps its parameters here, the last one first.
        parameters = [*getattr(command, "__click_params__", ()), *reversed(options)]
        vars(call)["__click_params__"] = parameters
        return call

    return decorate


@dataclass(frozen=True)
class Workers:
    """The executor of a long run: processes of this machine, or on a dask cluster."""

    jobs: int | None = None
    scheduler: str | None = None

    def __post_init__(self) -> None:
        from ..runs.parallel import check_jobs

        check_jobs(self.jobs)
        if self.jobs is not None and self.scheduler is not None:
            raise InvalidInput(
                "cannot be combined with `jobs`",
                f"{self.scheduler} with {self.jobs} jobs",
                "one of the two",
                argument="scheduler",
            )

    @contextmanager
    def open(self) -> Iterator[Executor]:
        """Return the executor for the duration of the block."""
        from ..runs.parallel import Processes

        if self.scheduler is None:
            with Processes(self.jobs) as processes:
                yield processes
            return
        from ..runs.cluster import Cluster

        cluster = Cluster(self.scheduler)
        try:
            yield cluster
        finally:
            cluster.shutdown(wait=False)


worker_options = option_group(
    "Workers",
    "workers",
    Workers,
    (
        option("--jobs", type=int, help="Number of processes.  [default: one per processor]"),
        option(
            "--scheduler",
            metavar="ADDRESS",
            help="Compute on a dask cluster instead: tcp://... or tls://...",
        ),
    ),
)


@dataclass(frozen=True)
class Output:
    """The files and the format of a result; raises if a file cannot be written."""

    wide: bool = False
    digits: int | None = None
    verbose: bool = False
    latex: bool = False
    as_json: bool = False
    files: tuple[str, ...] = ()
    certificate: str | None = None
    suffixes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        from ..files import require_writable

        for path in self.files:
            if Path(path).suffix.lower() not in self.suffixes:
                raise InvalidInput(
                    "must end in a known suffix",
                    repr(Path(path).name),
                    ", ".join(self.suffixes),
                    argument="output",
                )
        for path in (*self.files, *([] if self.certificate is None else [self.certificate])):
            require_writable(path, "another FILE")

    @property
    def detail(self) -> Detail:
        """The amount of detail in the printed report."""
        from ..report import BRIEF, Detail

        return Detail(self.digits or BRIEF.digits, self.verbose)


def output_options(
    *suffixes: str,
    as_json: bool = True,
    certificate: bool = False,
    digits: bool = False,
    verbose: bool = False,
    latex: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds --output for files with these suffixes, --json, --latex,
    --digits, --verbose and --wide.

    The command receives them as `output`.
    """
    picture = " The last three are pictures." if PICTURES[-1] in suffixes else ""
    kinds = ", ".join(suffixes)
    about = f"Also write the result to FILE, which ends in {kinds}; repeatable.{picture}"
    proof = "Write a proof of the result for `rpttheory check FILE`."
    number = "Significant digits of the printed numbers.  [default: 6; 3<=x<=17]"
    how = "Also show how the numbers were computed."
    paste = "Print LaTeX to paste into a paper; needs amsmath."
    fit = "Do not wrap lines at the terminal width, or at 80 columns."
    choices = (
        (bool(suffixes), option("--output", "files", multiple=True, metavar="FILE", help=about)),
        (certificate, option("--certificate", metavar="FILE", help=proof)),
        (as_json, option("--json", "as_json", is_flag=True, help="Print JSON.")),
        (digits, option("--digits", type=click.IntRange(3, 17), metavar="N", help=number)),
        (verbose, option("--verbose", is_flag=True, help=how)),
        (latex, option("--latex", is_flag=True, help=paste)),
        (True, option("--wide", is_flag=True, help=fit)),
    )
    options = [add_option for is_wanted, add_option in choices if is_wanted]

    def make(**values: Any) -> Output:
        return Output(**values, suffixes=suffixes)

    return option_group("Output", "output", make, options)


def out_option() -> Decorator:
    """Return a decorator that adds --out, the folder of results."""
    return click.option(
        "--out",
        required=True,
        type=click.Path(),
        metavar="DIR",
        help="Folder for results, created if necessary. The same command resumes a stopped run.",
    )


overhead_option = click.option(
    "--overhead",
    default="0",
    help="Fixed cost of a step, in the same unit as the costs.",
)
order_option = click.option("--order", help="A forced order of the blocks, numbered from 0: 2,0,1.")
time_limit_flag = click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop after this time as on Ctrl-C, with exit code 3.",
)


def time_limit_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --time-limit, after which the whole command ends as it does on Ctrl-C."""

    @time_limit_flag
    @wraps(command)
    def call(*arguments: Any, time_limit: float | None, **values: Any) -> Any:
        from .progress import interrupted_after

        with interrupted_after(time_limit):
            return command(*arguments, **values)

    return call


def run_options(repeats: int) -> Decorator:
    """Return a decorator that adds what all experiments share.

    These are --out, --repeats, the workers, and the output.
    """
    decorators: Sequence[Decorator] = (
        out_option(),
        click.option(
            "--repeats",
            default=repeats,
            help="Runs of each random method, with seeds 0, 1, ...",
        ),
        time_limit_option,
        worker_options,
        output_options(".html", as_json=False),
    )

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate
