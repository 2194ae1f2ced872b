#include "agent/objects.h"

uint32_t object_number(struct ring_thread *thread, const uintptr_t *place)
{
    (void)thread;
    (void)place;
    return 0;
}
