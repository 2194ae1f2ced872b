// See print_variables.h. Nothing is printed before all values are known to work: the agent and the clew that it will start
// are there, and the pattern of the file is one.
#include "cli/print_variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cli/variables.h"
#include "collector/session/command_line.h"
#include "collector/start/environment.h"
#include "ring/handshake.h"

// -- Values -----------------------------------------------------------------------------------------------------------

struct variables {
    char *agent;           // path of the agent of this installation
    struct buffer clew;    // path of the clew that it starts
    struct buffer options; // value of CLEW_OPTIONS; empty: none
    const char *output;    // value of CLEW_OUTPUT; NULL: none
};

// A word as it is quoted for a shell, which is also how CLEW_OPTIONS is split.
static void put_word(struct buffer *into, const char *word)
{
    char *words[] = {(char *)(uintptr_t)word, NULL}; // is not written to
    char *quoted = command_line(words, text_of("redact \n"));
    if (quoted) {
        buffer_text(into, quoted);
    } else {
        into->failed = true;
    }
    free(quoted);
}

static bool is_printable(const char *text)
{
    while ((unsigned char)*text >= ' ' && *text != 0x7f) {
        text++;
    }
    return *text == '\0';
}

// The options as one line. False after printing what stands against it.
static bool put_options(const struct text typed, struct buffer *line)
{
    for (size_t at = 0; at < typed.size; at += strlen(typed.at + at) + 1) {
        if (!is_printable(typed.at + at)) {
            cli_say("an option holds a control character, which no variable can pass on; write it without");
            return false;
        }
        buffer_text(line, line->size ? " " : "");
        put_word(line, typed.at + at);
    }
    return true; // whether there was memory for it is looked at in the end
}

// Whether the pattern of -o can be expanded. Prints why not.
static bool is_pattern(const char *pattern)
{
    const struct output_values unknown = {0};
    struct buffer why = {0};
    char *file = variables_output(pattern, &unknown, &why);
    bool good = file && is_printable(pattern);
    if (file && !good) {
        buffer_text(&why, "-o holds a control character, which no variable can pass on; choose another name");
    }
    if (!good) {
        cli_say("%.*s", (int)why.size, (const char *)why.data);
    }
    buffer_free(&why);
    free(file);
    return good;
}

// The folder is the one of the image or of the service, which need not be there now.
static int find_values(const struct recording_options *options, struct variables *variables)
{
    struct buffer why = {0};
    int status = 0;
    variables->output = options->output;
    if (options->view || options->json) {
        cli_say("--view and --json are for whoever waits for the program's end: leave them out of its variables");
        return CLI_USAGE;
    }
    if (options->print == PRINT_DOCKER && (options->symbol_count || options->source_maps.count)) {
        cli_say(
            "--symbols and --source-map name folders here, and not those of an image: add them to CLEW_OPTIONS there");
        return CLI_USAGE;
    }
    if (!put_options(text_in(&options->typed), &variables->options) ||
        (options->output && !is_pattern(options->output))) {
        return CLI_USAGE;
    }
    variables->agent = environment_agent(&why);
    if (!variables->agent) {
        cli_say("%.*s", (int)why.size, (const char *)why.data);
        status = CLI_FAILED;
    } else if (!environment_clew(variables->agent, &variables->clew)) {
        cli_say("there is no clew that can be executed beside %s or in ../../bin; install clew again",
                variables->agent);
        status = CLI_FAILED;
    } else if (!is_printable(variables->agent)) {
        cli_say(
            "the path of the agent holds a control character, which no variable can pass on; install clew elsewhere");
        status = CLI_FAILED;
    }
    buffer_free(&why);
    return status;
}

// -- Formats ----------------------------------------------------------------------------------------------------------

// Prints one variable.
typedef void put_variable(const char *name, const char *value);

// All of them; errors of stdout show in the program that reads it.
static void put_all(const struct variables *variables, const char *agent, const char *output, put_variable *put)
{
    put("CORECLR_ENABLE_PROFILING", "1");
    put("CORECLR_PROFILER", CLEW_CLSID);
    put("CORECLR_PROFILER_PATH", agent);
    if (output) {
        put(CLEW_OUTPUT_VARIABLE, output);
    }
    if (variables->options.size > 1) { // more than its end
        put(CLEW_OPTIONS_VARIABLE, (const char *)variables->options.data);
    }
}

static void put_export(const char *name, const char *value)
{
    struct buffer word = {0};
    put_word(&word, value);
    (void)printf("export %s=%.*s\n", name, (int)word.size, (const char *)word.data);
    buffer_free(&word);
}

// Also unsets what an earlier call has set in the same shell.
static void print_env(const struct variables *variables)
{
    bool options = variables->options.size > 1;
    put_all(variables, variables->agent, variables->output, put_export);
    if (!variables->output || !options) {
        (void)printf("unset%s%s\n", variables->output ? "" : " " CLEW_OUTPUT_VARIABLE,
                     options ? "" : " " CLEW_OPTIONS_VARIABLE);
    }
}

// Prints a value in double quotes: `quoted` are the characters that a backslash quotes there.
static void put_quoted(const char *value, const char *quoted, bool doubles_percent)
{
    (void)putchar('"');
    for (; *value; value++) {
        if (strchr(quoted, *value)) {
            (void)putchar('\\');
        } else if (*value == '%' && doubles_percent) {
            (void)putchar('%');
        }
        (void)putchar(*value);
    }
    (void)putchar('"');
}

// As in systemd.syntax(7) and systemd.exec(5): the whole assignment is quoted, and % begins what systemd expands.
static void put_environment(const char *name, const char *value)
{
    char *assignment = NULL;
    (void)fputs("Environment=", stdout);
    if (asprintf(&assignment, "%s=%s", name, value) >= 0) {
        put_quoted(assignment, "\\\"", true);
        free(assignment);
    }
    (void)putchar('\n');
}

// Folders that settings of a unit hide from its program.
static bool may_be_hidden(const char *path)
{
    static const char *const folders[] = {"/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (strncmp(path, folders[i], strlen(folders[i])) == 0) {
            return true;
        }
    }
    return false;
}

static void print_unit(const struct variables *variables)
{
    (void)fputs(
        "# Records the .NET program of a service. Paste it here:\n"
        "#     systemctl edit NAME && systemctl restart NAME\n"
        "# and take it out again in the same way.\n"
        "#\n"
        "# When the service stops, its recording is closed in order. If systemd kills all of its processes, the\n"
        "# recording can be read to its last block, and says that it was not closed.\n"
        "[Service]\n",
        stdout);
    if (may_be_hidden(variables->agent)) {
        (void)fputs("# ProtectHome= and PrivateTmp= hide this folder from a service: better install clew below /usr.\n",
                    stdout);
    }
    if (!variables->output) {
        (void)fputs("# The service can write to this folder, whatever ProtectSystem= keeps from it.\n"
                    "LogsDirectory=clew/%N\n",
                    stdout);
    }
    put_all(variables, variables->agent, variables->output, put_environment);
    if (!variables->output) {
        (void)fputs("Environment=\"" CLEW_OUTPUT_VARIABLE "=%L/clew/%N/%%n-%%p-%%t.clew\"\n"
                    "# If nothing is recorded, this file says why:\n"
                    "#Environment=\"" CLEW_LOG_VARIABLE "=%L/clew/%N/clew.log\"\n",
                    stdout);
    }
}

// In double quotes, container files expand $NAME.
static void put_docker(const char *name, const char *value)
{
    (void)printf("ENV %s=", name);
    put_quoted(value, "\\\"$", false);
    (void)putchar('\n');
}

static void print_docker(const struct variables *variables)
{
    const char *output = variables->output ? variables->output : "/data/%n-%p-%t.clew";
    const char *slash = strrchr(output, '/');
    bool absolute = output[0] == '/' && slash > output;
    struct buffer line = {0};
    put_word(&line, (const char *)variables->clew.data);
    buffer_u8(&line, ' ');
    put_word(&line, variables->agent);
    (void)printf(
        "# Records the .NET programs of an image with glibc. Copy both files beside the container file first:\n"
        "#     cp %.*s .\n"
        "# and start the image with a folder for the recordings that its user can write to:\n"
        "#     docker run -v \"$PWD/recordings:%.*s\" IMAGE\n"
        "# When the program ends, its recording is closed in order. If the container is killed, the recording\n"
        "# can be read to its last block, and says that it was not closed.\n"
        "COPY clew " CLEW_AGENT_FILE " /opt/clew/\n",
        (int)line.size, (const char *)line.data, absolute ? (int)(slash - output) : 6, absolute ? output : "FOLDER");
    put_all(variables, "/opt/clew/" CLEW_AGENT_FILE, output, put_docker);
    (void)fputs("# To see what will happen: docker run --rm --entrypoint /opt/clew/clew IMAGE doctor --env\n", stdout);
    buffer_free(&line);
}

int print_variables(const struct recording_options *options)
{
    struct variables variables = {0};
    int status = find_values(options, &variables);
    CLEW_ASSERT(options->print);
    buffer_u8(&variables.options, 0);
    if (!status && (variables.options.failed || variables.clew.failed)) {
        cli_say("%s", clew_error_sentence(CLEW_NO_MEMORY));
        status = CLI_FAILED;
    }
    if (!status) {
        (options->print == PRINT_ENV    ? print_env
         : options->print == PRINT_UNIT ? print_unit
                                        : print_docker)(&variables);
    }
    free(variables.agent);
    buffer_free(&variables.clew);
    buffer_free(&variables.options);
    return status;
}
