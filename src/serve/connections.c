// See connections.h.
#include "serve/connections.h"

#include <sys/socket.h>

#include "base/assert.h"
#include "base/clock.h"

// evhttp removes its callbacks when it frees a buffer. Ours is the last reference then.
static bool is_closed(struct bufferevent *buffer)
{
    bufferevent_event_cb event = NULL;
    bufferevent_getcb(buffer, NULL, NULL, &event, NULL);
    return event == NULL;
}

static void forget(struct connections *connections, unsigned i)
{
    bufferevent_decref(connections->list[i].buffer);
    connections->list[i] = connections->list[--connections->count];
}

static void forget_closed(struct connections *connections)
{
    for (unsigned i = connections->count; i-- > 0;) {
        if (is_closed(connections->list[i].buffer)) {
            forget(connections, i);
        }
    }
}

struct bufferevent *connections_new(struct event_base *base, void *context)
{
    struct connections *connections = context;
    struct bufferevent *buffer = bufferevent_socket_new(base, -1, 0);
    forget_closed(connections);
    CLEW_ASSERT(connections->count < CONNECTIONS_MAX && "no more are accepted");
    if (!buffer || connections->count == CONNECTIONS_MAX) {
        return buffer;
    }
    bufferevent_incref(buffer);
    connections->list[connections->count].buffer = buffer;
    connections->list[connections->count].since = clock_monotonic_ns();
    connections->list[connections->count++].busy = false;
    if (connections->count == CONNECTIONS_MAX) {
        (void)evconnlistener_disable(connections->listener); // the others wait in the system's queue
    }
    return buffer;
}

void connections_busy(struct connections *connections, struct bufferevent *buffer, bool busy)
{
    for (unsigned i = 0; i < connections->count; i++) {
        if (connections->list[i].buffer == buffer) {
            connections->list[i].busy = busy;
            connections->list[i].since = clock_monotonic_ns();
        }
    }
}

void connections_sweep(struct connections *connections)
{
    uint64_t now = clock_monotonic_ns();
    forget_closed(connections);
    for (unsigned i = 0; i < connections->count; i++) {
        if (!connections->list[i].busy &&
            now - connections->list[i].since > (uint64_t)CONNECTIONS_IDLE_S * 1000000000) {
            // evhttp reads the end of the connection, and frees it
            (void)shutdown(bufferevent_getfd(connections->list[i].buffer), SHUT_RDWR);
        }
    }
    if (connections->count < CONNECTIONS_MAX) {
        (void)evconnlistener_enable(connections->listener);
    }
}

void connections_free(struct connections *connections)
{
    while (connections->count > 0) {
        forget(connections, connections->count - 1);
    }
}
