"""How soon the page of a long recording answers: until its address is printed, until the exact totals are there, and until the
exact trees of one hundredth of the time are."""
import http.cookiejar
import os
import re
import subprocess
import time
import urllib.request

from measure import figure, line
from window import drop_from_cache

EVENTS = 10**8


class Page:
    """A running `clew view`, as its page uses it."""

    def __init__(self, clew, path):
        start = time.monotonic()
        self.process = subprocess.Popen([clew, "view", path, "--no-browser"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = re.search(r"http://\S+", self.process.stdout.readline())[0]
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(cookies)
        self.opener.open(self.address).read()
        self.seconds = time.monotonic() - start

    def get(self, document):
        """Seconds and bytes of a document."""
        start = time.monotonic()
        content = self.opener.open(f"{self.address.partition('?')[0]}api/{document}").read()
        return time.monotonic() - start, len(content)

    def peak_mib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            return int(re.search(r"VmHWM:\s*(\d+) kB", status.read())[1]) / 1024

    def close(self):
        self.process.terminate()
        self.process.wait()


def measure(bench, what, path, documents):
    """Prints how long the page of a recording of `what` takes to open, and each document: (name, document, goal)."""
    for cache in ("cold", "warm"):
        if cache == "cold":
            drop_from_cache(path)
        page = Page(bench.clew, path)
        try:
            line(f"page, {what}, {cache}: opens", f"{page.seconds:.2f} s", "1 s", f"{path.stat().st_size >> 20} MiB")
            for name, document, goal in documents:
                seconds, size = page.get(document)
                line(f"page, {what}, {cache}: {name}", f"{seconds:.2f} s", goal, f"{size >> 10} KiB")
            line(f"page, {what}, {cache}: memory", f"{page.peak_mib():.0f} MiB", "512 MiB")
        finally:
            page.close()


@figure
def view(bench):
    """BENCH_EVENTS: how many, such as 1000000000 (1.9 and 1.4 GB, and two minutes to make)."""
    events = int(os.environ.get("BENCH_EVENTS", EVENTS))
    duration = events * 100 // 8  # ns: 8 threads, an event every 100 ns
    middle, hundredth = duration // 2, duration // 100
    totals = [("totals", "tree", "2 s"), ("methods", "report?by=methods&lines=0", "2 s"),
              ("1 % of the time", f"tree?from={middle}&to={middle + hundredth}", "5 s")]
    moments = [("story at a place", f"story?at={middle}", ""), ("a frequent variable", "values?name=total", ""),
               ("heat of the sources", "files", "")]
    for options, what, documents in (([], "calls", totals), (["--values"], "values", totals + moments)):
        path = bench.work / "large.clew"
        subprocess.run([bench.build / "make-large", *options, str(events), path], check=True)
        measure(bench, what, path, documents)
        path.unlink()
