// `clew info`: describes a recording and reports whether it is whole. It is the verb to use when a report surprises: it
// lists what was in scope, what was not instrumented and why, and every caveat.
#include "cli/pager.h"
#include "cli/show.h"
#include "view/report/reports.h"

// The parsed options.
struct request {
    bool json, verify, no_pager;
    struct view view; // options only; the stream is set later
};

static bool take_option(void *context, const struct cli_option *option, const char *argument)
{
    struct request *request = context;
    if (strcmp(option->name, "json") == 0) {
        request->json = true;
        return true;
    }
    if (strcmp(option->name, "verify") == 0) {
        request->verify = true;
        return true;
    }
    if (strcmp(option->name, "verbose") == 0) {
        request->view.verbose = true;
        return true;
    }
    if (strcmp(option->name, "no-pager") == 0) {
        request->no_pager = true;
        return true;
    }
    if (strcmp(option->name, "color") == 0) {
        return cli_take_colour(argument, &request->view);
    }
    return cli_take_number(option, argument, &request->view.top);
}

// Prints the description, then whether the file is whole.
static int show(const struct request *request, const char *path, struct model *model)
{
    struct view view = request->view;
    cli_view_to(&view, stdout);
    pager_begin(!request->json && !request->no_pager);
    int status = cli_printed(path, request->json ? view_info_json(&view, model) : view_info(&view, model));
    status = status == CLI_OK ? cli_check_whole(path, model) : status;
    if (status == CLI_OK && request->verify && model->health.cut_bytes == 0) {
        cli_say("%s: every block is whole", path);
    }
    return status;
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    struct model *model;
    const char *path = cli_recording(&cli_info, argc, argv, take_option, &request);
    // Definitions and block headers are enough, so this is fast however large the file is. Only --verify decodes the
    // streams.
    int status = path ? cli_load(path, &(struct model_options){.names_only = true, .verify = request.verify}, &model)
                      : CLI_USAGE;
    if (status == CLI_OK) {
        status = show(&request, path, model);
        model_free(model);
    }
    return status;
}

static const struct cli_option options[] = {
    {"json", 0, NULL, "JSON instead of text"},
    {"color", 0, "WHEN", "always, auto (default: on a terminal, unless NO_COLOR is set) or never"},
    {"verify", 0, NULL, "read and decode all of the file, to see whether it is whole"},
    {"verbose", 'v', NULL, "show long command lines whole"},
    {"no-pager", 0, NULL, "print at once what is longer than the screen, without $PAGER"},
    {"top", 0, "N", "list at most N methods that are not instrumented (20)"},
    {0},
};

static const struct cli_example examples[] = {
    {"clew info app.clew", "what was recorded, how, and whether it is whole"},
    {"clew info app.clew --verify", "whether every byte of it can be read"},
    {"clew info app.clew --json", "the same for programs, with all lists"},
    {0},
};

const struct cli_command cli_info = {
    .name = "info",
    .usage = "FILE [--json] [--verify] [-v]",
    .summary = "describe a recording: what it holds, whether it is whole, what is missing",
    .text =
        "The command, clock, instruments, processes and threads of the session; events kept and lost, and how many "
        "of them "
        "are statements and values; objects and sources; the calibrated "
        "cost of a probe; methods that were in scope and are not recorded, each with the reason.\n\n"
        "The checksums of its blocks show whether the file is whole; --verify decodes the blocks as well. A file whose "
        "end is missing is not damaged.\n\n"
        "Exit status: 0; 2 usage; 5 the file is damaged or no recording, and what could be read was shown, "
        "or it asks for more than 1 GiB of memory.",
    .options = options,
    .examples = examples,
    .run = run,
};
