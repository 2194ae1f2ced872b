// See recording_options.h. Each option is checked when it is parsed; settle() checks combinations. Options become lines
// of the configuration that the agent reads from the segment (`include GLOB`, `redact GLOB`, ...), or fields for the
// collector.
#include "cli/recording_options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/assert.h"
#include "base/text.h"
#include "cli/show.h"
#include "model/pattern.h"
#include "ring/ring.h"
#include "trace/instrument.h"

// Limits of what a user can ask for. SIZE_LEAST: less than this hardly holds the definitions.
enum {
    GLOB_MAX = 4096,
    DEPTH_MAX = 1 << 20,
    STRING_MAX = 4096,
    LINES_MAX = 1 << 20,
    PARTS_MAX = 1000,
    SIZE_LEAST = 64 << 10
};

const struct cli_option recording_option_table[] = {
    {"output", 'o', "FILE",
     "where the recording goes (default: NAME.clew here; an older recording becomes NAME.clew.old)"},
    {"instrument", 'i', "LIST",
     "of tree (default), calls, lines, statements, values; with a scope of its own: 'calls:GLOB;GLOB,tree'; repeats"},
    {"include", 0, "GLOB",
     "instead of my code, record what '[Assembly]Namespace.Type.Method' matches, or a name as reports print it, or a "
     "method or a type alone; repeats"},
    {"exclude", 0, "GLOB", "do not record what matches; wins over --include; repeats"},
    {"all-code", 0, NULL,
     "tree and calls: every method of every assembly, the framework's too (slower); for other instruments --include "
     "'*' takes all but the core library"},
    {"tiny", 0, "full|skip|count",
     "tree, calls: of methods in scope without calls, loops and handlers below 16 bytes of IL (most getters): record "
     "them "
     "(full, the default), skip them, or count their calls alone, which takes a fraction of the time"},
    {"exact-ends", 0, NULL,
     "of runtime async (.NET 11): see each end of a method by an exception, also where an await in no try fails; the "
     "program then sees one more throw for each method that the exception leaves"},
    {"children", 0, NULL,
     "record the .NET programs that the program starts, too; dotnet run, test, watch and X.cs imply it"},
    {"clock", 0, "CLOCK",
     "tsc (default), monotonic, tick (cheapest; advances every 100 us; default of lines), none (counts only)"},
    {"depth", 0, "N", "record no call that is nested deeper than N"},
    {"lossy", 0, NULL, "calls: drop events rather than make the program wait, and count them"},
    {"keep-last", 0, "SIZE|TIME",
     "calls: keep only the end, as in 64M or 10s; takes 16 KiB of memory more for each live thread"},
    {"max-size", 0, "SIZE", "stop recording when the file has this size, as in 64M; the program runs on"},
    {"rotate", 0, "N",
     "with --max-size, for calls, statements and values: continue in a new file each time, and keep the last N: "
     "app.clew is the newest, app.1.clew the one before"},
    {"uses", 0, NULL, "values: record reads of variables as well as writes (much larger)"},
    {"redact", 0, "GLOB",
     "values: redact what has a name like this instead of the usual names (password, token, secret, ...); repeats; '' "
     "redacts nothing"},
    {"string-max", 0, "N", "values: keep at most N characters of a string (256; up to 4096)"},
    {"symbols", 0, "DIR", "search this folder for PDBs, too; repeats"},
    {"source-map", 0, "FROM=TO", "find sources that the PDB names in the folder FROM in the folder TO; repeats"},
    {"view", 0, NULL, "once the program has ended, open the page (clew view)"},
    {"print-env", 0, NULL,
     "print variables for a shell that make .NET programs record themselves with these options; start nothing"},
    {"print-unit", 0, NULL, "the same as a drop-in for a unit of systemd"},
    {"print-docker", 0, NULL, "the same as lines for a container file"},
    {"quiet", 'q', NULL, "print nothing but errors"},
    {"verbose", 'v', NULL, "list everything that was not recorded, and why"},
    {"json", 0, NULL, "print JSON"},
    {0},
};

// -- Single values ----------------------------------------------------------------------------------------------------

// The configuration is lines of text, so a line break in a pattern would forge a line.
static bool has_control_characters(const char *text)
{
    while ((unsigned char)*text >= ' ' && *text != 0x7f) {
        text++;
    }
    return *text != '\0';
}

// What is wrong with a pattern; NULL: nothing. Patterns are `[Assembly]Name`, `[Assembly]` or `Name`.
static const char *glob_fault(const char *glob)
{
    return strlen(glob) > GLOB_MAX        ? "it is too long"
           : has_control_characters(glob) ? "it holds a control character"
                                          : pattern_fault(glob);
}

// Appends a pattern to the scope. `word`: the first word of its line in the configuration; `option`: the option as
// typed, for messages.
static bool take_glob(struct recording_options *options, const char *word, const char *option, const char *glob)
{
    const char *fault = glob_fault(glob);
    CLEW_ASSERT(*word && *option);
    if (fault) {
        bool printable = glob[strcspn(glob, "\n\r\t\033")] == '\0';
        cli_say("%s '%s': %s; write it as '[Assembly]Namespace.Type.Method', with * and ?", option,
                printable ? glob : "...", fault);
        return false;
    }
    buffer_printf(&options->scope, "%s %s%s\n", word, glob[0] == '[' ? "" : "[*]", glob);
    return true;
}

// The length of the first item of a list. A separator within brackets belongs to the item, because parameters are
// separated by commas.
static size_t item_size(const char *list, char separator)
{
    size_t size = 0;
    for (int depth = 0; list[size] && (depth > 0 || list[size] != separator); size++) {
        char closing = (char)(list[size] == '<' ? '>' : list[size] == '(' ? ')' : 0);
        depth += closing && strchr(list + size, closing);
        depth -= depth > 0 && (list[size] == '>' || list[size] == ')');
    }
    return size;
}

// Takes the patterns GLOB;GLOB of an instrument's own scope.
static bool take_own_scope(struct recording_options *options, const char *name, const char *globs)
{
    for (;; globs++) {
        size_t size = item_size(globs, ';');
        char *glob = strndup(globs, size), *option = NULL;
        bool taken = glob && asprintf(&option, "-i %s:", name) >= 0 && take_glob(options, name, option, glob);
        free(glob);
        free(option);
        globs += size;
        if (!taken || *globs == '\0') {
            return taken;
        }
    }
}

// Lists the instruments that can be recorded. `known`: the name is one of a newer version.
static bool say_instruments(const char *name, bool known)
{
    struct buffer there = {0};
    for (uint32_t bit = 1; bit <= INSTRUMENTS; bit <<= 1) {
        if (INSTRUMENTS & bit) {
            buffer_printf(&there, "%s%s", there.size ? ", " : "", instrument_name(bit));
        }
    }
    cli_say(known ? "this version cannot record %s yet; there are %.*s" : "there is no instrument '%s'; there are %.*s",
            name, (int)there.size, (const char *)there.data);
    buffer_free(&there);
    return false;
}

// Takes INSTRUMENT or INSTRUMENT:GLOB;GLOB.
static bool take_instrument(struct recording_options *options, char *item)
{
    char *globs = strchr(item, ':');
    if (globs) {
        *globs++ = '\0';
    }
    uint32_t instrument = instrument_named(text_of(item));
    if (!(instrument & INSTRUMENTS)) {
        return say_instruments(item, instrument != 0);
    }
    options->instruments |= instrument;
    return !globs || take_own_scope(options, item, globs);
}

// Takes the list of -i; the option can be repeated.
static bool take_instruments(struct recording_options *options, const char *list)
{
    for (;; list++) {
        size_t size = item_size(list, ',');
        char *item = strndup(list, size);
        bool taken = item && take_instrument(options, item);
        free(item);
        list += size;
        if (!taken || *list == '\0') {
            return taken;
        }
    }
}

// An explicit choice also decides which clock times the lines: see settle_clock().
static bool take_clock(struct recording_options *options, const char *name)
{
    options->clock_chosen = true;
    if (clock_from_name(name, &options->clock)) {
        return true;
    }
    cli_say("there is no clock '%s'; there are tsc, monotonic, tick and none", name);
    return false;
}

static bool take_depth(struct recording_options *options, const char *text)
{
    if (cli_number(text, &options->depth) && options->depth <= DEPTH_MAX) {
        return true;
    }
    cli_say("--depth %s: give a number from 1 to %d", text, DEPTH_MAX);
    return false;
}

// The argument is a size or a time; their units differ.
static bool take_keep_last(struct recording_options *options, const char *text)
{
    options->flags |= SESSION_KEEP_LAST;
    if (cli_size(text, &options->keep_bytes)) {
        return true;
    }
    if (cli_duration(text, &options->keep_ns) && options->keep_ns > 0) {
        return true;
    }
    cli_say("--keep-last %s: give a size, as in 64M, or a time, as in 10s", text);
    return false;
}

// A very small file would be full of definitions before its first event.
static bool take_max_size(struct recording_options *options, const char *text)
{
    options->max_text = text;
    if (!cli_size(text, &options->max_bytes)) {
        cli_say("--max-size %s: give a size, as in 64M or 2G", text);
        return false;
    }
    if (options->max_bytes < SIZE_LEAST) {
        cli_say("--max-size %s: give at least 64k", text);
        return false;
    }
    return true;
}

static bool take_rotate(struct recording_options *options, const char *text)
{
    if (cli_number(text, &options->parts_max) && options->parts_max <= PARTS_MAX) {
        return true;
    }
    cli_say("--rotate %s: give the number of files to keep, from 1 to %d", text, PARTS_MAX);
    return false;
}

// An empty pattern replaces the usual names, and matches nothing.
static bool take_redact(struct recording_options *options, const char *glob)
{
    if (has_control_characters(glob) || strlen(glob) > GLOB_MAX) {
        cli_say("--redact: give the name of a variable, with * and ?, as in '*password*'");
        return false;
    }
    buffer_printf(&options->configuration, "redact %s\n", glob);
    return true;
}

// 0 is allowed here: strings are then recorded without their text.
static bool take_string_max(struct recording_options *options, const char *text)
{
    uint32_t number = 0;
    if (strcmp(text, "0") != 0 && (!cli_number(text, &number) || number > STRING_MAX)) {
        cli_say("--string-max %s: give a number from 0 to %d", text, STRING_MAX);
        return false;
    }
    buffer_printf(&options->configuration, "string-max %u\n", number);
    return true;
}

// The configuration has a line if they are not recorded like others.
static bool take_tiny(struct recording_options *options, const char *text)
{
    static const char *const words[] = {"full", "skip", "count"};
    static_assert(TINY_FULL == 0 && TINY_SKIP == 1 && TINY_COUNT == 2, "the words are in order");
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(text, words[i]) == 0) {
            options->tiny = (enum tiny_methods)i;
            return true;
        }
    }
    cli_say("--tiny %.40s: say full, skip or count", has_control_characters(text) ? "..." : text);
    return false;
}

// The program may run in another folder, so the agent gets an absolute path.
static bool take_symbols(struct recording_options *options, const char *folder)
{
    struct stat about;
    char *path = realpath(folder, NULL);
    CLEW_ASSERT(options->symbol_count <= RECORDING_SYMBOLS_MAX);
    if (options->symbol_count == RECORDING_SYMBOLS_MAX) {
        cli_say("--symbols: at most %d folders", RECORDING_SYMBOLS_MAX);
        free(path);
        return false;
    }
    if (!path || stat(path, &about) != 0 || !S_ISDIR(about.st_mode) || has_control_characters(path)) {
        cli_say("--symbols %s: there is no such folder", has_control_characters(folder) ? "..." : folder);
        free(path);
        return false;
    }
    options->symbols[options->symbol_count++] = path;
    buffer_printf(&options->configuration, "symbols %s\n", path);
    return true;
}

static bool take_value(void *context, const struct cli_option *option, const char *argument)
{
    struct recording_options *options = context;
    if (strcmp(option->name, "output") == 0) {
        options->output = argument;
    } else if (strcmp(option->name, "instrument") == 0) {
        return take_instruments(options, argument);
    } else if (strcmp(option->name, "include") == 0) {
        return take_glob(options, "include", "--include", argument);
    } else if (strcmp(option->name, "exclude") == 0) {
        return take_glob(options, "exclude", "--exclude", argument);
    } else if (strcmp(option->name, "all-code") == 0) {
        options->flags |= SESSION_ALL_CODE;
    } else if (strcmp(option->name, "tiny") == 0) {
        return take_tiny(options, argument);
    } else if (strcmp(option->name, "exact-ends") == 0) {
        options->flags |= SESSION_EXACT_ENDS;
    } else if (strcmp(option->name, "children") == 0) {
        options->children = true;
    } else if (strcmp(option->name, "clock") == 0) {
        return take_clock(options, argument);
    } else if (strcmp(option->name, "depth") == 0) {
        return take_depth(options, argument);
    } else if (strcmp(option->name, "lossy") == 0) {
        options->flags |= SESSION_LOSSY;
    } else if (strcmp(option->name, "keep-last") == 0) {
        return take_keep_last(options, argument);
    } else if (strcmp(option->name, "max-size") == 0) {
        return take_max_size(options, argument);
    } else if (strcmp(option->name, "rotate") == 0) {
        return take_rotate(options, argument);
    } else if (strcmp(option->name, "uses") == 0) {
        options->instruments |= INSTRUMENT_USES;
    } else if (strcmp(option->name, "redact") == 0) {
        return take_redact(options, argument);
    } else if (strcmp(option->name, "string-max") == 0) {
        return take_string_max(options, argument);
    } else if (strcmp(option->name, "symbols") == 0) {
        return take_symbols(options, argument);
    } else if (strcmp(option->name, "source-map") == 0) {
        return source_maps_take(&options->source_maps, argument);
    } else if (strcmp(option->name, "view") == 0) {
        options->view = true;
    } else if (strcmp(option->name, "print-env") == 0) {
        options->print = PRINT_ENV;
    } else if (strcmp(option->name, "print-unit") == 0) {
        options->print = PRINT_UNIT;
    } else if (strcmp(option->name, "print-docker") == 0) {
        options->print = PRINT_DOCKER;
    } else if (strcmp(option->name, "quiet") == 0) {
        options->quiet = true;
    } else if (strcmp(option->name, "verbose") == 0) {
        options->verbose = true;
    } else {
        options->json = true;
    }
    return true;
}

// Keeps an option for print_variables.c, with absolute paths: the program that gets it may have another current folder.
static void keep_typed(struct recording_options *options, const struct cli_option *option, const char *argument)
{
    struct buffer *typed = &options->typed;
    if (option->letter) {
        buffer_printf(typed, "-%c", option->letter);
    } else {
        buffer_printf(typed, "--%s", option->name);
    }
    buffer_u8(typed, 0);
    if (strcmp(option->name, "symbols") == 0) {
        buffer_text(typed, options->symbols[options->symbol_count - 1]);
    } else if (strcmp(option->name, "source-map") == 0) {
        const char *to = strchr(argument, '=') + 1;
        char *path = realpath(to, NULL);
        buffer_printf(typed, "%.*s%s", (int)(to - argument), argument, path ? path : to);
        free(path);
    } else if (argument) {
        buffer_text(typed, argument);
    }
    if (argument) {
        buffer_u8(typed, 0);
    }
}

// Called by cli_options() for each option.
static bool take_option(void *context, const struct cli_option *option, const char *argument)
{
    if (!take_value(context, option, argument)) {
        return false;
    }
    if (strcmp(option->name, "output") != 0 && strncmp(option->name, "print-", 6) != 0) {
        keep_typed(context, option, argument);
    }
    return true;
}

// -- Together ---------------------------------------------------------------------------------------------------------

// Without --clock, lines are timed by the tick word: reading another clock costs more than most statements take.
static void settle_clock(struct recording_options *options)
{
    bool usable = clock_tsc_usable();
    if (options->clock_chosen && options->clock != CLOCK_KIND_TICK && options->instruments & INSTRUMENT_LINES) {
        options->flags |= SESSION_LINES_BY_CLOCK;
    }
    if (!options->clock_chosen && options->instruments == INSTRUMENT_LINES) {
        options->clock = CLOCK_KIND_TICK;
    } else if (!options->clock_chosen) {
        options->clock = usable ? CLOCK_KIND_TSC : CLOCK_KIND_MONOTONIC;
    } else if (options->clock == CLOCK_KIND_TSC && !usable) {
        options->clock = CLOCK_KIND_MONOTONIC;
        if (!options->quiet) { // info says it too
            cli_say("the processor's time-stamp counter is not reliable here: the clock is monotonic");
        }
    }
}

// Trees and counters are sums since the program's start, so a later part cannot contain only what happened during it.
static bool settle_parts(const struct recording_options *options)
{
    if (options->parts_max && !options->max_bytes) {
        cli_say("--rotate limits the number of files: add --max-size to limit the size of each");
        return false;
    }
    if (options->parts_max && options->instruments & (INSTRUMENT_TREE | INSTRUMENT_LINES)) {
        cli_say("--rotate is for streams: use -i calls, statements or values, without tree and lines; a call tree "
                "stays small by "
                "itself, and reports build one from streams");
        return false;
    }
    return true;
}

// Methods that are left out or only counted have no statements, values and events.
static bool settle_tiny(struct recording_options *options)
{
    const char *word = options->tiny == TINY_SKIP ? "skip" : "count";
    if (options->tiny == TINY_FULL) {
        return true;
    }
    if (options->instruments & (INSTRUMENT_AT_SITES | INSTRUMENT_USES)) {
        cli_say(
            "--tiny %s would leave statements, values and lines of tiny methods out: record them without --tiny, or "
            "the tree alone with it",
            word);
        return false;
    }
    if (options->flags & SESSION_ALL_CODE) {
        cli_say(
            "--tiny %s is about code that clew changes, and --all-code leaves all code as it is: use only one of them",
            word);
        return false;
    }
    if (options->tiny == TINY_COUNT && options->instruments != INSTRUMENT_TREE) {
        cli_say(
            "--tiny count is for -i tree alone, since calls that are only counted have no place among calls in order: "
            "use --tiny skip with -i calls");
        return false;
    }
    buffer_printf(&options->configuration, "tiny %s\n", word);
    return true;
}

// Checks combinations of options and completes the configuration. Returns 0, or the exit status after printing what is
// wrong.
static int settle(const struct cli_command *command, struct recording_options *options)
{
    if (!options->command[0] && !options->print) {
        cli_say("%s: name the program to start, as in clew %s -- dotnet app.dll", command->name, command->name);
        return CLI_USAGE;
    }
    if (options->flags & SESSION_KEEP_LAST && !(options->instruments & INSTRUMENT_STREAMS)) {
        cli_say("--keep-last is for streams: add -i calls; a call tree stays small by itself");
        return CLI_USAGE;
    }
    if (options->flags & SESSION_KEEP_LAST && options->max_bytes) {
        cli_say("--keep-last keeps the end of a recording, and --max-size its beginning: use only one of them");
        return CLI_USAGE;
    }
    if (!settle_parts(options)) {
        return CLI_USAGE;
    }
    if (options->flags & SESSION_ALL_CODE && options->instruments & INSTRUMENT_AT_SITES) {
        cli_say("--all-code records calls only: for lines, statements and values use --include '*' in its place, which "
                "takes all but the core library");
        return CLI_USAGE;
    }
    if (options->flags & SESSION_ALL_CODE && options->flags & SESSION_EXACT_ENDS) {
        cli_say("--exact-ends changes the code of async methods, and --all-code leaves all code as it is: use only one "
                "of them");
        return CLI_USAGE;
    }
    if (options->instruments & INSTRUMENT_USES && !(options->instruments & INSTRUMENT_VALUES)) {
        cli_say("--uses adds to values: add -i values");
        return CLI_USAGE;
    }
    if (options->flags & SESSION_LOSSY && !(options->instruments & INSTRUMENT_STREAMS)) {
        cli_say("--lossy is for streams: add -i calls; nothing of a call tree or of counters waits");
        return CLI_USAGE;
    }
    if (!settle_tiny(options)) {
        return CLI_USAGE;
    }
    pattern_scope(&options->configuration, text_in(&options->scope));
    if (options->scope.failed || options->configuration.failed || options->configuration.size > LINES_MAX) {
        cli_say("there are too many patterns in --include, --exclude and -i");
        return CLI_USAGE;
    }
    settle_clock(options);
    CLEW_ASSERT(options->instruments & INSTRUMENTS);
    return 0;
}

// Parses the words up to the first that is no option. Returns its index, or -1 after printing what is wrong.
static int parse_words(const struct cli_command *command, int argc, char **argv, struct recording_options *out)
{
    *out = (struct recording_options){0};
    int first = cli_options(command, argc, argv, true, take_option, out);
    out->instruments = out->instruments ? out->instruments : INSTRUMENT_TREE;
    return first;
}

int recording_options_parse(const struct cli_command *command, int argc, char **argv, struct recording_options *out)
{
    int first = parse_words(command, argc, argv, out);
    if (first < 0) {
        return CLI_USAGE;
    }
    out->command = argv + first;
    return settle(command, out);
}

int recording_options_alone(const struct cli_command *command, int argc, char **argv, char **program,
                            struct recording_options *out)
{
    int first = parse_words(command, argc, argv, out);
    if (first < 0) {
        return CLI_USAGE;
    }
    if (first < argc) {
        cli_say("%s: '%s' is no option, and the program is known already; leave it out", command->name, argv[first]);
        return CLI_USAGE;
    }
    if (out->print) {
        cli_say("%s: --print-env, --print-unit and --print-docker are for a command line; leave them out",
                command->name);
        return CLI_USAGE;
    }
    out->command = program;
    return settle(command, out);
}

void recording_options_free(struct recording_options *options)
{
    buffer_free(&options->scope);
    buffer_free(&options->typed);
    buffer_free(&options->configuration);
    for (unsigned i = 0; i < options->symbol_count; i++) {
        free(options->symbols[i]);
    }
}
