"""A Postgres server of the tests' own, in a folder that goes away with it."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

UNPRIVILEGED = 'postgres', 'nobody'
"""Users of whom there is one: the server refuses to run as root."""


def binaries() -> Path | None:
    """The folder of `initdb` and `postgres`, the newest where there are several."""
    installed = sorted(Path('/usr/lib/postgresql').glob('*/bin'), key=lambda folder: int(folder.parent.name))
    if installed:
        return installed[-1]
    found = shutil.which('postgres')
    return Path(found).resolve().parent if found else None


def _user() -> pwd.struct_passwd:
    if os.getuid():
        return pwd.getpwuid(os.getuid())
    known = {user.pw_name: user for user in pwd.getpwall()}
    return next(known[name] for name in UNPRIVILEGED if name in known)


@contextmanager
def postgres() -> Generator[str]:
    """Run a server.

    Returns:
        The URL of a database in it, which is empty.
    """
    folder = binaries()
    if folder is None:
        raise RuntimeError('Postgres is not installed; on Debian: apt-get install postgresql')
    user = _user()
    as_user = {} if user.pw_uid == os.getuid() else {'user': user.pw_uid, 'group': user.pw_gid, 'extra_groups': []}
    with tempfile.TemporaryDirectory(prefix='postgres-') as place, socket.create_server(('127.0.0.1', 0)) as free:
        port = free.getsockname()[1]
        free.close()
        os.chown(place, user.pw_uid, user.pw_gid)
        cluster = Path(place, 'cluster')
        made = [folder / 'initdb', '--pgdata', cluster, '--auth', 'trust', '--username', 'batch', '--no-sync']
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL, cwd=place, **as_user)
        options = ['-D', cluster, '-p', f'{port}', '-k', place, '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off']
        server = subprocess.Popen([folder / 'postgres', *options], stderr=subprocess.DEVNULL, cwd=place, **as_user)
        try:
            ask = [folder / 'pg_isready', '-q', '-h', '127.0.0.1', '-p', f'{port}']
            while subprocess.run(ask, check=False).returncode:
                if server.poll() is not None:
                    raise RuntimeError(f'Postgres ended with {server.returncode}')
            yield f'postgresql://batch@127.0.0.1:{port}/postgres'
        finally:
            server.terminate()  # which waits for nobody's transactions, but for nobody's connections to close either
            try:
                server.wait(5)
            except subprocess.TimeoutExpired:
                server.send_signal(2)  # fast: connections are cut
                server.wait()
