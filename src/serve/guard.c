// See guard.h.
#include "serve/guard.h"

#include <stdio.h>
#include <sys/random.h>

#include "base/assert.h"

bool guard_begin(struct guard *guard, uint16_t port)
{
    uint8_t random[GUARD_TOKEN / 2];
    static_assert(sizeof random * 8 == 128, "bits of a token");
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) {
        return false;
    }
    for (size_t i = 0; i < sizeof random; i++) {
        (void)snprintf(guard->token + 2 * i, 3, "%02x", random[i]);
    }
    guard->port = port;
    return true;
}

void guard_cookie_name(const struct guard *guard, char out[32])
{
    (void)snprintf(out, 32, "clew-%u", (unsigned)guard->port);
}

// Takes the same time wherever the two differ.
static bool is_token(const struct guard *guard, struct text text)
{
    unsigned different = text.size != GUARD_TOKEN;
    CLEW_ASSERT(guard->token[GUARD_TOKEN] == '\0' && guard->token[0] != '\0');
    for (size_t i = 0; i < GUARD_TOKEN; i++) {
        char byte = i < text.size ? text.at[i] : '\0';
        different |= (unsigned)(uint8_t)(byte ^ guard->token[i]);
    }
    return different == 0;
}

// Whether it is one of the server's own names, with its port.
static bool is_own_host(const struct guard *guard, const char *host)
{
    char name[32];
    (void)snprintf(name, sizeof name, "127.0.0.1:%u", (unsigned)guard->port);
    if (strcmp(host, name) == 0) {
        return true;
    }
    (void)snprintf(name, sizeof name, "localhost:%u", (unsigned)guard->port);
    return strcmp(host, name) == 0;
}

static bool is_own_origin(const struct guard *guard, const char *origin)
{
    return strncmp(origin, "http://", 7) == 0 && is_own_host(guard, origin + 7);
}

// Looks for NAME=TOKEN among the cookies, which "; " separates (RFC 6265, section 4.2).
static bool has_cookie(const struct guard *guard, const char *cookie)
{
    char name[32];
    guard_cookie_name(guard, name);
    size_t size = strlen(name);
    for (const char *at = cookie; at; at = strchr(at, ';')) {
        at += strspn(at, "; ");
        if (strncmp(at, name, size) == 0 && at[size] == '=') {
            const char *value = at + size + 1;
            if (is_token(guard, (struct text){value, strcspn(value, ";")})) {
                return true;
            }
        }
        if (*at == '\0') {
            break;
        }
    }
    return false;
}

static struct guard_answer refuse(unsigned status, const char *error, const char *cure)
{
    return (struct guard_answer){.kind = GUARD_REFUSE, .status = status, .error = error, .cure = cure};
}

// The path has no encoded characters and no dots: all that exists has a fixed name.
static struct guard_answer route(struct text path, struct text query)
{
    static const char api[] = "/api/";
    if (text_equal(path, text_of("/"))) {
        return (struct guard_answer){.kind = GUARD_PAGE, .status = 200};
    }
    if (text_starts(path, api)) {
        size_t skip = sizeof api - 1;
        return (struct guard_answer){
            .kind = GUARD_DOCUMENT, .status = 200, .name = {path.at + skip, path.size - skip}, .query = query};
    }
    return refuse(404, "there is no such address", "The page is at /, and its documents are below /api/.");
}

// What does not depend on the token.
static struct guard_answer judge_origin(const struct guard *guard, const struct guard_request *request)
{
    if (request->hosts != 1 || !request->host || !is_own_host(guard, request->host)) {
        return refuse(421, "this server does not have that name", "Use the address that clew view printed.");
    }
    if (request->origin && !is_own_origin(guard, request->origin)) {
        return refuse(403, "another page may not ask here", "Open the address that clew view printed.");
    }
    if (request->fetch_site && strcmp(request->fetch_site, "none") != 0 &&
        strcmp(request->fetch_site, "same-origin") != 0) {
        return refuse(403, "another page may not ask here", "Type or paste the address that clew view printed.");
    }
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0) {
        return refuse(405, "only GET and HEAD are answered", "The documents are read-only.");
    }
    return (struct guard_answer){.status = 200};
}

struct guard_answer guard_judge(const struct guard *guard, const struct guard_request *request)
{
    if (strlen(request->target) > GUARD_TARGET_MAX) {
        return refuse(414, "the address is too long", "An address has at most 8 KiB.");
    }
    struct guard_answer answer = judge_origin(guard, request);
    if (answer.status != 200) {
        return answer;
    }
    struct text path = text_of(request->target), query = {0};
    const char *mark = memchr(path.at, '?', path.size);
    if (mark) {
        query = (struct text){mark + 1, (size_t)(path.at + path.size - mark) - 1};
        path.size = (size_t)(mark - path.at);
    }
    static const char token[] = "token=";
    bool entering = text_equal(path, text_of("/")) && text_starts(query, token);
    if (entering && is_token(guard, (struct text){query.at + sizeof token - 1, query.size - (sizeof token - 1)})) {
        return (struct guard_answer){.kind = GUARD_ENTER, .status = 303};
    }
    if (entering || !request->cookie || !has_cookie(guard, request->cookie)) {
        return refuse(403, "the token is missing or wrong", "Open the whole address that clew view printed.");
    }
    return route(path, query);
}
