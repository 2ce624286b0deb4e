"""
Everything that a program in a sandbox might try, as one program that tries it.

    python attempts.py NAME [PLACE...]

It is sent into a sandbox like any other program. It tries what the function of that name
tries and says on standard error, in one line, what happened. The docstring of a function
is what the table in docs/sandbox.md says was tried.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import signal
import socket
import sys
import threading
import time

TRIES = {}
MB = 1 << 20
libc = ctypes.CDLL(None, use_errno=True)


def attempt(function):
    """
    Add a function to what can be tried.
    """
    TRIES[function.__name__.replace("_", "-")] = function
    return function


def call(name, *arguments):
    """
    Make a call of the C library, or a system call by its number; raise what goes wrong.
    """
    function = libc.syscall if isinstance(name, int) else getattr(libc, name)
    first = (ctypes.c_long(name),) if isinstance(name, int) else ()
    if function(*first, *arguments) == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return "done"


def each(places, act):
    """
    Return what happens at each of some places, once if it is the same everywhere.
    """
    outcomes = []
    for place in places:
        try:
            act(place)
            outcomes.append(f"{place}: done")
        except OSError as error:
            outcomes.append(error.strerror)
    return ", ".join(dict.fromkeys(outcomes))


def read(path):
    """
    Read a file, or list a folder.
    """
    if os.path.isdir(path):
        os.listdir(path)
    else:
        with open(path, "rb") as file:
            file.read()


def write(path):
    """
    Write a file.
    """
    with open(path, "wb") as file:
        file.write(b"x")


def machine(x86, arm):
    """
    Return the number of a system call here.
    """
    return arm if os.uname().machine == "aarch64" else x86


# --- files -----------------------------------------------------------------------------------


@attempt
def read_secrets_of_the_system():
    """
    Read `/etc/shadow`, `/etc/ssh`, `/root`, `/home`, `/var`, `/sys`, `/boot`.
    """
    return each(("/etc/shadow", "/etc/ssh", "/root", "/home", "/var", "/sys", "/boot"), read)


@attempt
def read_the_store(*places):
    """
    Read the referee's store, a token file and its socket folder, at their real paths.
    """
    return each(places, read)


@attempt
def read_another_program(place):
    """
    Read the program of another bot, at its real path.
    """
    return each((place,), read)


@attempt
def read_out_of_the_folder(place):
    """
    The same through `..`, `/proc/1/root` and `/proc/self/root`.
    """
    return each((f"/bot/../..{place}", f"/proc/1/root{place}", f"/proc/self/root{place}"), read)


@attempt
def read_the_partners_temporary_files(name):
    """
    Read what the partner has written to its `/tmp` and `/dev/shm`.
    """
    return each((f"/tmp/{name}", f"/dev/shm/{name}"), read)


@attempt
def write_to_the_program():
    """
    Write to its own program folder.
    """
    return each(("/bot/new", "/bot/attempts.py"), write)


@attempt
def write_to_the_system():
    """
    Write to `/`, `/usr/bin`, `/etc`, `/dev`, `/run`.
    """
    return each(("/new", "/usr/bin/new", "/etc/new", "/dev/new", "/run/new"), write)


@attempt
def write_to_the_kernel():
    """
    Write to `/proc/sys/kernel/core_pattern` and `/proc/sys/vm/drop_caches`.
    """
    return each(("/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches"), write)


@attempt
def replace_the_socket():
    """
    Remove the referee's socket, rename it, put a file beside it.
    """
    folder, path = "/run/euchre", "/run/euchre/referee.sock"
    outcomes = []
    for act in (
        lambda: os.unlink(path),
        lambda: os.rename(path, f"{folder}/other"),
        lambda: write(f"{folder}/new"),
    ):
        try:
            act()
            outcomes.append("done")
        except OSError as error:
            outcomes.append(error.strerror)
    return f"{', '.join(dict.fromkeys(outcomes))}; there is {' '.join(os.listdir(folder))}"


# --- the network -----------------------------------------------------------------------------


@attempt
def reach_the_referees_port(port):
    """
    Connect to the referee's TCP port on the loopback of the host.
    """
    with socket.create_connection(("127.0.0.1", int(port)), 5):
        return "connected"


@attempt
def reach_the_internet():
    """
    Connect to an address on the internet.
    """
    with socket.create_connection(("198.51.100.1", 53), 5):
        return "connected"


@attempt
def look_up_a_name():
    """
    Look up a name in the DNS.
    """
    try:
        return str(socket.getaddrinfo("example.org", 443))
    except socket.gaierror:
        return "no name server is reached"


@attempt
def reach_an_abstract_socket(name):
    """
    Connect to an abstract unix socket of the host, which has no path.
    """
    with socket.socket(socket.AF_UNIX) as mine:
        mine.connect(f"\0{name}")
        return "connected"


@attempt
def listen_for_the_partner():
    """
    List its network interfaces, over which a partner might be met.
    """
    return " ".join(name for _, name in socket.if_nameindex())


@attempt
def send_raw_packets():
    """
    Open a raw socket and a packet socket.
    """
    outcomes = []
    for kind in ((socket.AF_INET, socket.SOCK_RAW, 1), (socket.AF_PACKET, socket.SOCK_RAW, 3)):
        try:
            socket.socket(*kind).close()
            outcomes.append("done")
        except OSError as error:
            outcomes.append(error.strerror)
    return ", ".join(dict.fromkeys(outcomes))


# --- processes -------------------------------------------------------------------------------


@attempt
def find_other_processes():
    """
    Look for the partner's process, or any other, in `/proc`.
    """
    return f"{sum(name.isdecimal() for name in os.listdir('/proc'))} processes, its own"


@attempt
def signal_everybody():
    """
    Kill every process that it can reach.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.kill(-1, signal.SIGTERM)
    return "reached nobody outside; the partner lives"


@attempt
def fork_without_end():
    """
    Fork until it fails, each child staying.
    """
    number = 0
    try:
        while number < 10_000:
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)
            number += 1
    except OSError as error:
        return f"{error.strerror} after {'fewer than 64' if number < 64 else number}"
    return "never failed"


@attempt
def start_threads_without_end():
    """
    The same with threads.
    """
    number = 0
    try:
        while number < 10_000:
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
            number += 1
    except RuntimeError:
        return f"refused after {'fewer than 64' if number < 64 else number}"
    return "never failed"


@attempt
def stay_behind(seconds):
    """
    Leave a child behind that has a session of its own, and end.
    """
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", seconds])
        os._exit(0)
    return "ended with it"


@attempt
def trace_a_process():
    """
    Attach to its first process with ptrace.
    """
    return call("ptrace", 16, 1, 0, 0)


@attempt
def go_first():
    """
    Raise its own priority.
    """
    os.nice(-20)
    return "done"


@attempt
def raise_limits():
    """
    Raise its limits of processes, open files and file size.
    """
    outcomes = []
    for kind in (resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE):
        try:
            resource.setrlimit(kind, (1 << 40, 1 << 40))
            outcomes.append("done")
        except (OSError, ValueError):
            outcomes.append("not allowed")
    return ", ".join(dict.fromkeys(outcomes))


# --- space -----------------------------------------------------------------------------------


def fill(folder, size):
    """
    Write files to a folder until that fails.
    """
    written = number = 0
    chunk = bytes(MB)
    while written < 64 * size:
        try:
            number += 1
            with open(f"{folder}/{number}", "wb") as file:
                for _ in range(4):
                    written += file.write(chunk)
        except OSError as error:
            return f"{error.strerror} after {-(-written // MB)} MB"
    return "never failed"


@attempt
def fill_the_disk():
    """
    Fill `/tmp`, which may take 16 MB in this test, with many files.
    """
    return fill("/tmp", 16 * MB)


@attempt
def fill_shared_memory():
    """
    Fill `/dev/shm`.
    """
    return fill("/dev/shm", 16 * MB)


@attempt
def write_one_large_file():
    """
    Write one file beyond the limit of files, 16 MB in this test.
    """
    try:
        with open("/tmp/large", "wb") as file:
            file.truncate(17 * MB)
    except OSError as error:
        return error.strerror
    return "done"


@attempt
def open_files_without_end():
    """
    Open files until that fails.
    """
    files = []
    try:
        while len(files) < 100_000:
            files.append(os.open("/dev/null", os.O_RDONLY))
    except OSError as error:
        return f"{error.strerror} after {len(files)}"
    return "never failed"


@attempt
def take_memory_of_no_process():
    """
    Take memory that belongs to no process: System V segments, files in memory.
    """
    outcomes = []
    for act in (
        lambda: call("shmget", 0, 1 << 30, 0o1600),
        lambda: os.memfd_create("x"),
    ):
        try:
            act()
            outcomes.append("done")
        except OSError as error:
            outcomes.append(error.strerror)
    return ", ".join(dict.fromkeys(outcomes))


@attempt
def take_memory_without_end():
    """
    Allocate memory, 16 MB at a time, and touch it; 128 MB are allowed in this test.
    """
    kept = []
    while len(kept) < 32:
        kept.append(b"x" * (16 * MB))
        # Slowly enough for a warden that gets little of a processor.
        time.sleep(0.05)
    time.sleep(60)
    return "never failed"


# --- the kernel ------------------------------------------------------------------------------


@attempt
def mount_something():
    """
    Mount a file system, remount `/` for writing, unmount `/bot`.
    """
    outcomes = []
    for act in (
        lambda: call("mount", b"tmpfs", b"/tmp", b"tmpfs", 0, 0),
        lambda: call("mount", b"none", b"/", b"none", 32, 0),
        lambda: call("umount2", b"/bot", 2),
    ):
        try:
            outcomes.append(act())
        except OSError as error:
            outcomes.append(error.strerror)
    return ", ".join(dict.fromkeys(outcomes))


@attempt
def become_root():
    """
    Become user 0, and gain privileges by running a setuid program.
    """
    try:
        os.setuid(0)
        return "done"
    except OSError as error:
        with open("/proc/self/status") as status:
            gains = "NoNewPrivs:\t1\n" not in status.readlines()
        return f"{error.strerror}; setuid programs {'gain' if gains else 'gain nothing'}"


@attempt
def make_a_namespace():
    """
    Make a user namespace of its own, in which it would be root.
    """
    try:
        return call("unshare", 0x10000000)
    except OSError as error:
        return "refused" if error.errno in (errno.ENOSPC, errno.EPERM) else error.strerror


@attempt
def make_a_device():
    """
    Make a device file of the first disk.
    """
    os.mknod("/tmp/disk", 0o60600, os.makedev(8, 0))
    return "done"


@attempt
def use_rare_parts_of_the_kernel():
    """
    Use the kernel's log, keys, bpf, perf and io_uring.
    """
    outcomes = []
    for number in (
        machine(103, 116),
        machine(250, 219),
        machine(321, 280),
        machine(298, 241),
        425,
    ):
        try:
            outcomes.append(call(number, 3, 0, 0, 0, 0))
        except OSError as error:
            outcomes.append(error.strerror)
    return ", ".join(dict.fromkeys(outcomes))


@attempt
def type_into_the_terminal():
    """
    Open the terminal of whoever started the referee.
    """
    return each(("/dev/tty",), read)


@attempt
def see_the_environment():
    """
    Look for anything in its environment that is not its own.
    """
    known = {"PATH", "LANG", "HOME", "TMPDIR", "PWD", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE"}
    known |= {"LC_CTYPE", "OLDPWD"}
    strange = [name for name in os.environ if name not in known and "EUCHRE" not in name]
    return " ".join(strange) or "nothing"


def main(name, *places):
    """
    Try it, and say what happened.
    """
    try:
        outcome = TRIES[name](*places)
    except OSError as error:
        outcome = error.strerror or str(error)
    sys.stderr.write(f"{outcome}\n")
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
