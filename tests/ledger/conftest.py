"""A ledger in a file, and one on a real PostgreSQL that these tests start on the loopback interface."""

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from pathlib import Path

import pytest


def programs():
    """Where PostgreSQL's server programs are, the newest first; Debian keeps them off the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    on_path = shutil.which("initdb")
    return found or ([Path(on_path).parent] if on_path else [])


class Server:
    """A PostgreSQL server with a data folder of its own."""

    def __init__(self, folder, port):
        self.folder, self.port = folder, port
        self.bin = programs()[0]

    def run(self, program, *arguments):
        # The server refuses to run as root.
        switched = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        command = [*switched, str(self.bin / program), *arguments]
        subprocess.run(command, check=True, cwd=self.folder, stdout=subprocess.DEVNULL)

    def start(self):
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", "-o", options, "start")

    def stop(self):
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", "immediate", "stop")

    def new_database(self):
        name = f"ledger_{uuid.uuid4().hex}"
        self.run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "tester", name)
        return f"postgresql://tester@127.0.0.1:{self.port}/{name}"


@pytest.fixture(scope="session")
def server():
    if not programs():
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    with tempfile.TemporaryDirectory(prefix="spark_dp_pg") as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        made = Server(folder, port)
        made.run("initdb", "-D", f"{folder}/data", "-U", "tester", "-A", "trust", "--no-sync")
        free.close()
        made.start()
        yield made
        made.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return str(tmp_path / "ledger.db")
    return request.getfixturevalue("server").new_database()
