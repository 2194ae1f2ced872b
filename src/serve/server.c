// See server.h. HTTP is libevent's; guard.c decides what is answered, worker.c makes documents, and this file joins them.
#include "serve/server.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/assert.h"
#include "serve/connections.h"
#include "serve/embedded.h"
#include "serve/worker.h"

enum { WRITE_SECONDS = 10, SIGNALS = 2 };

struct server {
    struct guard guard;
    struct event_base *base;
    struct evhttp *http;
    struct connections connections;
    struct worker *worker;
    struct buffer policy; // a text that ends with a zero
    struct event *answers, *sweep, *signals[SIGNALS];
};

// -- Answers ----------------------------------------------------------------------------------------------------------

static struct bufferevent *buffer_of(struct evhttp_request *request)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(request);
    return connection ? evhttp_connection_get_bufferevent(connection) : NULL;
}

static void answered(struct evhttp_request *request, void *context)
{
    struct server *server = context;
    connections_busy(&server->connections, buffer_of(request), false);
}

// Fields that all answers have.
static void add_fields(struct server *server, struct evhttp_request *request, const char *type)
{
    static const char *const fields[][2] = {
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cache-Control", "no-store"},
    };
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        (void)evhttp_add_header(headers, fields[i][0], fields[i][1]); // without memory the answer fails as a whole
    }
    (void)evhttp_add_header(headers, "Content-Type", type);
    (void)evhttp_add_header(headers, "Content-Security-Policy", (const char *)server->policy.data);
}

static void free_body(const void *data, size_t size, void *context)
{
    (void)data;
    (void)size;
    free(context);
}

// Sends an answer. `owned`: the body is freed once it is sent.
static void send_body(struct server *server, struct evhttp_request *request, unsigned status, const char *type,
                      struct text body, void *owned)
{
    struct evbuffer *buffer = evbuffer_new();
    char size[24];
    bool head = evhttp_request_get_command(request) == EVHTTP_REQ_HEAD;
    (void)snprintf(size, sizeof size, "%zu", body.size);
    add_fields(server, request, type);
    (void)evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Length", size);
    if (!buffer || head || evbuffer_add_reference(buffer, body.at, body.size, free_body, owned) != 0) {
        free(owned);
    }
    evhttp_request_set_on_complete_cb(request, answered, server);
    evhttp_send_reply(request, (int)status, NULL, buffer);
    if (buffer) {
        evbuffer_free(buffer);
    }
}

static void send_error(struct server *server, struct evhttp_request *request, const struct guard_answer *answer)
{
    struct page_answer error = {.status = answer->status};
    char *body = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&body, &size);
    buffer_text(&error.error, answer->error);
    buffer_text(&error.cure, answer->cure);
    if (out) {
        page_answer_write(&error, out);
        (void)fclose(out); // without memory the body is shorter
    }
    if (answer->status == 405) {
        (void)evhttp_add_header(evhttp_request_get_output_headers(request), "Allow", "GET, HEAD");
    }
    send_body(server, request, answer->status, "application/json; charset=utf-8", (struct text){body, body ? size : 0},
              body);
    page_answer_free(&error);
}

// Keeps the token as a cookie, and out of the address.
static void send_entry(struct server *server, struct evhttp_request *request)
{
    char name[32], cookie[128];
    guard_cookie_name(&server->guard, name);
    (void)snprintf(cookie, sizeof cookie, "%s=%s; HttpOnly; SameSite=Strict; Path=/", name, server->guard.token);
    struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
    (void)evhttp_add_header(headers, "Set-Cookie", cookie);
    (void)evhttp_add_header(headers, "Location", "/");
    send_body(server, request, 303, "text/plain; charset=utf-8", text_of("The page is at /.\n"), NULL);
}

// -- Requests ---------------------------------------------------------------------------------------------------------

static char *copy(struct text text)
{
    return text.size ? strndup(text.at, text.size) : strdup("");
}

static void ask_worker(struct server *server, struct evhttp_request *request, const struct guard_answer *answer)
{
    struct worker_job *job = calloc(1, sizeof *job);
    if (job) {
        job->name = copy(answer->name);
        job->query = copy(answer->query);
        job->request = request;
    }
    if (!job || !job->name || !job->query) {
        evhttp_send_error(request, 500, NULL);
        if (job) {
            worker_job_free(job);
        }
        return;
    }
    worker_ask(server->worker, job);
}

static const char *method_name(struct evhttp_request *request)
{
    enum evhttp_cmd_type command = evhttp_request_get_command(request);
    return command == EVHTTP_REQ_GET ? "GET" : command == EVHTTP_REQ_HEAD ? "HEAD" : "";
}

static unsigned count_hosts(const struct evkeyvalq *headers)
{
    unsigned count = 0;
    for (const struct evkeyval *field = headers->tqh_first; field; field = field->next.tqe_next) {
        count += strcasecmp(field->key, "Host") == 0;
    }
    return count;
}

static void handle(struct evhttp_request *request, void *context)
{
    struct server *server = context;
    const struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
    const struct guard_request parts = {
        .method = method_name(request),
        .target = evhttp_request_get_uri(request),
        .host = evhttp_find_header(headers, "Host"),
        .origin = evhttp_find_header(headers, "Origin"),
        .fetch_site = evhttp_find_header(headers, "Sec-Fetch-Site"),
        .cookie = evhttp_find_header(headers, "Cookie"),
        .hosts = count_hosts(headers),
    };
    connections_busy(&server->connections, buffer_of(request), true);
    const struct guard_answer answer = guard_judge(&server->guard, &parts);
    switch (answer.kind) {
    case GUARD_REFUSE:
        send_error(server, request, &answer);
        break;
    case GUARD_ENTER:
        send_entry(server, request);
        break;
    case GUARD_PAGE:
        send_body(server, request, 200, "text/html; charset=utf-8", embedded_page(), NULL);
        break;
    case GUARD_DOCUMENT:
        ask_worker(server, request, &answer);
        break;
    }
}

// Documents are ready. If the client has gone, libevent drops the answer.
static void send_documents(int descriptor, short what, void *context)
{
    struct server *server = context;
    struct worker_job *job;
    (void)descriptor;
    (void)what;
    while ((job = worker_answer(server->worker))) {
        struct text body = {job->body, job->size};
        void *owned = job->body;
        job->body = NULL;
        send_body(server, job->request, job->status, "application/json; charset=utf-8", body, owned);
        worker_job_free(job);
    }
}

// -- Start and end ----------------------------------------------------------------------------------------------------

static void sweep(int descriptor, short what, void *context)
{
    struct server *server = context;
    (void)descriptor;
    (void)what;
    connections_sweep(&server->connections);
}

static void stop(int number, short what, void *context)
{
    struct server *server = context;
    (void)number;
    (void)what;
    (void)event_base_loopbreak(server->base);
}

static bool add_event(struct event **event, struct event_base *base, int descriptor, short what,
                      event_callback_fn callback, struct server *server, const struct timeval *every)
{
    *event = event_new(base, descriptor, (short)(what | EV_PERSIST), callback, server);
    return *event && event_add(*event, every) == 0;
}

static enum clew_error listen_on(struct server *server, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct evconnlistener *listener = evconnlistener_new_bind(
        server->base, NULL, NULL, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE, -1,
        (const struct sockaddr *)&address, sizeof address);
    if (!listener) {
        return CLEW_IO;
    }
    server->connections.listener = listener;
    if (!evhttp_bind_listener(server->http, listener)) {
        evconnlistener_free(listener);
        return CLEW_NO_MEMORY;
    }
    if (getsockname(evconnlistener_get_fd(listener), (struct sockaddr *)&address, &size) != 0) {
        return CLEW_IO;
    }
    return guard_begin(&server->guard, ntohs(address.sin_port)) ? CLEW_OK : CLEW_IO;
}

static enum clew_error add_events(struct server *server)
{
    static const int numbers[SIGNALS] = {SIGINT, SIGTERM};
    const struct timeval second = {.tv_sec = 1};
    bool added = add_event(&server->sweep, server->base, -1, 0, sweep, server, &second) &&
                 add_event(&server->answers, server->base, worker_descriptor(server->worker), EV_READ, send_documents,
                           server, NULL);
    for (unsigned i = 0; i < SIGNALS && added; i++) {
        added = add_event(&server->signals[i], server->base, numbers[i], EV_SIGNAL, stop, server, NULL);
    }
    return added ? CLEW_OK : CLEW_NO_MEMORY;
}

static void go_on(int number)
{
    (void)number;
}

// A client that leaves during an answer must not end the server: writing fails with EPIPE instead. Programs that the
// server's process starts get the default action back, since this is a handler and not SIG_IGN.
static bool survive_broken_pipes(void)
{
    const struct sigaction action = {.sa_handler = go_on, .sa_flags = SA_RESTART};
    return sigaction(SIGPIPE, &action, NULL) == 0;
}

static enum clew_error start(struct server *server, uint16_t port)
{
    server->base = event_base_new();
    server->http = server->base ? evhttp_new(server->base) : NULL;
    embedded_policy(&server->policy, embedded_page());
    buffer_u8(&server->policy, 0);
    if (!server->http || server->policy.failed) {
        return CLEW_NO_MEMORY;
    }
    if (!survive_broken_pipes()) {
        return CLEW_IO;
    }
    evhttp_set_allowed_methods(server->http, 0xFFFF); // those that are refused get an answer of ours
    evhttp_set_max_headers_size(server->http, GUARD_HEADERS_MAX);
    evhttp_set_max_body_size(server->http, 0);
    evhttp_set_timeout(server->http, WRITE_SECONDS);
    evhttp_set_default_content_type(server->http, NULL);
    evhttp_set_bevcb(server->http, connections_new, &server->connections);
    evhttp_set_gencb(server->http, handle, server);
    CLEW_TRY(listen_on(server, port));
    return add_events(server);
}

enum clew_error server_start(struct page *page, uint16_t port, struct server **out)
{
    struct server *server = calloc(1, sizeof *server);
    if (!server) {
        page_close(page);
        return CLEW_NO_MEMORY;
    }
    enum clew_error error = worker_start(page, &server->worker);
    error = error == CLEW_OK ? start(server, port) : error;
    if (error != CLEW_OK) {
        int reason = errno;
        server_free(server);
        errno = reason;
        return error;
    }
    *out = server;
    return CLEW_OK;
}

const struct guard *server_guard(const struct server *server)
{
    return &server->guard;
}

void server_run(struct server *server)
{
    CLEW_ASSERT(server->http && server->worker);
    (void)event_base_dispatch(server->base); // it ends by stop()
}

// evhttp_free() frees the requests of open connections, but not those whose client has gone.
static void drop(struct worker_job *job)
{
    if (!evhttp_request_get_connection(job->request)) {
        evhttp_request_free(job->request);
    }
}

static void free_event(struct event *event)
{
    if (event) {
        event_free(event);
    }
}

void server_free(struct server *server)
{
    free_event(server->answers);
    free_event(server->sweep);
    for (unsigned i = 0; i < SIGNALS; i++) {
        free_event(server->signals[i]);
    }
    if (server->worker) {
        worker_stop(server->worker, drop);
    }
    if (server->http) {
        evhttp_free(server->http);
    }
    connections_free(&server->connections);
    if (server->base) {
        event_base_free(server->base);
    }
    buffer_free(&server->policy);
    free(server);
}
