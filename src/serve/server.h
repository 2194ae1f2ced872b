// The server of `clew view`: one page, its documents, for one user on one machine. doc/serve.md says what it answers.
#ifndef CLEW_SERVE_SERVER_H
#define CLEW_SERVE_SERVER_H

#include "serve/guard.h"
#include "view/page/page.h"

struct server;

// Listens on 127.0.0.1. `port` 0: a free one. `page` belongs to the server from then on, also after an error. IO: errno
// says why, for example that the port is taken. The caller calls server_free().
enum clew_error server_start(struct page *page, uint16_t port, struct server **out);
// The port and the token.
const struct guard *server_guard(const struct server *server);
// Answers requests until the process gets SIGINT or SIGTERM.
void server_run(struct server *server);
void server_free(struct server *server);

#endif
