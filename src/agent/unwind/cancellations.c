#include "agent/unwind/cancellations.h"

#include <stdatomic.h>

#include "agent/loaded/modules.h"
#include "agent/session/agent.h"

enum { KNOWN = 256, PARENTS_MAX = 64 };

// Classes that were looked at: the class, and CANCELS. A class takes the place of another.
static _Atomic clr_id known[KNOWN];

enum { CANCELS = 1, CLASS_BITS = 7 }; // a class is an address of a multiple of 8

static bool extends_base(clr_id class)
{
    for (int left = PARENTS_MAX; left > 0 && class; left--) {
        clr_id parent = 0;
        if (module_is_core_class(class, "OperationCanceledException")) {
            return true;
        }
        class = clr_failed(info_get_parent(agent.info, class, &parent)) ? 0 : parent;
    }
    return false;
}

bool cancellation_is(clr_id exception)
{
    // An object begins with its method table, which is its ClassID; the garbage collector uses the lowest bits.
    clr_id class = exception ? *(const clr_id *)exception & ~(clr_id)CLASS_BITS : 0;
    _Atomic clr_id *place = &known[class / (CLASS_BITS + 1) % KNOWN];
    clr_id found = atomic_load_explicit(place, memory_order_relaxed);
    if ((found & ~(clr_id)CLASS_BITS) != class) {
        found = class | (class && extends_base(class) ? CANCELS : 0);
        atomic_store_explicit(place, found, memory_order_relaxed);
    }
    return found & CANCELS;
}
