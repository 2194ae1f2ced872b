// See show.h.
#include "cli/show.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/foreign.h"
#include "cli/pager.h"
#include "trace/instrument.h"

const char *cli_recording(const struct cli_command *command, int argc, char **argv, cli_take *take, void *context)
{
    int first = cli_options(command, argc, argv, false, take, context);
    if (first >= 0 && argc == first) {
        cli_say("%s: name a recording, as in clew %s app.clew", command->name, command->name);
    } else if (first >= 0 && argc - first > 1) {
        const char *extra = argv[first + 1];
        bool by = command->by && report_named(text_of(extra));
        cli_say("%s: name only one recording; %s is one word too many%s%s%s", command->name, extra,
                by ? ", did you mean --by " : "", by ? extra : "", by ? "?" : "");
    }
    return first >= 0 && argc - first == 1 ? argv[first] : NULL;
}

static bool memory_is_bounded; // cli_limit_memory() set the limit

// Sanitizers reserve much more address space, so the limit is not set under them.
void cli_limit_memory(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const rlim_t most = (rlim_t)1 << 30;
    static bool limited; // set only once: memory already in use comes on top
    unsigned long pages = 0;
    struct rlimit limit;
    FILE *file = limited ? NULL : fopen("/proc/self/statm", "re");
    bool known = file && fscanf(file, "%lu", &pages) == 1 && getrlimit(RLIMIT_AS, &limit) == 0;
    limited = true;
    if (file) {
        (void)fclose(file); // was only read
    }
    rlim_t wanted = most + (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
    if (known && wanted < limit.rlim_cur) {
        limit.rlim_cur = wanted;
        memory_is_bounded = setrlimit(RLIMIT_AS, &limit) == 0;
    }
#endif
}

const char *cli_sentence(enum clew_error error)
{
    return error != CLEW_NO_MEMORY ? clew_error_sentence(error)
           : memory_is_bounded     ? "it needs more than the 1 GiB of memory that reading a recording may take"
                                   : "there is not enough memory to read it";
}

int cli_status(enum clew_error error)
{
    return error == CLEW_NO_MEMORY && memory_is_bounded ? CLI_DAMAGED : clew_error_status(error);
}

char *cli_absolute(const char *path)
{
    char *folder = *path == '/' ? NULL : getcwd(NULL, 0), *absolute = NULL;
    if (*path == '/') {
        return strdup(path);
    }
    int size = folder ? asprintf(&absolute, "%s/%s", folder, path) : -1;
    free(folder);
    return size < 0 ? NULL : absolute;
}

void cli_say_unwritten(const char *name, int number)
{
    bool full = number == ENOSPC || number == EDQUOT || number == EFBIG;
    bool denied = number == EACCES || number == EPERM || number == EROFS || number == EISDIR || number == ENOTDIR;
    const char *cure = full               ? "; free some space, or write to another place"
                       : denied           ? "; write to another place"
                       : number == ENOENT ? "; create its folder, or write to another place"
                                          : "";
    cli_say("%s: cannot be written: %s%s", name, number ? strerror(number) : clew_error_sentence(CLEW_IO), cure);
}

int cli_printed(const char *path, enum clew_error error)
{
    CLEW_ASSERT(path);
    bool failed = ferror(stdout) != 0;
    errno = 0;
    failed = fflush(stdout) != 0 || failed;
    int number = errno;
    pager_end();
    if (failed && (error == CLEW_OK || error == CLEW_IO)) {
        cli_say_unwritten("standard output", number);
        return CLI_FAILED;
    }
    if (error != CLEW_OK) {
        cli_say("%s: %s", path, cli_sentence(error));
        return cli_status(error);
    }
    return CLI_OK;
}

int cli_check_whole(const char *path, const struct model *model)
{
    if (model_damaged(model)) {
        cli_say("%s: %s", path, clew_error_sentence(CLEW_DAMAGED));
        return CLI_DAMAGED;
    }
    if (model->health.cut_bytes > 0) {
        cli_say("%s: the file ends within a block; all that was written before is shown", path);
    }
    return CLI_OK;
}

int cli_say_lacks(const char *path, const struct model *model, const char *what, const char *instruments)
{
    if (model_damaged(model)) {
        return cli_check_whole(path, model);
    }
    cli_say("%s: this recording has no %s; record it again with clew record -i %s -- %.*s", path, what, instruments,
            (int)model->session.command.size, model->session.command.at);
    return CLI_NOTHING_RECORDED;
}

int cli_say_no_times(const char *path, const char *option)
{
    cli_say("%s: this recording has no times, so --%s has no effect; record it again without --clock none", path,
            option);
    return CLI_NOTHING_RECORDED;
}

int cli_check_recorded(const char *path, const struct model *model)
{
    // Counted lines are events without calls, and without an END block their sum is unknown. A later part of a
    // recording can be empty.
    bool nothing = model->calls == 0 && model->events == 0 && model->session.part < 2;
    if (nothing && !model->health.ended && !model_damaged(model) && !(model->session.instruments & INSTRUMENT_LINES)) {
        cli_say("%s: the recording was cut before its first call; record again", path);
        return CLI_NOTHING_RECORDED;
    }
    if (cli_check_whole(path, model) != CLI_OK) {
        return CLI_DAMAGED;
    }
    if (nothing && model->health.ended) {
        cli_say("%s: %s; clew info %s shows what was in scope, and clew doctor what may be in the way", path,
                clew_error_sentence(CLEW_NOTHING_RECORDED), path);
        return CLI_NOTHING_RECORDED;
    }
    return CLI_OK;
}

// Colours follow the conventions of NO_COLOR (no-color.org) and TERM=dumb.
void cli_view_to(struct view *view, FILE *out)
{
    struct winsize size = {0};
    const char *terminal = getenv("TERM"), *plain = getenv("NO_COLOR");
    bool is_terminal = isatty(fileno(out));
    view->out = out;
    view->width = is_terminal && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    bool coloured = is_terminal && !(plain && *plain) && terminal && strcmp(terminal, "dumb") != 0;
    view->colour = view->when == VIEW_COLOUR_AUTO ? coloured : view->when == VIEW_COLOUR_ALWAYS;
}

void cli_caveats(const struct model *model)
{
    struct view to_stderr = {0};
    (void)fflush(stdout); // on a terminal the caveats come after it; its errors show in ferror()
    cli_view_to(&to_stderr, stderr);
    view_caveats(&to_stderr, model);
}

// Whether the output can be written to a temporary file first. Otherwise it is written in place, as shells do: devices
// and pipes, files with several names or another owner, links to nothing.
static bool may_be_replaced(const char *path, const struct stat *about, bool there)
{
    struct stat link;
    if (!there) {
        return lstat(path, &link) != 0;
    }
    return S_ISREG(about->st_mode) && about->st_nlink == 1 && about->st_uid == geteuid();
}

// Opens `path`, or the temporary file that is to replace it. False: errno says why.
static bool open_output(struct cli_output *output, const char *path)
{
    struct stat about;
    bool there = stat(path, &about) == 0;
    bool replaced = may_be_replaced(path, &about, there);
    if (replaced && there && access(path, W_OK) != 0) {
        return false;
    }
    if (replaced) {
        output->target = there ? realpath(path, NULL) : strdup(path); // follow links, so that they are kept
        if (!output->target || asprintf(&output->temporary, "%s.part-%ld", output->target, (long)getpid()) < 0) {
            output->temporary = NULL;
            return false;
        }
    }
    output->file = fopen(replaced ? output->temporary : path, "we");
    if (output->file && replaced && there) {
        (void)fchmod(fileno(output->file), about.st_mode & 0777);       // the file is ours
    } else if (!output->file && replaced && there && errno == EACCES) { // the folder is not writable
        free(output->temporary);
        output->temporary = NULL;
        output->file = fopen(path, "we");
    }
    return output->file != NULL;
}

bool cli_say_output_folder(const char *path)
{
    struct stat about;
    bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    if (folder) {
        cli_say("-o %s: this is a folder; name a file in it", path);
    }
    return folder;
}

int cli_output_open(struct cli_output *output, const char *path)
{
    path = path && strcmp(path, "-") == 0 ? NULL : path;
    *output = (struct cli_output){.file = stdout, .path = path};
    if (!path || open_output(output, path)) {
        return CLI_OK;
    }
    int status = errno == EISDIR ? CLI_USAGE : CLI_FAILED;
    cli_say_unwritten(path, errno);
    free(output->temporary);
    free(output->target);
    return status;
}

// The temporary file gets the final name only after everything was written, so readers never see half of it.
int cli_output_close(struct cli_output *output, bool keep)
{
    bool failed = ferror(output->file) != 0;
    errno = 0;
    failed = (output->path ? fclose(output->file) : fflush(output->file)) != 0 || failed;
    const char *name = output->path ? output->path : "standard output";
    int number = errno;
    CLEW_ASSERT((!output->temporary || (output->target && output->path)) && "a temporary file has a name to get");
    if (output->temporary) {
        bool use = keep && !failed;
        bool settled = (use ? rename(output->temporary, output->target) : unlink(output->temporary)) == 0;
        number = failed ? number : errno;
        failed = failed || !settled;
        free(output->temporary);
    }
    free(output->target);
    if (failed) {
        cli_say_unwritten(name, number);
    }
    return failed ? CLI_FAILED : CLI_OK;
}

bool cli_duration(const char *text, uint64_t *ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
    char *end;
    bool digits = (*text >= '0' && *text <= '9') || *text == '.'; // strtod() accepts "nan", "-1" and "0x1p3" as well
    double value = strtod(text, &end);
    if (!digits || end == text || memchr(text, 'x', (size_t)(end - text))) {
        return false;
    }
    if (*end == '\0') {
        *ns = 0;
        return value == 0;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(end, units[i].name) == 0 && value * units[i].ns < 1e18) {
            *ns = (uint64_t)(value * units[i].ns + 0.5);
            return true;
        }
    }
    return false;
}

// A unit is required, since --keep-last takes a size or a time.
bool cli_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "kMGT";
    char *end;
    double number = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
    if (end == text || !unit || !(number > 0)) {
        return false;
    }
    const char *rest = end + 1;
    double value = number * (double)(UINT64_C(1) << 10 * (unsigned)(unit - units + 1));
    *bytes = value < 1e18 ? (uint64_t)value : UINT64_C(1000000000000000000);
    return *rest == '\0' || strcmp(rest, "B") == 0 || strcmp(rest, "iB") == 0;
}

bool cli_number(const char *text, uint32_t *out)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value == 0 || value > UINT32_MAX) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

bool cli_take_report(const char *name, enum report_place verb, const struct report **out)
{
    const struct report *report = report_named(text_of(name));
    bool known = report && report_is(report, verb);
    if (known) {
        *out = report;
    } else {
        struct buffer names = {0};
        report_list(&names, verb, NULL);
        cli_say("--by %s: choose %.*s", name, (int)text_in(&names).size, text_in(&names).at);
        buffer_free(&names);
    }
    return known;
}

bool cli_take_colour(const char *text, struct view *view)
{
    static const char *const names[] = {"auto", "always", "never"};
    static_assert(sizeof names / sizeof *names == VIEW_COLOUR_NEVER + 1, "a name for each");
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], text) == 0) {
            view->when = (enum view_colour)i;
            return true;
        }
    }
    cli_say("--color %s: choose always, auto or never", text);
    return false;
}

bool cli_take_names(const char *text, struct view *view)
{
    bool is_short = strcmp(text, "short") == 0;
    view->names = is_short ? VIEW_NAMES_SHORT : VIEW_NAMES_FULL;
    if (!is_short && strcmp(text, "full") != 0) {
        cli_say("--names %s: choose short (type and method) or full", text);
        return false;
    }
    return true;
}

void cli_near(const struct nearest *nearest, const char *lead)
{
    for (uint32_t i = 0; i < nearest->count; i++) {
        // If stderr fails there is nowhere to report it
        (void)fprintf(stderr, "%s%s%s", i ? ", " : "  ", i ? "" : lead, i ? "" : ": ");
        foreign_write(stderr, text_of(nearest->names[i].name), FOREIGN_TEXT);
    }
    (void)fputs(nearest->count ? "\n" : "", stderr);
}

bool cli_take_duration(const struct cli_option *option, const char *text, uint64_t *ns)
{
    bool good = cli_duration(text, ns);
    if (!good) {
        cli_say("--%s %s: give a time with its unit, as in 500ns, 10us, 1.5ms, 2s", option->name, text);
    }
    return good;
}

bool cli_take_number(const struct cli_option *option, const char *text, uint32_t *out)
{
    bool good = cli_number(text, out);
    if (!good) {
        cli_say("--%s %s: give a whole number above 0", option->name, text);
    }
    return good;
}
