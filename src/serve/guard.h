// Which requests are answered, and how: the checks of the server as functions of a request's parts, without a socket.
//
// Any page in the user's browser can send requests to this server, and any program of the machine can. So a request must
// carry the token, which only the address that `clew view` printed has; it must name the server by its own name, or a
// foreign name that was made to point here (DNS rebinding) could read answers; and a foreign page may cause none.
#ifndef CLEW_SERVE_GUARD_H
#define CLEW_SERVE_GUARD_H

#include "base/text.h"

enum {
    GUARD_TOKEN = 32,          // hexadecimal digits: 128 bits
    GUARD_TARGET_MAX = 8192,   // bytes of a request's target
    GUARD_HEADERS_MAX = 16384, // bytes of its first line and header fields
};

struct guard {
    char token[GUARD_TOKEN + 1];
    uint16_t port;
};

// The parts of a request; NULL: the field is absent.
struct guard_request {
    const char *method, *target;
    const char *host, *origin, *fetch_site, *cookie;
    unsigned hosts; // how many fields Host it has
};

enum guard_answer_kind { GUARD_REFUSE, GUARD_ENTER, GUARD_PAGE, GUARD_DOCUMENT };

// What to answer. Texts borrow from the request.
struct guard_answer {
    enum guard_answer_kind kind;
    unsigned status;          // of HTTP
    const char *error, *cure; // REFUSE: sentences
    struct text name, query;  // DOCUMENT
};

// Makes a random token. False: the system has no randomness.
bool guard_begin(struct guard *guard, uint16_t port);
struct guard_answer guard_judge(const struct guard *guard, const struct guard_request *request);
// The name of the cookie that carries the token. Cookies do not distinguish ports, so the name does.
void guard_cookie_name(const struct guard *guard, char out[32]);

#endif
