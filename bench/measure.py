"""Shared by all figures: runs programs with and without clew, and prints each figure on a line."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
REPETITIONS = 3
LIMIT_SECONDS = 300 # no program here runs so long
FIGURES = {}


def figure(function):
    FIGURES[function.__name__] = function
    return function


def line(name, value, goal="", detail=""):
    print(f"{name:<44} {value:>22}" + (f"   goal {goal:<18}" if goal else " " * 26) + (f" {detail}" if detail else ""),
          flush=True)


class Bench:
    def __init__(self, build):
        self.build = pathlib.Path(build).resolve()
        self.clew = self.build / "clew"
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="clew-bench-"))
        self.programs = self.build / "bench"

    def program(self, name, folder="bench", output=None, **properties):
        """Builds FOLDER/NAME if it is not built yet, and returns the command that starts it. properties: of MSBuild."""
        sources, output = REPOSITORY / folder / name, self.programs / (output or name)
        library = output / f"{name}.dll"
        made = library.stat().st_mtime if library.exists() else 0
        if any(file.stat().st_mtime > made for file in sources.glob("*.*")):
            self.run(["dotnet", "build", sources, "-c", "Release", "-o", output, "--nologo", "-v", "q",
                      f"-p:BaseIntermediateOutputPath={self.programs}/obj/{output.name}/",
                      *(f"-p:{key}={value}" for key, value in properties.items())])
        return ["dotnet", str(library)]

    def program_of_11(self, name, **properties):
        """The same for .NET 11, with its runtime. Built as the samples are (samples/Directory.Build.props)."""
        runtime, samples = self.build / "net11", REPOSITORY / "samples"
        self.run([REPOSITORY / "tools" / "runtime-11", runtime])
        library = self.program(name, output="-".join([name, *properties.values()]), ClewFramework="net11.0",
                               DirectoryBuildPropsPath=samples / "Directory.Build.props",
                               DirectoryBuildTargetsPath=samples / "Directory.Build.targets", **properties)[1]
        return [str(runtime / "dotnet"), library]

    def recorded(self, options, command):
        return [str(self.clew), "record", "-q", "-o", str(self.work / "bench.clew"), *options, "--", *command]

    def variables(self):
        """Variables that record a program without `clew record`."""
        return {"CORECLR_ENABLE_PROFILING": "1", "CORECLR_PROFILER": "{6C1B0B5E-7A0D-4C7B-9E57-2F6E4D1C8A31}",
                "CORECLR_PROFILER_PATH": str(self.build / "libclew-agent.so"), "CLEW_OUTPUT": str(self.work / "alone-%p.clew")}

    def run(self, command, **settings):
        """Runs a command to its end; returns output, seconds, and the peak resident size of the process in MiB."""
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, **settings)
        try:
            output, errors = process.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            process.terminate()
            output, errors = process.communicate()
        seconds = time.monotonic() - start
        if process.returncode or seconds > LIMIT_SECONDS:
            sys.exit(f"bench: {' '.join(map(str, command))[:300]}... ended with {process.returncode} after {seconds:.0f} s:\n"
                     f"{output[-2000:]}{errors[-2000:]}")
        return output, seconds

    def info(self):
        output, _ = self.run([self.clew, "info", "--json", self.work / "bench.clew"])
        return json.loads(output)

    def best_seconds(self, command, repetitions=REPETITIONS):
        return min(self.run(command)[1] for _ in range(repetitions))


def numbers(output):
    """{name: value} of the lines `name value`."""
    return {name: float(value) for name, value in re.findall(r"^(\w+) ([0-9.]+)$", output, re.MULTILINE)}
