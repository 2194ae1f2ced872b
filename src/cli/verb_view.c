// `clew view`: serves the page of a recording on this machine, and opens it in the browser (serve/server.h).
#include "cli/verb_view.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/show.h"
#include "cli/source_maps.h"
#include "serve/server.h"
#include "view/json/json.h"

extern char **environ;

// The parsed options.
struct request {
    uint16_t port;    // 0: any
    bool json, quiet; // quiet: no browser
    struct source_maps source_maps;
};

static bool take_option(void *context, const struct cli_option *option, const char *argument)
{
    struct request *request = context;
    uint32_t port;
    if (strcmp(option->name, "json") == 0) {
        request->json = true;
        return true;
    }
    if (strcmp(option->name, "no-browser") == 0) {
        request->quiet = true;
        return true;
    }
    if (strcmp(option->name, "source-map") == 0) {
        return source_maps_take(&request->source_maps, argument);
    }
    if (!cli_number(argument, &port) || port > UINT16_MAX) {
        cli_say("--port %s: give a number from 1 to 65535", argument);
        return false;
    }
    request->port = (uint16_t)port;
    return true;
}

// Starts the desktop's browser, if there is a desktop. The page was announced, so nothing is lost if that fails.
static void open_browser(const char *address)
{
    const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    char *words[] = {(char[]){"xdg-open"}, strdup(address), NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    if (words[1] && ((x11 && *x11) || (wayland && *wayland)) && posix_spawn_file_actions_init(&actions) == 0) {
        (void)posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
        (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
        (void)posix_spawnp(&child, words[0], &actions, NULL, words, environ);
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    free(words[1]);
}

// The name under which other machines reach this one by ssh, as far as it is known here.
static void host_name(char *name, size_t size)
{
    if (gethostname(name, size) != 0 || !*name) {
        (void)snprintf(name, size, "HOST");
    }
    name[size - 1] = '\0';
}

static void announce(const struct request *request, FILE *out, const char *path, const char *address, unsigned port)
{
    char host[256], ssh[320];
    host_name(host, sizeof host);
    (void)snprintf(ssh, sizeof ssh, "ssh -L %u:127.0.0.1:%u %s", port, port, host);
    if (request->json) {
        struct json json = {.out = out};
        json_open(&json, '{');
        json_member_text(&json, "file", text_of(path));
        json_member_text(&json, "address", text_of(address));
        json_member_u64(&json, "port", port);
        json_member_text(&json, "ssh", text_of(ssh));
        json_close(&json, '}');
        (void)fputc('\n', out);
    } else {
        (void)fprintf(out, "%s\n", address);
        (void)fprintf(out, "  from another machine: %s, then open that address there\n", ssh);
        (void)fprintf(out, "  Ctrl-C ends it\n");
    }
    (void)fflush(out); // a program that reads it from a pipe waits for it
}

// Serves until a signal.
static int serve(const struct request *request, const char *path, struct page *page, FILE *out)
{
    struct server *server;
    char address[128];
    enum clew_error error = server_start(page, request->port, &server);
    if (error != CLEW_OK) {
        if (error == CLEW_IO && errno == EADDRINUSE) {
            cli_say("--port %u is taken; leave the option out for a free one", (unsigned)request->port);
        } else {
            cli_say("the page cannot be served: %s", error == CLEW_IO ? strerror(errno) : clew_error_sentence(error));
        }
        return CLI_FAILED;
    }
    const struct guard *guard = server_guard(server);
    CLEW_ASSERT(guard->port > 0);
    (void)snprintf(address, sizeof address, "http://127.0.0.1:%u/?token=%s", (unsigned)guard->port, guard->token);
    announce(request, out, path, address, guard->port);
    if (!request->quiet) {
        open_browser(address);
    }
    server_run(server);
    server_free(server);
    return CLI_OK;
}

static int view(const struct request *request, const char *path, FILE *out)
{
    const struct source_places sources = source_maps_places(&request->source_maps);
    struct page *page;
    cli_limit_memory();
    enum clew_error error = page_open(path, &sources, &page);
    if (error != CLEW_OK) {
        return cli_unreadable(path, error);
    }
    int status = cli_check_recorded(path, page_model(page));
    if (status == CLI_NOTHING_RECORDED) { // a damaged recording is shown, as far as it is whole
        page_close(page);
        return status;
    }
    return serve(request, path, page, out);
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    const char *path = cli_recording(&cli_view, argc, argv, take_option, &request);
    return path ? view(&request, path, stdout) : CLI_USAGE;
}

int cli_view_recording(const char *path)
{
    return view(&(struct request){0}, path, stderr);
}

static const struct cli_option options[] = {
    {"port", 0, "N", "listen there instead of on a free port"},
    {"no-browser", 0, NULL, "print the address, and open nothing"},
    {"source-map", 0, "FROM=TO",
     "take sources that the recording lacks, of the folder FROM, from the folder TO; repeats"},
    {"json", 0, NULL, "print the address as JSON"},
    {0},
};

static const struct cli_example examples[] = {
    {"clew view app.clew", "open the page in the browser"},
    {"clew view app.clew --no-browser --port 8123", "print the address, to be opened elsewhere"},
    {"ssh -L 8123:127.0.0.1:8123 build-box", "on one's own machine: bring the page of build-box here"},
    {0},
};

const struct cli_command cli_view = {
    .name = "view",
    .usage = "FILE [--port N] [--no-browser] [--json]",
    .summary = "look at a recording in the browser",
    .text = "Serves the page on this machine alone (127.0.0.1) and prints its address. The address has a random token: "
            "whoever "
            "does not know it sees nothing. Nothing is loaded from a network. Where there is a desktop, the browser "
            "opens by "
            "itself; elsewhere, the ssh line brings the page to one's own machine.\n\n"
            "A recording that still grows is followed, and the page says when the file was replaced by another. Ctrl-C "
            "ends "
            "the server.\n\n"
            "Exit status: 0; 1 the page cannot be served; 2 usage; 4 the recording holds no call; 5 the file is no "
            "recording, or it asks for more than 1 GiB of memory.",
    .options = options,
    .examples = examples,
    .run = run,
};
