// See recorded.h.
#include "cli/recorded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/closing.h"
#include "cli/show.h"
#include "cli/verb_report.h"
#include "cli/verb_view.h"
#include "collector/session/command_line.h"
#include "collector/start/environment.h"
#include "collector/start/target.h"

enum { CALIBRATION_NS = 5 * 1000 * 1000 };

// -- Before -----------------------------------------------------------------------------------------------------------

// What the agents have to know of the command line: which program it names. The SDK is one only where it runs no other.
static void settle_program(struct recorded *recorded)
{
    struct recording_options *options = &recorded->options;
    struct text name = recording_file_program(options->command);
    options->children = options->children || target_runs_in_child(options->command);
    if (!recorded->descends && !text_equal(name, text_of("dotnet")) && !memchr(name.at, '\n', name.size)) {
        buffer_printf(&options->configuration, "program %.*s\n", (int)name.size, name.at);
    }
}

int recorded_settle(struct recorded *recorded)
{
    struct recording_options *options = &recorded->options;
    settle_program(recorded);
    recorded->command = command_line(
        options->command, (struct text){(const char *)options->configuration.data, options->configuration.size});
    recorded->file = options->output ? strdup(options->output) : recording_file_default(options->command);
    recorded->session.shared = session_shared_new();
    if (!recorded->command || !recorded->file || !recorded->session.shared) {
        cli_say("%s", clew_error_sentence(CLEW_NO_MEMORY));
        return CLI_FAILED;
    }
    return recording_file_judge(recorded->file, options->parts_max, &recorded->output);
}

// Measures the clock's rate for the file's header. The rate measured over the whole session replaces it at the end.
static void calibrate(const struct session *session)
{
    uint64_t passed = clock_monotonic_ns() - session->calibration.ns;
    if (session->record.clock == CLOCK_KIND_TSC && passed < CALIBRATION_NS) {
        struct timespec rest = {.tv_nsec = (long)(CALIBRATION_NS - passed)};
        (void)nanosleep(&rest, NULL); // a shorter wait only makes it less exact
    }
}

// Fills in the session and its first record in the file. Must come right before the file is created, because it takes
// the time of the start.
static void describe(struct recorded *recorded)
{
    const struct recording_options *options = &recorded->options;
    struct session *session = &recorded->session;
    (void)gethostname(recorded->host, sizeof recorded->host - 1);
    if (!getcwd(recorded->folder, sizeof recorded->folder)) {
        recorded->folder[0] = '\0';
    }
    CLEW_ASSERT(options->symbol_count < sizeof recorded->symbols / sizeof *recorded->symbols);
    for (unsigned i = 0; i < options->symbol_count; i++) {
        recorded->symbols[i] = text_of(options->symbols[i]);
    }
    recorded->symbols[options->symbol_count] = text_of(recorded->folder);
    session->symbols = recorded->symbols;
    session->symbol_count = options->symbol_count + 1;
    session->sources = source_maps_places(&options->source_maps);
    session->path = recorded->file;
    session->children = options->children;
    session->keep_bytes = options->keep_bytes;
    session->keep_ns = options->keep_ns;
    session->max_bytes = options->max_bytes;
    session->max_text = options->max_text;
    session->parts_max = options->parts_max;
    session->record.clock = options->clock;
    calibrate(session);
    session->record = (struct recording_session){
        .version = text_of(CLEW_VERSION),
        .command = text_of(recorded->command),
        .folder = text_of(recorded->folder),
        .host = text_of(recorded->host),
        .scope = {(const char *)options->configuration.data, options->configuration.size},
        .clock = options->clock,
        .clock_hz = session_clock_hz(session),
        .started_realtime_ns = clock_realtime_ns(),
        .instruments = options->instruments,
        .flags = options->flags,
        .depth_max = options->depth,
    };
    session->record.started_clock = session_clock(session);
    if (options->parts_max) {
        session->record.part = 1;
        atomic_store(&session->shared->part, 1);
    }
}

int recorded_create(struct recorded *recorded, struct recording_writer **writer)
{
    CLEW_ASSERT(recorded->session.shared && recorded->file && "recorded_settle() came before");
    describe(recorded);
    uint32_t parts_max = recorded->options.parts_max;
    errno = 0;
    enum clew_error error =
        parts_max && !recording_file_age(recorded->file, parts_max, recorded->output) ? CLEW_IO : CLEW_OK;
    errno = error == CLEW_OK ? 0 : errno;
    error = error == CLEW_OK ? recording_create(recorded->file, &recorded->session.record, writer) : error;
    if (error != CLEW_OK) {
        cli_say("cannot write %s: %s; choose another place with %s", recorded->file,
                errno ? strerror(errno) : clew_error_sentence(error), cli_output_option());
        return CLI_FAILED;
    }
    return 0;
}

void recorded_take_back(const struct recorded *recorded)
{
    recording_file_take_back(recorded->file, recorded->output, recorded->options.parts_max);
}

void recorded_free(struct recorded *recorded)
{
    recording_options_free(&recorded->options);
    free(recorded->program);
    free(recorded->agent);
    free(recorded->file);
    free(recorded->command);
}

// -- After ------------------------------------------------------------------------------------------------------------

int recorded_nothing(const struct recorded *recorded, const struct model *model, int status)
{
    struct buffer why = {0};
    if (recorded->untouched && environment_obstacle(&why)) {
        cli_say("nothing was recorded: %.*s", (int)why.size, (const char *)why.data);
    } else {
        closing_nothing(&recorded->options, &recorded->session, model, recorded->program);
    }
    buffer_free(&why);
    return status == 0 ? CLI_NOTHING_RECORDED : status;
}

// stdout belongs to the program, even after its end, so the report goes to stderr.
static void report_in_json(const struct recorded *recorded)
{
    char *words[] = {(char[]){"report"}, (char[]){"--json"}, recorded->file, NULL};
    (void)fflush(stdout); // the buffer is empty
    if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) {
        (void)cli_report.run(3, words); // it prints its own errors; the exit status is the program's
        (void)fflush(stdout);
    }
}

int recorded_conclude(struct recorded *recorded, int status, bool report)
{
    const struct session *session = &recorded->session;
    const struct model_options just_written = {.names_only = true, .unchecked = true};
    struct model *model;
    if (recorded->supervised.took_over) {
        cli_say("the collector ended early; the recording was finished in its place");
    }
    bool stopped = atomic_load(&session->shared->error) != CLEW_OK;
    if (recorded->output == OUTPUT_DEVICE) {
        if (stopped) {
            closing_stopped(session);
        }
        bool any = stopped || atomic_load(&session->shared->processes) > 0;
        return any ? status : recorded_nothing(recorded, NULL, status); // a device cannot be read back
    }
    enum clew_error error = model_open(recorded->file, &just_written, &model);
    if (error != CLEW_OK) {
        cli_say("%s: %s", recorded->file, clew_error_sentence(error));
        return status ? status : CLI_FAILED;
    }
    if (stopped) {
        closing_stopped(session);
    }
    if (model->events == 0 && !stopped && atomic_load(&session->shared->part) < 2) {
        status = recorded_nothing(recorded, model, status);
        model_free(model);
        recorded_take_back(recorded);
        return status;
    }
    if (report && recorded->options.json) {
        report_in_json(recorded);
    } else {
        if (report) {
            (void)cli_report_recording(recorded->file,
                                       model->recording); // prints its own errors; the status is the program's
        }
        closing_lines(&recorded->options, session, model, status);
    }
    model_free(model);
    if (recorded->options.view) {
        (void)cli_view_recording(recorded->file); // prints its own errors; the status is the program's
    }
    return status;
}
