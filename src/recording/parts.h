// A recording in parts: several files, each of which can be read alone. When a file has reached its size limit, the
// collector begins the next part. The newest part has the recording's name, NAME.clew; the one before it is
// NAME.1.clew, and so on.
#ifndef CLEW_RECORDING_PARTS_H
#define CLEW_RECORDING_PARTS_H

#include "recording/writer.h"

// The name of the part that is `age` parts older than the newest; the caller frees it. NULL when memory runs out.
char *recording_part_name(const char *path, uint32_t age);
// The temporary name of a part that is being made; the caller frees it.
char *recording_next_name(const char *path);
// Renames each part to the name of the next older one. `keep` parts stay, the oldest is deleted. The file at `path` gets its
// new name in addition, and loses the old one when the caller renames another file over it. IO: errno says why.
enum clew_error recording_age_parts(const char *path, uint32_t keep);

struct recording_part {
    const char *path;                        // of the newest part
    uint32_t keep;                           // how many there may be
    const struct recording_session *session; // with the number of the part that begins
    const struct recording_end *end;         // of the part that ends
    uint64_t objects_max;                    // bytes of the blocks of objects that are repeated, the newest
    // Whether the process still runs. Definitions of other processes are not repeated.
    bool (*goes_on)(void *context, uint32_t process);
    // Writes further records that the new part has to begin with, after definitions, objects and sources.
    enum clew_error (*begin)(void *context, struct recording_writer *next);
    void *context;
};

// Ends the file of *writer and continues in a new file of the same name, which begins with the definitions, objects and
// sources that later blocks may refer to. On failure *writer still writes the old file, to which an index and END may have
// been appended already; the caller can then only close it without an end.
enum clew_error recording_begin_part(struct recording_writer **writer, const struct recording_part *part);

#endif
