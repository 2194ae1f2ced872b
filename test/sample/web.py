"""A limited client for samples/HttpServer: sends a fixed list of requests over a few connections, and checks every answer."""

import concurrent.futures
import http.client
import pathlib
import re
import socket
import time
import urllib.parse

import recorder

CONNECTIONS = 4
ROUNDS = 3
_TIMEOUT = 60


def _require(condition, words):
    if not condition:
        raise recorder.Failure(words)


def wait_for_port(file, process):
    """Waits for the port that the server writes into the file. Fails if the server ends first."""
    until = time.monotonic() + _TIMEOUT
    while not file.exists():
        _require(process.poll() is None, f"the server ended with {process.returncode} before it had a port")
        _require(time.monotonic() < until, "the server has no port")
        time.sleep(0.02)
    return int(file.read_text())


def requests_of(site):
    """[(method, path, headers, body, (status, body, content type))]: requests, and the answers that must come."""
    page = (site / "index.html").read_bytes()
    pictures = re.findall(r'src="([^"]+)"', page.decode())
    _require(len(pictures) == 20, f"{len(pictures)} pictures on the page")
    text, html, png = "text/plain; charset=utf-8", "text/html; charset=utf-8", "image/png"
    load = [("GET", "/", {}, None, (200, page, html))]
    for name in pictures:
        content = (site / urllib.parse.unquote(name)).read_bytes()
        load.append(("GET", "/" + name, {}, None, (200, content, png)))
    return load * ROUNDS + [
        ("GET", "/about.txt?x=1", {}, None, (200, b"Nothing but noise.\n", text)),
        ("HEAD", "/index.html", {}, None, (200, b"", html)),
        ("GET", "/no/such/file", {}, None, (404, b"404 Not Found\n", text)),
        ("GET", "/../Program.cs", {}, None, (404, b"404 Not Found\n", text)),
        ("POST", "/upper", {}, b"quiet, please", (200, b"QUIET, PLEASE", text)),
        ("DELETE", "/index.html", {}, None, (405, b"405 Method Not Allowed\n", text)),
    ]


def count(site):
    """Number of requests that converse() sends."""
    return len(requests_of(site)) + 2


def converse(port, site):
    """Sends all requests and checks the answers. The last two use new connections."""
    work = requests_of(site)
    with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
        shares = [pool.submit(_ask_all, port, work[number::CONNECTIONS]) for number in range(CONNECTIONS)]
        answers = [answer for share in shares for answer in share.result()]
    tags = {path: tag for path, tag in answers}
    _not_modified(port, tags["/about.txt?x=1"])
    _nonsense(port)


def _ask_all(port, requests):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT)
    tags = []
    for method, path, headers, body, expected in requests:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        found = (answer.status, answer.read(), answer.headers["Content-Type"])
        _require(found == expected, f"{method} {path}: {found[0]}, {found[2]}, {len(found[1])} bytes: {found[1][:80]!r}")
        _require(answer.headers["Connection"] == "keep-alive", f"{method} {path}: the connection does not go on")
        tags.append((path, answer.headers["ETag"]))
    connection.close()
    return tags


def _not_modified(port, tag):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT)
    connection.request("GET", "/about.txt", headers={"If-None-Match": tag, "Connection": "close"})
    answer = connection.getresponse()
    _require((answer.status, answer.read()) == (304, b""), f"no 304 but {answer.status}")
    connection.close()


def _nonsense(port):
    with socket.create_connection(("127.0.0.1", port), timeout=_TIMEOUT) as connection:
        connection.sendall(b"nonsense\r\n\r\n")
        answer = b""
        while block := connection.recv(4096):
            answer += block
    _require(answer.startswith(b"HTTP/1.1 400 Bad Request\r\n"), f"no 400 but {answer[:80]!r}")
