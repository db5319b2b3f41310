"""Nothing is called that one system alone has, unless there is another way: this reads every use in the source."""

import ast
from collections.abc import Iterator

import pytest
from sources import ROOT, files_of, parsed

# Present on Linux, macOS and Windows, and of the same meaning there. A name that is not here has to be looked up first.
PORTABLE = {
    "os": {
        "PathLike", "access", "close", "cpu_count", "devnull", "dup2", "environ", "fdopen", "fspath", "fsync",
        "getcwd", "getpid", "open", "replace", "unlink", "O_CREAT", "O_EXCL", "O_WRONLY", "SEEK_END", "W_OK",
    },
    "signal": {"SIGINT", "SIG_IGN", "signal"},
}  # fmt: skip
ONE_SYSTEM = {
    "_winapi", "crypt", "fcntl", "grp", "msvcrt", "nt", "posix", "pty", "pwd", "resource", "syslog", "termios",
    "tty", "winreg", "winsound",
}  # fmt: skip
ONE_SYSTEM_OPTIONS = {"creationflags", "pass_fds", "preexec_fn", "process_group", "start_new_session", "startupinfo"}
START_METHODS = {"fork", "forkserver"}

# Where something of one system is used, and what happens on the others.
ALLOWED = {
    ("rpttheory/files.py", "os.link"): "where links fail, the name is taken with O_EXCL",
    ("rpttheory/machine.py", "read_text without an encoding"): "of an installed distribution, which is read as UTF-8",
    ("rpttheory/files.py", "os.chmod"): "Windows knows the read-only bit alone, which 644 leaves unset",
    ("rpttheory/machine.py", "'/proc/meminfo'"): "os.sysconf",
    ("rpttheory/machine.py", "'/proc/self/cgroup'"): "no limit is known",
    ("rpttheory/machine.py", "'/sys/fs/cgroup'"): "no limit is known",
    ("rpttheory/machine.py", "os.sysconf"): "nothing is refused for want of memory",
    ("rpttheory/machine.py", "os.sched_getaffinity"): "os.cpu_count",
    ("rpttheory/provenance.py", "'/proc/cpuinfo'"): "platform.processor",
    ("proofs_check/runner.py", "signal.SIGALRM"): "a check is judged by the clock when it is over",
    ("proofs_check/runner.py", "signal.setitimer"): "a check is judged by the clock when it is over",
    ("proofs_check/runner.py", "signal.ITIMER_REAL"): "a check is judged by the clock when it is over",
}


def special_uses(tree: ast.AST) -> Iterator[str]:
    """What in it may not be on every system; paths by `os.path` and text without an encoding count too."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (f"import {one.name}" for one in names if one.name.split(".")[0] in ONE_SYSTEM)
                yield from (f"import {one.name} as" for one in names if one.name in PORTABLE and one.asname)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                if module.split(".")[0] in ONE_SYSTEM:
                    yield f"import {module}"
                if module.split(".")[0] in PORTABLE:
                    yield from (f"{module}.{one.name}" for one in names if one.name not in PORTABLE.get(module, ()))
            case ast.Attribute(value=ast.Name(id=("os" | "signal") as module), attr=name) if (
                name not in PORTABLE[module]
            ):
                yield f"{module}.{name}"
            case ast.Constant(value=str(text)) if text.startswith(("/proc", "/dev", "/sys", "/etc", "/tmp", "/usr")):
                yield repr(text)
            case ast.Call(func=func, args=arguments, keywords=keywords):
                name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
                given = {keyword.arg for keyword in keywords}
                yield from (f"{option}=" for option in ONE_SYSTEM_OPTIONS & given)
                if name in ("get_context", "set_start_method", "ProcessPoolExecutor"):
                    values = {getattr(one, "value", None) for one in arguments}
                    yield from (f"{name}({method})" for method in START_METHODS & values)
                    if name != "get_context" and "mp_context" not in given:
                        yield f"{name} without a start method"
                method = isinstance(func, ast.Attribute)
                if method and name in ("read_text", "write_text") and "encoding" not in given:
                    yield f"{name} without an encoding"


def test_every_use_has_another_way() -> None:
    found = {
        (path.relative_to(ROOT).as_posix(), use)
        for path in files_of("rpttheory", "proofs_check", "examples")  # benchmarks are for Linux
        for use in special_uses(parsed(path))
    }
    assert found == set(ALLOWED)


@pytest.mark.parametrize(
    ("source", "use"),
    [
        ("import os\nos.fork()", "os.fork"),
        ("import os\nos.path.join('a', 'b')", "os.path"),
        ("def f():\n    from os import sysconf", "os.sysconf"),
        ("import os as system", "import os as"),
        ("from os.path import join", "os.path.join"),
        ("import fcntl", "import fcntl"),
        ("from resource import getrusage", "import resource"),
        ("import signal\nsignal.alarm(1)", "signal.alarm"),
        ("from signal import SIGKILL", "signal.SIGKILL"),
        ("open('/proc/self/stat')", "'/proc/self/stat'"),
        ("multiprocessing.get_context('fork')", "get_context(fork)"),
        ("ProcessPoolExecutor(2)", "ProcessPoolExecutor without a start method"),
        ("subprocess.run([], preexec_fn=f)", "preexec_fn="),
        ("Path('x').read_text()", "read_text without an encoding"),
    ],
)
def test_uses_are_noticed(source: str, use: str) -> None:
    assert list(special_uses(ast.parse(source))) == [use]


def test_what_every_system_has_is_not() -> None:
    lines = ("import os", "os.replace(a, b)", "get_context('spawn')", "p.read_text(encoding='utf-8')", "x.path.join(y)")
    assert list(special_uses(ast.parse("\n".join(lines)))) == []


def test_the_workflow_runs_the_commands_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    commands = readme.split("```sh\n")[1].split("```")[0].splitlines()
    assert len(commands) == 2
    for command in commands:
        command = command.replace("python3 ", "python ").replace(".venv/bin/", ".venv/${{ matrix.bin }}/")
        assert f"- run: {command}\n" in workflow
