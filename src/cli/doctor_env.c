// `clew doctor --env`: what a .NET program that is started with these variables will do. The first part reads the
// variables as the runtime does, which was tried with .NET 8, 9, 10 and 11; the second reads clew's own (variables.h).
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/file.h"
#include "base/log_file.h"
#include "cli/doctor.h"
#include "cli/variables.h"
#include "collector/session/command_line.h"
#include "collector/start/environment.h"
#include "recording/output.h"
#include "ring/attended.h"
#include "ring/handshake.h"
#include "trace/instrument.h"

static const char print_env[] = "eval \"$(clew record --print-env)\" sets the variables of this installation";

// -- What the runtime takes -------------------------------------------------------------------------------------------

// A variable, and its value. `value` NULL: it is not set, or empty.
struct variable {
    const char *name, *value;
};

// The variables that decide what the runtime loads.
struct profiler {
    struct variable enabled, class, path;
};

static struct variable variable_of(const char *name)
{
    const char *value = getenv(name);
    return (struct variable){name, value && *value ? value : NULL};
}

static struct variable first_set(struct variable a, struct variable b)
{
    return a.value ? a : b;
}

// .NET 11 reads each variable with the prefix DOTNET_, too, and takes that one if it is set.
static struct profiler profiler_of(bool net11)
{
    struct profiler of = {variable_of("CORECLR_ENABLE_PROFILING"), variable_of("CORECLR_PROFILER"),
                          variable_of("CORECLR_PROFILER_PATH")};
    struct variable sized = variable_of("CORECLR_PROFILER_PATH_64");
    if (net11) {
        of.enabled = first_set(variable_of("DOTNET_ENABLE_PROFILING"), of.enabled);
        of.class = first_set(variable_of("DOTNET_PROFILER"), of.class);
        of.path = first_set(variable_of("DOTNET_PROFILER_PATH"), of.path);
        sized = first_set(variable_of("DOTNET_PROFILER_PATH_64"), sized);
    }
    of.path = first_set(sized, of.path);
    return of;
}

// -- Checks of it -----------------------------------------------------------------------------------------------------

// A check appends what it found; false: this keeps clew from recording, and *remedy says what to do.
typedef bool check(const struct profiler *profiler, struct buffer *found, const char **remedy);

static bool check_enabled(const struct profiler *profiler, struct buffer *found, const char **remedy)
{
    const struct variable *enabled = &profiler->enabled;
    unsigned long number;
    *remedy = print_env;
    if (!enabled->value) {
        buffer_printf(found, "%s is not set, so the runtime loads no profiler", enabled->name);
        return false;
    }
    bool on = environment_number(enabled->value, &number) && number;
    buffer_printf(found, "%s=%s%s", enabled->name, enabled->value,
                  on ? "" : ", where the runtime reads 0, and so it loads no profiler");
    return on;
}

static bool check_class(const struct profiler *profiler, struct buffer *found, const char **remedy)
{
    const struct variable *class = &profiler->class;
    *remedy = print_env;
    if (!class->value) {
        buffer_printf(found, "%s is not set, so the runtime loads no profiler", class->name);
        return false;
    }
    bool ours = strcasecmp(class->value, CLEW_CLSID) == 0;
    buffer_printf(found, "%s=%s is %s", class->name, class->value,
                  ours ? "clew's" : "another profiler's, and the runtime takes only one");
    return ours;
}

static bool check_agent(const struct profiler *profiler, struct buffer *found, const char **remedy)
{
    const struct variable *path = &profiler->path;
    struct stat status;
    *remedy = print_env;
    if (!path->value) {
        buffer_printf(found, "%s is not set, so the runtime does not know what to load", path->name);
        return false;
    }
    buffer_printf(found, "%s=%s", path->name, path->value);
    if (path->value[0] != '/') {
        buffer_text(found, " is no absolute path: each program would look for it from its own current folder");
        return false;
    }
    if (stat(path->value, &status) != 0 || access(path->value, R_OK) != 0) {
        buffer_printf(found, " cannot be read: %s", strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        buffer_text(found, " is no file");
        return false;
    }
    return true;
}

// The version of another installation's clew, which it prints itself; "" if it prints none.
static void version_of(const char *clew, char *version, size_t size)
{
    char *words[] = {(char *)(uintptr_t)clew, (char[]){"--version"}, NULL}; // are not written to
    char *quoted = command_line(words, text_of("redact \n")), *line = NULL;
    FILE *said = quoted && asprintf(&line, "%s 2>/dev/null </dev/null", quoted) > 0 ? popen(line, "re") : NULL;
    char text[128] = "";
    size_t got = said ? fread(text, 1, sizeof text - 1, said) : 0;
    text[got] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (said) {
        (void)pclose(said); // its output shows whether it worked
    }
    (void)snprintf(version, size, "%s", strncmp(text, "clew ", 5) == 0 ? text + 5 : "");
    free(line);
    free(quoted);
}

// Whether the agent sends this version to its collector (ring/handshake.h): it has it as a text of its own.
static bool is_agent_of(const char *agent, const char *version)
{
    enum { AGENT_MAX = 64 << 20 };
    struct buffer file = {0}, text = {0};
    bool large;
    buffer_u8(&text, 0);
    buffer_text(&text, version);
    buffer_u8(&text, 0);
    bool is = *version && !text.failed && file_read(agent, AGENT_MAX, &file, &large) &&
              memmem(file.data, file.size, text.data, text.size);
    buffer_free(&file);
    buffer_free(&text);
    return is;
}

static bool check_clew(const struct profiler *profiler, struct buffer *found, const char **remedy)
{
    const char *agent = profiler->path.value;
    struct buffer path = {0};
    char version[128];
    *remedy = "install clew again, or copy clew and " CLEW_AGENT_FILE " of one version beside each other";
    if (!environment_clew(agent, &path)) {
        buffer_printf(found, "there is no clew that can be executed beside %s or in ../../bin", agent);
        buffer_free(&path);
        return false;
    }
    const char *clew = (const char *)path.data;
    version_of(clew, version, sizeof version);
    bool same = is_agent_of(agent, version);
    if (same) {
        buffer_printf(found, "%s, version %s, is the agent's", clew, version);
    } else if (*version) {
        buffer_printf(found, "%s has version %s, and %s is no agent of that version", clew, version, agent);
    } else {
        buffer_printf(found, "%s does not say its version, as clew does", clew);
    }
    buffer_free(&path);
    return same;
}

static const struct {
    const char *what;
    check *check;
} checks[] = {{"profiling", check_enabled}, {"profiler", check_class}, {"agent", check_agent}, {"clew", check_clew}};

enum { CHECKS = sizeof checks / sizeof *checks };

// The first fault; false: there is none.
static bool first_fault(const struct profiler *profiler, struct buffer *fault)
{
    const char *remedy;
    for (size_t i = 0; i < CHECKS; i++) {
        buffer_clear(fault);
        if (!checks[i].check(profiler, fault, &remedy)) {
            return true;
        }
    }
    buffer_clear(fault);
    return false;
}

// -- What will be recorded --------------------------------------------------------------------------------------------

// What the checks found out for the last line.
struct outlook {
    struct buffer fault;   // why a program of .NET 8 to 10 is not recorded; empty: it is
    struct buffer fault11; // the same for .NET 11
    struct buffer file;
    struct buffer what; // the instruments, and the options but -i
};

// Each check is printed until one fails: those after it would only follow from that.
static void check_runtime(struct doctor *doctor, struct outlook *outlook)
{
    const struct profiler older = profiler_of(false), newer = profiler_of(true);
    struct buffer found = {0};
    const char *remedy;
    bool good = true;
    (void)first_fault(&newer, &outlook->fault11);
    bool differs = older.enabled.value != newer.enabled.value || older.class.value != newer.class.value ||
                   older.path.value != newer.path.value;
    for (size_t i = 0; i < CHECKS && good; i++) {
        good = checks[i].check(&older, &found, &remedy);
        if (!good) {
            buffer_append(&outlook->fault, found.data, found.size);
        }
        doctor_say_buffer(doctor, good ? GOOD : BAD, checks[i].what, &found, good ? NULL : remedy);
    }
    if (differs) {
        bool fails = outlook->fault11.size > 0;
        buffer_printf(&found, "also reads variables that begin with DOTNET_, and takes those first: %.*s",
                      (int)outlook->fault11.size, (const char *)outlook->fault11.data);
        if (!fails) {
            buffer_printf(&found, "%s=%s", newer.path.name, newer.path.value);
        }
        doctor_say_buffer(doctor, fails ? BAD : GOOD, ".NET 11", &found,
                          fails ? "unset the variables that begin with DOTNET_ and have PROFIL in their names" : NULL);
    }
    if (good && !environment_trusts(older.path.value, &found)) {
        doctor_say_buffer(doctor, NOTE, "agent", &found, "as said");
    }
    buffer_free(&found);
}

static void check_diagnostics(struct doctor *doctor, struct outlook *outlook)
{
    struct buffer found = {0};
    if (environment_diagnostics_off(&found)) {
        buffer_clear(&outlook->fault);
        buffer_append(&outlook->fault, found.data, found.size);
        buffer_clear(&outlook->fault11);
        buffer_append(&outlook->fault11, found.data, found.size);
        doctor_say_buffer(doctor, BAD, "diagnostics", &found, "as said");
    } else {
        doctor_say(doctor, GOOD, "diagnostics", "no variable keeps the runtime from loading a profiler", NULL);
    }
    buffer_free(&found);
}

// What keeps a program of any runtime from being recorded.
static void say_fault(struct doctor *doctor, struct outlook *outlook, const char *what, struct buffer *found,
                      const char *remedy)
{
    struct buffer *const faults[] = {&outlook->fault, &outlook->fault11};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (faults[i]->size == 0) {
            buffer_append(faults[i], found->data, found->size);
        }
    }
    doctor_say_buffer(doctor, BAD, what, found, remedy);
}

// Parses CLEW_OPTIONS. What the parser says of it to standard error is caught, to become the result of this check.
static int parse_options(const char *value, struct recording_options *options, char ***words, struct buffer *said)
{
    static char name[] = "NAME";
    static char *program[] = {name, NULL};
    FILE *caught = tmpfile();
    int before = dup(STDERR_FILENO);
    (void)fflush(stderr);
    bool catches = caught && before >= 0 && dup2(fileno(caught), STDERR_FILENO) >= 0;
    int status = variables_options(value, program, options, words);
    if (catches) {
        char line[1024] = "";
        (void)fflush(stderr);
        (void)dup2(before, STDERR_FILENO); // as it was
        rewind(caught);
        if (fgets(line, sizeof line, caught)) {
            line[strcspn(line, "\n")] = '\0';
            buffer_text(said, strncmp(line, "clew: ", 6) == 0 ? line + 6 : line);
        }
    }
    if (caught) {
        (void)fclose(caught); // a file that is gone then
    }
    if (before >= 0) {
        (void)close(before);
    }
    return status;
}

// "calls, with --max-size 1G": the instruments, and the other options as they were typed.
static void describe(const struct recording_options *options, char **words, struct buffer *what)
{
    for (uint32_t bit = 1; bit <= INSTRUMENTS; bit <<= 1) {
        if (options->instruments & INSTRUMENTS & bit) {
            buffer_printf(what, "%s%s", what->size ? ", " : "", instrument_name(bit));
        }
    }
    size_t kept = 0;
    for (char **word = words; *word; word++) {
        bool alone = strcmp(*word, "-i") == 0 || strcmp(*word, "--instrument") == 0;
        bool joined = strncmp(*word, "-i", 2) == 0 || strncmp(*word, "--instrument=", 13) == 0;
        word += alone;
        if (!alone && !joined) {
            words[kept++] = *word;
        }
    }
    words[kept] = NULL;
    char *line = kept ? command_line(words, text_of("redact \n")) : NULL;
    if (line) {
        buffer_printf(what, ", with %s", line);
    }
    free(line);
}

static void note_unread(struct doctor *doctor, const struct recording_options *options)
{
    const char *log = getenv(CLEW_LOG_VARIABLE);
    bool logs = log && *log;
    if (options->view || options->json) {
        doctor_say(doctor, NOTE, CLEW_OPTIONS_VARIABLE, "--view and --json have no effect: nobody has asked for a page",
                   "clew view FILE, clew report --json FILE");
    }
    if (!logs && (options->quiet || options->verbose)) {
        doctor_say(doctor, NOTE, CLEW_OPTIONS_VARIABLE, "--quiet and --verbose have no effect without CLEW_LOG",
                   "clew info -v FILE");
    }
}

// -- clew's variables -------------------------------------------------------------------------------------------------

// Whether there is something under the name that no recording replaces.
static bool stays(const char *file)
{
    enum recording_output there = recording_output_of(file);
    return there == OUTPUT_LIVE || there == OUTPUT_SPECIAL || there == OUTPUT_FOREIGN || there == OUTPUT_OLD_IN_THE_WAY;
}

// Says where the recording goes; `output`: the pattern.
static void check_output(struct doctor *doctor, struct outlook *outlook, struct variable output)
{
    static const char place[] = "name a file in a folder where the program's user can make files, as in "
                                "CLEW_OUTPUT=/var/log/clew/%n-%p.clew";
    const struct output_values unknown = {0};
    struct buffer found = {0};
    char *file = variables_file(output.value, &unknown, &found), *here = getcwd(NULL, 0);
    if (!file) {
        say_fault(doctor, outlook, "recording", &found, place);
    } else if (stays(file)) {
        buffer_printf(&found, "%s exists and is no recording, or still being written, so it stays as it is", file);
        say_fault(doctor, outlook, "recording", &found, place);
    } else {
        buffer_printf(&outlook->file, "%s%s%s",
                      file[0] == '/' ? ""
                      : here         ? here
                                     : ".",
                      file[0] == '/' ? "" : "/", file);
        buffer_append(&found, outlook->file.data, outlook->file.size);
        buffer_printf(&found, "%s", file[0] == '/' ? "" : ", for a program whose current folder this is");
        doctor_say_buffer(doctor, GOOD, "recording", &found, NULL);
        if (output.value && !strstr(output.value, "%p") && !strstr(output.value, "%t")) {
            buffer_printf(&found,
                          "%s=%s has no %%p and no %%t: a program renames the recording of the one before, and is not "
                          "recorded while that one runs",
                          output.name, output.value);
            doctor_say_buffer(doctor, NOTE, "recording", &found, "add -%p, the number of the process");
        }
    }
    buffer_free(&found);
    free(file);
    free(here);
}

// CLEW_OPTIONS, and with them where the recording goes: -o among them counts if CLEW_OUTPUT is not set.
static void check_options(struct doctor *doctor, struct outlook *outlook)
{
    struct variable options = variable_of(CLEW_OPTIONS_VARIABLE), output = variable_of(CLEW_OUTPUT_VARIABLE);
    struct recording_options parsed;
    struct buffer found = {0};
    char **words;
    int status = parse_options(options.value, &parsed, &words, &found);
    if (status) {
        say_fault(doctor, outlook, CLEW_OPTIONS_VARIABLE, &found, "clew record --help lists the options");
    } else {
        doctor_say(doctor, GOOD, CLEW_OPTIONS_VARIABLE, options.value ? options.value : "not set: the call tree", NULL);
        note_unread(doctor, &parsed);
        check_output(doctor, outlook, output.value ? output : (struct variable){"-o", parsed.output});
        describe(&parsed, words + 1, &outlook->what);
    }
    recording_options_free(&parsed);
    free(words);
    buffer_free(&found);
}

// Whether a log can be written, as the session would open it; nothing is created. Otherwise errno says why.
static bool may_log(const char *path)
{
    int fd = log_file_open(path, false);
    if (fd >= 0) {
        (void)close(fd); // nothing was written
        return true;
    }
    return errno == ENOENT && variables_writable(path);
}

static const char *why_no_log(int number)
{
    return number == ELOOP   ? "it is a symbolic link, which another user may have put there"
           : number == ENXIO ? "nobody reads at its other end"
                             : strerror(number);
}

// The log is no condition of a recording.
static void check_log(struct doctor *doctor)
{
    struct variable log = variable_of(CLEW_LOG_VARIABLE);
    struct buffer found = {0};
    if (!log.value) {
        doctor_say(doctor, NOTE, CLEW_LOG_VARIABLE, "not set: nobody is told if a program cannot be recorded",
                   "name a file that gets a sentence then");
    } else if (may_log(log.value)) {
        doctor_say(doctor, GOOD, CLEW_LOG_VARIABLE, log.value, NULL);
    } else {
        buffer_printf(&found, "%s cannot be written: %s", log.value, why_no_log(errno));
        doctor_say_buffer(doctor, NOTE, CLEW_LOG_VARIABLE, &found, "name a file that can be written");
    }
    buffer_free(&found);
}

// -- Together ---------------------------------------------------------------------------------------------------------

static void put_outlook(struct buffer *line, const struct outlook *outlook, const struct buffer *fault)
{
    if (fault->size) {
        buffer_printf(line, "is not recorded: %.*s", (int)fault->size, (const char *)fault->data);
    } else {
        buffer_printf(line, "is recorded into %.*s: %.*s", (int)outlook->file.size, (const char *)outlook->file.data,
                      (int)outlook->what.size, (const char *)outlook->what.data);
    }
}

static void say_outlook(struct doctor *doctor, const struct outlook *outlook)
{
    const struct buffer *fault = &outlook->fault, *fault11 = &outlook->fault11;
    struct buffer line = {0};
    bool same = (fault->size > 0) == (fault11->size > 0);
    buffer_printf(&line, "a %s program that is started here ", same ? ".NET" : ".NET 8, 9 or 10");
    put_outlook(&line, outlook, fault);
    if (!same) {
        buffer_text(&line, "; one of .NET 11 ");
        put_outlook(&line, outlook, fault11);
    }
    doctor_say_buffer(doctor, fault->size || fault11->size ? BAD : GOOD, "outlook", &line, NULL);
    buffer_free(&line);
}

// A program of a session asks that session alone. Returns whether there is one.
static bool say_session(struct doctor *doctor)
{
    struct variable session = variable_of(CLEW_SESSION_VARIABLE);
    struct buffer found = {0};
    if (session.value) {
        bool lives = access(session.value, F_OK) == 0;
        buffer_printf(
            &found,
            "%s is set, so a .NET program that is started here %s, and clew's other variables are not looked at",
            session.name, lives ? "belongs to a session of clew record" : "is not recorded: that session has ended");
        doctor_say_buffer(doctor, lives ? NOTE : BAD, "outlook", &found, lives ? NULL : "unset CLEW_SESSION");
    }
    buffer_free(&found);
    return session.value != NULL;
}

// Children of a program that records itself inherit its variables, and this may run in one.
static void check_above(struct doctor *doctor, struct outlook *outlook)
{
    struct buffer found = {0};
    if (attended_above() == ATTENDED_ALONE) {
        buffer_text(&found, "a program above this shell is being recorded without its children");
        say_fault(doctor, outlook, "parents", &found, "add --children to CLEW_OPTIONS of that program");
    }
    buffer_free(&found);
}

void doctor_variables(struct doctor *doctor)
{
    struct outlook outlook = {0};
    check_runtime(doctor, &outlook);
    check_diagnostics(doctor, &outlook);
    check_above(doctor, &outlook);
    check_options(doctor, &outlook);
    check_log(doctor);
    if (!say_session(doctor)) {
        say_outlook(doctor, &outlook);
    }
    buffer_free(&outlook.fault);
    buffer_free(&outlook.fault11);
    buffer_free(&outlook.file);
    buffer_free(&outlook.what);
}
