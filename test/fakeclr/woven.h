// Reads the probes out of a woven body, as the JIT would compile them, and runs them.
#ifndef CLEW_FAKECLR_WOVEN_H
#define CLEW_FAKECLR_WOVEN_H

#include "ring/ring.h"
#include "runtime.h"
#include "trace/site.h"

// The probes that a woven body calls. Either enter or enter_keep is set; the others if the body calls them.
struct woven {
    struct fake_module *module;
    uint32_t row;
    uint32_t number; // clew's
    bool is_run;     // an async body whose runs are linked: it has none of these probes
    bool (*enter)(uint32_t);
    uintptr_t (*enter_keep)(uint32_t);
    bool (*leave)(uint32_t);
    void (*restate)(uintptr_t);
    void (*arrive)(uint32_t); // if its last act is a call of itself; so are depart and leave, which is finish
    bool (*depart)(uint32_t);
    void (*wait)(void);
    uint32_t exits, restates;
};

// False when the body has no probes at all. Fails the test when it has some and they are not whole.
bool woven_read(struct fake_module *module, uint32_t row, struct woven *out);

// The body of a kick-off method, which may record the kick-off too; 0: the method is none.
uint32_t woven_body_of(const struct fake_module *module, uint32_t row);

// Compiles methods of the module until `count` woven ones are found, without handlers or with them.
void woven_methods(struct fake_module *module, bool with_handlers, struct woven *out, uint32_t count);

// A method of the module that gets a body whose last act is a call of itself, or that just returns.
void woven_calling_itself(struct fake_module *module, struct woven *out);

// Its entry, and its exit before it calls itself, in the frame so many below the first. Loops run in one.
void woven_arrive(const struct woven *method, uint32_t frame);
void woven_depart(const struct woven *method, uint32_t frame);

// Entry, exit and the start of a handler of an activation.
uintptr_t woven_enter(const struct woven *method); // for woven_restate(); 0 without handlers
void woven_leave(const struct woven *method);
void woven_restate(const struct woven *method, uintptr_t activation);

// The functions that a body with sites calls. A context is a struct ring_thread.
struct woven_sites {
    uint32_t number; // of the method
    uint32_t first, count;
    struct site *sites; // site number first + i; names are borrowed from the definition
    bool is_run;        // an async body whose runs are linked: of these probes it has the site functions alone
    bool has_context;
    struct ring_thread *(*enter_context)(uint32_t, uintptr_t *);
    bool (*leave)(uint32_t);
    bool (*room)(struct ring_thread *);
    void (*site_bits_or_at)(struct ring_thread *, uint32_t, uintptr_t, uint32_t, uintptr_t); // either; NULL: neither
    void (*wait)(void);
};

// False when the method is woven without sites; it may have been meant to have some. Fails the test when its sites are
// not told, or not as they are woven.
bool woven_sites_read(struct fake_module *module, uint32_t row, struct woven_sites *out);
void woven_sites_free(struct woven_sites *sites);

static inline clr_id woven_function(const struct woven *method)
{
    return fake_function(method->module, method->row, 0);
}

#endif
