"""A client of `clew view` for tests: starts it, asks over raw sockets and urllib, and ends it."""
import http.client
import json
import os
import signal
import socket
import subprocess


class Page:
    def __init__(self, path, *options):
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        self.process = subprocess.Popen(["clew", "view", path, "--json", *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=environment)
        self.said = json.loads(self.process.stdout.readline())
        self.port = self.said["port"]
        self.token = self.said["address"].split("token=")[1]
        self.cookie = f"clew-{self.port}={self.token}"

    def ask(self, target, method="GET", body=None, **fields):
        """Status, header fields and body of an answer. A field that is None is left out."""
        headers = {"Host": f"127.0.0.1:{self.port}", "Cookie": self.cookie}
        headers.update({k.replace("_", "-"): v for k, v in fields.items()})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            if value is not None:
                connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), content

    def document(self, key):
        status, _, body = self.ask(f"/api/{key}")
        assert status == 200, (key, status, body)
        return json.loads(body)

    def status(self, target, **how):
        return self.ask(target, **how)[0]

    def raw(self, data=b""):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        connection.sendall(data)
        return connection

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        self.process.communicate()
        return self.process.returncode
