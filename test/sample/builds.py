"""Builds samples: each (project, configuration, runtime, deployment, oracle) once, into build/samples under a hash of its
sources and settings. One MSBuild call builds all samples that a run needs."""

import collections
import hashlib
import os
import pathlib
import shutil
import subprocess
import xml.sax.saxutils

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
OUT = ROOT / "build" / "samples"
NET11 = ROOT / "build" / "net11"  # the runtime, which comes from packages (tools/runtime-11)

PROJECTS = {
    "Exact": "Exact/Exact.csproj",
    "FSharp": "FSharp/FSharp.fsproj",
    "VisualBasic": "VisualBasic/VisualBasic.vbproj",
    "Bank": "Bank/Application/Bank.csproj",
    "Early": "Early/Application/Early.csproj",
    "Endings": "Endings/Endings.csproj",
    "RuntimeAsync": "RuntimeAsync/RuntimeAsync.csproj",
    "Soak": "Soak/Soak.csproj",
    "StackTraces": "StackTraces/StackTraces.csproj",
    "Survive": "Survive/Survive.csproj",
    "Started": "Started/Started.csproj",
    "Unwound": "Unwound/Unwound.csproj",
    "Thrown": "Thrown/Thrown.csproj",
    "Recursion": "Recursion/Recursion.csproj",
    "Compiled": "Compiled/Compiled.csproj",
    "Tiny": "Tiny/Tiny.csproj",
    "Kestrel": "Kestrel/Kestrel.csproj",
    "SmallRoslyn": "SmallRoslyn/SmallRoslyn.csproj",
    "HelloWorld": "HelloWorld/HelloWorld.csproj",
    "Day": "Day/Day.csproj",
    "Huge": "Huge/Huge.csproj",
    "Libraries": "Libraries/Libraries.csproj",
    "Logical": "Logical/CSharp/Logical.csproj",
    "LogicalFSharp": "Logical/FSharp/LogicalFSharp.fsproj",
    "LogicalVisualBasic": "Logical/VisualBasic/LogicalVisualBasic.vbproj",
    "AsyncFramework": "AsyncFramework/AsyncFramework.csproj",
    "Assembled": "Assembled/Assembled.csproj",
    "GcStorm": "GcStorm/GcStorm.csproj",
    "Guest": "Guest/Guest.csproj",
    "Plugin": "Plugin/Plugin.csproj",
    "Unloaded": "Unloaded/Host/Unloaded.csproj",
    "Extension": "Unloaded/Extension/Extension.csproj",
    "Marker": "Marker/Marker.csproj",
    "Counter": "Counter/Counter.csproj",
    "Document": "Document/Document.csproj",
    "DiskReporter": "DiskReporter/DiskReporter.csproj",
    "HotReload": "HotReload/HotReload.csproj",
    "HttpServer": "HttpServer/HttpServer.csproj",
    "Order": "Order/Order.csproj",
    "Parser": "Parser/Parser.csproj",
    "Ledger": "Ledger/Ledger.csproj",
    "Journey": "Journey/Journey.csproj",
    "Heap": "Heap/Heap.csproj",
    "Secrets": "Secrets/Secrets.csproj",
    "Service": "Service/Service.csproj",
    "Shop": "Shop/Shop.csproj",
    "Threads": "Threads/Threads.csproj",
    "Features": "Features/Features.csproj",
    "FeaturesFSharp": "FeaturesFSharp/FeaturesFSharp.fsproj",
    "FeaturesVisualBasic": "FeaturesVisualBasic/FeaturesVisualBasic.vbproj",
    "Values": "Values/Values.csproj",
    "ValuesFSharp": "ValuesFSharp/ValuesFSharp.fsproj",
    "ValuesVisualBasic": "ValuesVisualBasic/ValuesVisualBasic.vbproj",
}

# Kinds of deployment.
DEPLOYMENTS = {
    "fd": {},  # framework-dependent: dotnet X.dll
    "sc": {"RuntimeIdentifier": "linux-x64", "SelfContained": "true"},
    "r2r": {"RuntimeIdentifier": "linux-x64", "SelfContained": "true", "PublishReadyToRun": "true"},
    "single": {"RuntimeIdentifier": "linux-x64", "SelfContained": "true", "PublishSingleFile": "true"},
    "aot": {"RuntimeIdentifier": "linux-x64", "SelfContained": "true", "PublishAot": "true"},
}


# The runtimes, each with the deployment that runs on this machine without more: 10 is the SDK's own, 11 is laid out from packages,
# the others are deployed with each program.
RUNTIMES = {10: "fd", 11: "fd", 9: "sc", 8: "sc"}
WHOLE = (10, 11)  # with --full, programs run in every setting on these, and in pairs of settings on the others


def build_on(runtime, project, configuration="Release", oracle=False):
    return Build(project, configuration, runtime, RUNTIMES[runtime], oracle)


def deployable(row):
    """Whether a row, perhaps one without some dimensions, has a deployment that its runtime can have."""
    return row.get("deploy") != "fd" or RUNTIMES.get(row.get("runtime"), "fd") == "fd"


# How async methods of C# are compiled: the program's, and those of the libraries of samples/Logical.
ASYNC = {
    "sm": {"ClewAsync": "machines"},
    "ra": {"ClewAsync": "runtime"},
    "ra-sm": {"ClewAsync": "runtime", "ClewAsyncLibraries": "machines"},
    "sm-ra": {"ClewAsync": "machines", "ClewAsyncLibraries": "runtime"},
}


class Build(collections.namedtuple("Build", "project configuration runtime deploy oracle awaits", defaults=[None])):
    """runtime: one of RUNTIMES. oracle: whether the build contains the oracle (samples/README.md). awaits: a key of ASYNC; None: as
    usual for the project (samples/Directory.Build.props)."""

    @property
    def name(self):
        parts = [self.project, self.configuration, f"net{self.runtime}", self.deploy] + ["oracle"] * self.oracle
        return "-".join(parts + [self.awaits] * bool(self.awaits))

    @property
    def environment(self):
        """What the program needs to run methods of runtime async."""
        return {"DOTNET_RuntimeAsync": "1"} if self.runtime == 10 and "ra" in (self.awaits or "") else {}

    @property
    def folder(self):
        return OUT / self.name

    @property
    def command(self):
        if self.deploy == "fd":
            host = str(NET11 / "dotnet") if self.runtime == 11 else "dotnet"
            return [host, str(self.folder / "bin" / f"{self.project}.dll")]
        return [str(self.folder / "app" / self.project)]

    @property
    def library(self):
        return str(self.folder / "bin" / f"{self.project}.dll")

    def properties(self):
        chosen = {"Configuration": self.configuration, "ClewFramework": f"net{self.runtime}.0", "ClewOut": str(self.folder)}
        if self.oracle:
            chosen["Oracle"] = "true"
        return chosen | DEPLOYMENTS[self.deploy] | ASYNC.get(self.awaits, {})

    def stamp(self):
        """Hash of the sources and of the build settings."""
        digest = hashlib.sha256(repr((self, self.properties(), _sdk())).encode())
        folder = PROJECTS[self.project].split("/")[0]
        libraries = {"Values": ["Elsewhere", "LookAlike"], "Shop": ["Logical/Outside"]}
        shared = ["Count"] + ["Oracle"] * folder.startswith("Values") + libraries.get(folder, [])
        for path in [path for part in [folder, *shared] for path in _files(SAMPLES / part)] + sorted(SAMPLES.glob("Directory.Build.*")):
            digest.update(str(path.relative_to(SAMPLES)).encode() + b"\0" + path.read_bytes() + b"\0")
        return digest.hexdigest()

    def ready(self):
        stamp = self.folder / "stamp"
        return stamp.exists() and stamp.read_text() == self.stamp()


def _sdk(cache=[]):
    if not cache:
        cache.append(subprocess.run(["dotnet", "--version"], capture_output=True, text=True, check=True).stdout.strip())
    return cache[0]


def _files(folder):
    return sorted(path for path in folder.rglob("*")
                  if path.is_file() and not {"bin", "obj"} & set(path.relative_to(folder).parts))


def _traversal(builds):
    items = []
    for build in builds:
        properties = ";".join(f"{key}={value}" for key, value in build.properties().items())
        target = "Build" if build.deploy == "fd" else "Publish"
        items.append(f'    <{target} Include="{SAMPLES / PROJECTS[build.project]}">'
                     f"<AdditionalProperties>{xml.sax.saxutils.escape(properties)}</AdditionalProperties></{target}>")
    text = ["<Project>", "  <ItemGroup>", *items, "  </ItemGroup>", '  <Target Name="All">']
    text.append('    <MSBuild Projects="@(Build);@(Publish)" Targets="Restore" Properties="MSBuildRestoreSessionId=1"'
                ' BuildInParallel="true" ContinueOnError="ErrorAndContinue" />')
    for target in ("Build", "Publish"):
        text.append(f'    <MSBuild Projects="@({target})" Targets="{target}" BuildInParallel="true"'
                    ' ContinueOnError="ErrorAndContinue" />')
    return "\n".join(text + ["  </Target>", "</Project>", ""])


def make(builds, say=print):
    """Builds the missing builds. Returns {build: compiler output} for those that fail."""
    missing = [build for build in dict.fromkeys(builds) if not build.ready()]
    if not missing:
        return {}
    say(f"building {len(missing)} of {len(set(builds))} samples into {OUT.relative_to(ROOT)}", flush=True)
    OUT.mkdir(parents=True, exist_ok=True)
    if any(build.runtime == 11 and build.deploy == "fd" for build in missing):
        subprocess.run([ROOT / "tools" / "runtime-11", NET11], check=True, env=clean_environment())
    for build in missing:
        shutil.rmtree(build.folder, ignore_errors=True)
    traversal = OUT / f"all-{os.getpid()}.proj"
    traversal.write_text(_traversal(missing))
    # One compiler server for all: a process for each project spends most of its time on its own start.
    done = subprocess.run(["dotnet", "build", str(traversal), "-t:All", "-m:2", "-nodeReuse:false", "-v:q", "-nologo",
                           "-clp:NoSummary", "-p:UseSharedCompilation=true", "-p:RunAnalyzers=false"],
                          capture_output=True, text=True, env=clean_environment())
    subprocess.run(["dotnet", "build-server", "shutdown", "--vbcscompiler"], capture_output=True, env=clean_environment())
    traversal.unlink()
    errors = "\n".join(dict.fromkeys(line for line in done.stdout.splitlines() + done.stderr.splitlines() if "error" in line))
    return {build: f"{build.name} does not build:\n{errors}" for build in missing if not _finish(build)}


def _finish(build):
    if not pathlib.Path(build.command[-1]).exists():
        return False
    shutil.rmtree(build.folder / "obj", ignore_errors=True)
    if build.deploy != "fd":
        shutil.rmtree(build.folder / "bin", ignore_errors=True)
    (build.folder / "stamp").write_text(build.stamp())
    return True


def clean_environment():
    """The environment without variables that change how .NET programs run."""
    return {key: value for key, value in os.environ.items()
            if not key.startswith(("CORECLR_", "COMPlus_", "ORACLE_", "CLEW_"))
            and not (key.startswith("DOTNET_") and key not in _KEPT)} | {"DOTNET_gcServer": "0"}


_KEPT = {"DOTNET_ROOT", "DOTNET_CLI_TELEMETRY_OPTOUT", "DOTNET_NOLOGO", "DOTNET_CLI_HOME", "DOTNET_CLI_USE_MSBUILD_SERVER",
         "DOTNET_SKIP_FIRST_TIME_EXPERIENCE", "DOTNET_GENERATE_ASPNET_CERTIFICATE"}
