// A recording in parts: several files, one after the other, each of which opens alone. The newest has the recording's name,
// NAME.clew; the one before is NAME.1.clew, and so on.
#ifndef CLEW_RECORDING_PARTS_H
#define CLEW_RECORDING_PARTS_H

#include "recording/writer.h"

// The name of the part that is `age` parts older than the newest; the caller frees it. NULL when memory runs out.
char *recording_part_name(const char *path, uint32_t age);
// The one that the next part has while it is made.
char *recording_next_name(const char *path);
// Gives each part the name of the next older one; `keep` of them stay, the oldest goes. What is under `path` keeps that name too,
// until something else gets it. IO, with errno.
enum clew_error recording_age_parts(const char *path, uint32_t keep);

struct recording_part {
    const char *path;                        // of the newest part
    uint32_t keep;                           // how many there may be
    const struct recording_session *session; // with the number of the part that begins
    const struct recording_end *end;         // of the part that ends
    uint64_t objects_max;                    // bytes of the blocks of objects that are repeated, the newest
    // Whether more will come of this process: what others defined is not repeated.
    bool (*goes_on)(void *context, uint32_t process);
    // Writes what the new part begins with beside definitions, objects and sources.
    enum clew_error (*begin)(void *context, struct recording_writer *next);
    void *context;
};

// Ends the file of *writer and goes on in a new one of the same name, which begins with the definitions, objects and sources that
// later blocks may need. On failure *writer is as before, but for what was appended; it can only be closed without an end.
enum clew_error recording_begin_part(struct recording_writer **writer, const struct recording_part *part);

#endif
