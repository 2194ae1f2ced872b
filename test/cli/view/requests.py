"""Asks the server what it must answer and what it must refuse. Prints one line for each."""
import os
import re
import subprocess

from client import Page

page = Page("a.clew")
own = f"127.0.0.1:{page.port}"


def show(what, answer):
    print(f"{what}: {answer}")


show("ssh line", page.said["ssh"].replace(str(page.port), "PORT").rsplit(" ", 1)[0])
status, fields, _ = page.ask(f"/?token={page.token}", Cookie=None)
show("token", f"{status} to {fields['Location']}, {re.sub('[0-9a-f]{32}', 'TOKEN', fields['Set-Cookie'].replace(str(page.port), 'PORT'))}")
status, fields, body = page.ask("/")
show("page", f"{status} {fields['Content-Type']}, data place {body.count(b'id=' + bytes([34]) + b'clew-data')}")
policy = fields["Content-Security-Policy"]
show("policy", re.sub("'sha256-[A-Za-z0-9+/=]+'", "HASH", policy))
show("fields", {name: fields[name] for name in ("X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Resource-Policy", "Cache-Control")})
show("HEAD", (page.ask("/", method="HEAD")[0], len(page.ask("/", method="HEAD")[2])))
show("own origin", page.status("/", Origin=f"http://{own}", Sec_Fetch_Site="same-origin"))
show("localhost", page.status("/", Host=f"localhost:{page.port}"))
print("-- refused")
show("no token", page.status("/", Cookie=None))
show("no token for a document", page.status("/api/session", Cookie=None))
show("wrong token", page.status(f"/?token={'0' * 32}", Cookie=None))
show("short token", page.status(f"/?token={page.token[:-1]}", Cookie=None))
show("long token", page.status(f"/?token={page.token}0", Cookie=None))
show("wrong cookie", page.status("/", Cookie=page.cookie[:-1] + ("0" if page.cookie[-1] != "0" else "1")))
show("another port's cookie", page.status("/", Cookie=f"clew-1={page.token}"))
show("foreign host", page.status("/", Host=f"evil.example:{page.port}"))
show("host without port", page.status("/", Host="127.0.0.1"))
show("no host", page.status("/", Host=None))
show("foreign origin", page.status("/api/session", Origin="http://evil.example"))
show("opaque origin", page.status("/api/session", Origin="null"))
show("origin of another port", page.status("/api/session", Origin="http://127.0.0.1:1"))
show("cross-site", page.status("/api/session", Sec_Fetch_Site="cross-site"))
show("same-site", page.status("/api/session", Sec_Fetch_Site="same-site"))
for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
    show(method, page.status("/api/session", method=method))
show("POST with a body", page.status("/", method="POST", body=b"x" * 10) in (405, 413))
for target in ("/../../etc/passwd", "/%2e%2e/etc/passwd", "/api/../../etc/passwd", "/api/%2e%2e%2fsession", "//etc/passwd", "/api/", "/favicon.ico"):
    show(target, page.status(target))
show("unknown parameter", page.status("/api/session?x=1"))
show("twice", page.status("/api/tree?nodes=1&nodes=2"))
show("bad escape", page.status("/api/values?name=%zz"))
show("no number", page.status("/api/tree?from=-1"))
show("long address", page.status("/api/session?x=" + "a" * 9000))
show("very long address", page.status("/" + "a" * 100000) in (400, 413, 414))
show("many fields", page.status("/", **{f"X_{i}": "y" * 100 for i in range(1000)}) in (400, 413))
for document in ("timeline", "strip", "story", "values?name=x", "variables", "files", "source?document=0", "report?by=lines", "tree?from=0&to=5"):
    status, _, body = page.ask(f"/api/{document}")
    show(document, f"{status} {body.decode().strip()}")
print("-- the numbers are those of the reports")
for by in ("methods", "hot", "modules", "threads"):
    printed = subprocess.run(["clew", "report", "a.clew", "--json", "--by", by], capture_output=True, check=True).stdout
    show(by, page.ask(f"/api/report?by={by}")[2] == printed)
os.remove("a.clew")
show("the file is gone", page.document("session")["page"]["generation"])
show("Ctrl-C", page.end())
