// clew info: what a recording is, how whole it is, what is not in it.
#include "cli/command.h"
#include "cli/show.h"

struct request {
    bool json;
    uint32_t top;
};

static bool take_option(void *context, const struct cli_option *option, const char *argument)
{
    struct request *request = context;
    if (strcmp(option->name, "json") == 0) {
        request->json = true;
        return true;
    }
    if (!cli_number(argument, &request->top)) {
        cli_say("--top %s: this is to be a number above 0", argument);
        return false;
    }
    return true;
}

static int show(const struct request *request, const char *path, struct model *model)
{
    struct view view = cli_view(stdout);
    view.top = request->top;
    enum clew_error error = request->json ? view_info_json(&view, model) : view_info(&view, model);
    if (error != CLEW_OK || fflush(stdout) != 0) {
        cli_say("%s: %s", path, clew_error_sentence(error != CLEW_OK ? error : CLEW_IO));
        return error != CLEW_OK ? clew_error_status(error) : CLI_FAILED;
    }
    if (model_damaged(model)) {
        cli_say("%s: %s", path, clew_error_sentence(CLEW_DAMAGED));
        return CLI_DAMAGED;
    }
    return CLI_OK;
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    int first = cli_options(&cli_info, argc, argv, false, take_option, &request);
    if (first < 0) {
        return CLI_USAGE;
    }
    if (argc - first != 1) {
        cli_say("info: %s", argc == first ? "say which recording" : "one recording at a time");
        return CLI_USAGE;
    }
    const struct model_options options = {0};
    struct model *model;
    int status = cli_load(argv[first], &options, &model);
    if (status == CLI_OK) {
        status = show(&request, argv[first], model);
        model_free(model);
    }
    return status;
}

static const struct cli_option options[] = {
    {"json", 0, NULL, "JSON instead of text"},
    {"top", 0, "N", "list at most so many methods that are not woven (20)"},
    {0},
};

static const struct cli_example examples[] = {
    {"clew info app.clew", "what was recorded, how, and whether it is whole"},
    {"clew info app.clew --json", "the same for programs, with all lists"},
    {0},
};

const struct cli_command cli_info = {
    .name = "info",
    .usage = "FILE [--json]",
    .summary = "say what a recording is, how whole it is, and what is not in it",
    .text =
        "The command, clock, instruments, processes and threads of the session; events kept and lost; the calibrated "
        "cost of a probe; methods that were in scope and are not recorded, each with the reason.\n\n"
        "Exit status: 0; 2 usage; 5 the file is damaged or no recording; what could be read was shown.",
    .options = options,
    .examples = examples,
    .run = run,
};
