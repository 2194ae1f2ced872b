// Opens recordings for tests that do not close them: each handle stays open until some newer ones were opened.
#ifndef CLEW_TEST_OPENED_H
#define CLEW_TEST_OPENED_H

#include "recording/handle.h"

// NULL: it cannot be opened.
static inline struct recording *opened(const char *file)
{
    enum { KEPT = 16 }; // more than a test uses at a time
    static struct recording *kept[KEPT];
    static unsigned count;
    struct recording **place = &kept[count++ % KEPT];
    recording_free(*place);
    *place = NULL;
    return recording_open(file, place) == CLEW_OK ? *place : NULL;
}

#endif
