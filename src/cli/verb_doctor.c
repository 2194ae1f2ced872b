// `clew doctor`: checks everything that recording needs on this machine, names the remedy for each problem, and records
// a small program as a test. Each check is a function that calls doctor_say() once or more.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/clock.h"
#include "cli/command.h"
#include "cli/doctor.h"
#include "collector/start/environment.h"
#include "collector/start/launch.h"
#include "ring/segment.h"

// The major versions of the runtime that clew is tested with.
enum { FIRST_TESTED = 8, LAST_TESTED = 11 };

// -- Checks -----------------------------------------------------------------------------------------------------------

// Variables such as DOTNET_EnableDiagnostics=0 keep the runtime from loading profilers.
static void check_environment(struct doctor *doctor)
{
    struct buffer why = {0};
    if (environment_obstacle(&why)) {
        doctor_say_buffer(doctor, BAD, "environment", &why, "as said");
    } else {
        doctor_say(doctor, GOOD, "environment", "nothing that keeps the runtime from loading the agent", NULL);
    }
    buffer_free(&why);
}

// The agent is found beside the program `clew`, or where it was installed.
static void check_agent(struct doctor *doctor)
{
    struct buffer why = {0};
    char *path = environment_agent(&why);
    if (path) {
        doctor_say(doctor, GOOD, "agent", path, NULL);
    } else {
        doctor_say_buffer(doctor, BAD, "agent", &why, "as said");
    }
    free(path);
    buffer_free(&why);
}

// A self-contained program brings its own runtime, so a missing dotnet is no obstacle.
static void check_runtimes(struct doctor *doctor)
{
    char *dotnet, line[512];
    if (launch_find("dotnet", &dotnet) != 0) {
        doctor_say(doctor, NOTE, "dotnet", "not on PATH",
                   "executables with a runtime of their own can be recorded all the same");
        return;
    }
    doctor_say(doctor, GOOD, "dotnet", dotnet, NULL);
    FILE *list = popen("dotnet --list-runtimes 2>/dev/null", "re");
    while (list && fgets(line, sizeof line, list)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "Microsoft.NETCore.App ", 22) == 0) {
            int major = atoi(line + 22);
            bool tested = major >= FIRST_TESTED && major <= LAST_TESTED;
            doctor_say(doctor, tested ? GOOD : NOTE, "runtime", line,
                       tested ? NULL : "clew is tested with 8, 9, 10 and 11");
        }
    }
    if (list) {
        (void)pclose(list); // its output shows whether it worked
    }
    free(dotnet);
}

// Creates a segment as the collector does. It reserves much address space, but takes little memory.
static void check_segment(struct doctor *doctor)
{
    int fd;
    struct ring_header *ring;
    struct ring_options options = {.process = 1, .clock = CLOCK_KIND_NONE};
    struct rlimit limit;
    if (segment_create(&options, &fd, &ring) == CLEW_OK) {
        segment_unmap(ring);
        (void)close(fd); // only a test
        doctor_say(doctor, GOOD, "shared memory", "sealed memory (memfd) can be made and mapped", NULL);
        return;
    }
    bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    doctor_say(doctor, BAD, "shared memory", "sealed memory (memfd) cannot be made or mapped",
               limited ? "raise the limit of address space (ulimit -v unlimited): a segment reserves about 5 GiB of "
                         "addresses, not of memory"
                       : "kernel 3.17 or newer is needed, and a container that allows memfd_create");
}

// Without a reliable time-stamp counter the clock is read by clock_gettime(), which costs more.
static void check_clock(struct doctor *doctor)
{
    if (clock_tsc_usable()) {
        doctor_say(doctor, GOOD, "clock", "the time-stamp counter is constant and trusted by the kernel", NULL);
    } else {
        doctor_say(doctor, NOTE, "clock", "the time-stamp counter is not reliable: the clock is monotonic",
                   "--clock tick costs less where single calls need no exact times");
    }
}

// The collector reads the CPU times of threads there.
static void check_proc(struct doctor *doctor)
{
    if (access("/proc/self/schedstat", R_OK) == 0) {
        doctor_say(doctor, GOOD, "CPU times", "/proc gives the CPU time of each thread", NULL);
    } else {
        doctor_say(doctor, NOTE, "CPU times", "/proc/PID/schedstat cannot be read: CPU times stay 0",
                   "mount /proc, or use a kernel with CONFIG_SCHED_INFO");
    }
}

// Reads a file of /proc that holds one number.
static bool read_number(const char *path, long *out)
{
    FILE *file = fopen(path, "re");
    bool read = file && fscanf(file, "%ld", out) == 1;
    if (file) {
        (void)fclose(file); // was only read
    }
    return read;
}

// The collector keeps a file descriptor open for each thread.
static void check_limits(struct doctor *doctor)
{
    struct buffer found = {0};
    struct rlimit files = {0};
    long pids = 0, maps = 0;
    (void)getrlimit(RLIMIT_NOFILE, &files); // if it fails, 0 is printed
    (void)read_number("/proc/sys/kernel/pid_max", &pids);
    (void)read_number("/proc/sys/vm/max_map_count", &maps);
    buffer_printf(&found, "files %llu, pid_max %ld, max_map_count %ld", (unsigned long long)files.rlim_max, pids, maps);
    bool few = files.rlim_max < 4096;
    doctor_say_buffer(doctor, few ? NOTE : GOOD, "limits", &found,
                      few ? "raise the hard limit of open files (ulimit -Hn) for programs with thousands of threads"
                          : NULL);
    buffer_free(&found);
}

// Says where a recording that is started here looks for symbols and sources (metadata/pdb/symbols.h, source/source_places.h).
static void say_places(struct doctor *doctor)
{
    struct buffer found = {0};
    char *here = getcwd(NULL, 0);
    buffer_printf(&found,
                  "looked for inside the module, beside it, where it was built, in folders of --symbols, and in %s",
                  here ? here : "the current folder");
    doctor_say_buffer(doctor, GOOD, "symbols", &found, NULL);
    buffer_printf(&found,
                  "looked for where --source-map says, where the symbols say, below %s, and below folders above the "
                  "module; those with another checksum than the symbols say are left out",
                  here ? here : "the current folder");
    doctor_say_buffer(doctor, GOOD, "sources", &found, NULL);
    buffer_free(&found);
    free(here);
}

// -- Self-test --------------------------------------------------------------------------------------------------------

// Records the SDK's own command line with this clew and checks that calls were recorded. `dotnet help` is managed code,
// while `dotnet --list-sdks` runs only the native host.
static void self_test(struct doctor *doctor)
{
    static const char script[] =
        "d=$(mktemp -d) || exit 99; cd \"$d\" || exit 99; DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 "
        "\"$CLEW_SELF\" record -q -o test.clew --include '[dotnet]*' -- dotnet help >/dev/null 2>err; "
        "status=$?; head -c 300 err; rm -rf \"$d\"; exit $status";
    char self[4096], said[512] = "";
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    self[size > 0 ? size : 0] = '\0';
    FILE *sdks = popen("dotnet --list-sdks 2>/dev/null", "re");
    bool sdk = sdks && fgets(said, sizeof said, sdks) != NULL;
    if (sdks) {
        (void)pclose(sdks); // its output shows whether it worked
    }
    if (!sdk) {
        doctor_say(doctor, NOTE, "self-test", "left out: there is no SDK whose programs could be recorded",
                   "record a program of yours: clew record -- dotnet app.dll");
        return;
    }
    said[0] = '\0';
    FILE *test = setenv("CLEW_SELF", self, 1) == 0 ? popen(script, "re") : NULL;
    size_t got = test ? fread(said, 1, sizeof said - 1, test) : 0;
    said[got] = '\0';
    said[strcspn(said, "\n")] = '\0';
    int status = test ? pclose(test) : -1;
    if (status == 0) {
        doctor_say(doctor, GOOD, "self-test", "a program of the SDK was recorded: the agent loads and reports calls",
                   NULL);
    } else {
        doctor_say(doctor, BAD, "self-test", *said ? said : "recording a program of the SDK failed",
                   "see the checks above");
    }
}

// -- The verb ---------------------------------------------------------------------------------------------------------

static bool take_option(void *context, const struct cli_option *option, const char *argument)
{
    struct doctor *doctor = context;
    (void)argument; // no option has one
    if (strcmp(option->name, "env") == 0) {
        doctor->variables = true;
    } else {
        doctor->json = true;
    }
    return true;
}

static void check_machine(struct doctor *doctor)
{
    check_environment(doctor);
    check_agent(doctor);
    check_runtimes(doctor);
    check_segment(doctor);
    check_clock(doctor);
    check_proc(doctor);
    check_limits(doctor);
    say_places(doctor);
    self_test(doctor);
}

// Every check runs, even after one that failed, so that a single run shows all problems.
static int run(int argc, char **argv)
{
    struct doctor doctor = {.out = {.out = stdout}};
    int first = cli_options(&cli_doctor, argc, argv, false, take_option, &doctor);
    if (first < 0) {
        return CLI_USAGE;
    }
    if (first < argc) {
        cli_say("doctor: %s is one word too many; leave it out", argv[first]);
        return CLI_USAGE;
    }
    if (doctor.json) {
        json_open(&doctor.out, '{');
        json_member_text(&doctor.out, "version", text_of(CLEW_VERSION));
        json_key(&doctor.out, "checks");
        json_open(&doctor.out, '[');
    }
    if (doctor.variables) {
        doctor_variables(&doctor);
    } else {
        check_machine(&doctor);
    }
    if (doctor.json) {
        json_close(&doctor.out, ']');
        json_member_bool(&doctor.out, "good", doctor.bad == 0);
        json_close(&doctor.out, '}');
        CLEW_ASSERT(doctor.out.depth == 0 && "each bracket is closed");
        (void)putchar('\n'); // errors of stdout show in the program that reads it
    }
    return doctor.bad ? CLI_FAILED : CLI_OK;
}

static const struct cli_option options[] = {
    {"env", 0, NULL,
     "check the variables that are set here and record a program without clew record, and say what will happen to one"},
    {"json", 0, NULL, "print JSON"},
    {0},
};

static const struct cli_example examples[] = {
    {"clew doctor", "is everything there that recording needs?"},
    {"clew doctor --env", "will a program that is started here be recorded, and where to?"},
    {"docker run --rm --entrypoint /opt/clew/clew IMAGE doctor --env", "the same for an image with its ENV lines"},
    {0},
};

const struct cli_command cli_doctor = {
    .name = "doctor",
    .usage = "[--env] [--json]",
    .summary = "check what recording needs here, and name the remedy for what is missing",
    .text = "Looks at the environment, the agent, the runtimes, the kernel's limits and the clock, and records a small "
            "program to see that it works. It says where symbols and sources are looked for. Exit status: 0, or 1 when "
            "something is in the way.\n\n"
            "With --env it looks at the variables alone that record a program without clew record (clew record "
            "--print-env prints them): CORECLR_ENABLE_PROFILING, CORECLR_PROFILER and CORECLR_PROFILER_PATH, which the "
            "runtime reads, those that .NET 11 reads before them (DOTNET_ENABLE_PROFILING, DOTNET_PROFILER, "
            "DOTNET_PROFILER_PATH), and CLEW_OUTPUT, CLEW_OPTIONS and CLEW_LOG. The last line says what will happen to "
            "a .NET program. Folders are checked for the user who asks.",
    .options = options,
    .examples = examples,
    .run = run,
};
