// The open connections of a server: at most 64, and none that is silent or slow for 10 s. libevent limits neither.
#ifndef CLEW_SERVE_CONNECTIONS_H
#define CLEW_SERVE_CONNECTIONS_H

#include <event2/bufferevent.h>
#include <event2/listener.h>
#include <stdbool.h>
#include <stdint.h>

enum { CONNECTIONS_MAX = 64, CONNECTIONS_IDLE_S = 10 };

// Each connection's buffer is held until libevent has let it go.
struct connections {
    struct evconnlistener *listener; // disabled while there are too many
    struct {
        struct bufferevent *buffer;
        uint64_t since; // monotonic ns: connected, or answered last
        bool busy;      // a request is being answered
    } list[CONNECTIONS_MAX];
    unsigned count;
};

// The buffer of a connection that is being accepted, as evhttp_set_bevcb() wants it; `context` is struct connections.
struct bufferevent *connections_new(struct event_base *base, void *context);
// A request of the connection has come, or its answer has gone.
void connections_busy(struct connections *connections, struct bufferevent *buffer, bool busy);
// Forgets those that are closed and closes those that are silent or slow. To be called every second.
void connections_sweep(struct connections *connections);
// Forgets all, once the server is freed.
void connections_free(struct connections *connections);

#endif
