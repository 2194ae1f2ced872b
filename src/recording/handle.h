// An open recording: the one way to read a file. It is opened once; the session and the index are decoded once, and
// every reader (recording/reader.h) of the handle shares them. The model and the views get a handle, never a path.
//
// A recording that is still written is followed: recording_follow() notes how far the file has grown, and the index then
// has the blocks that were appended. Not thread-safe.
#ifndef CLEW_RECORDING_HANDLE_H
#define CLEW_RECORDING_HANDLE_H

#include "recording/recording.h"

struct recording;

// NOT_FOUND; NOT_RECORDING; NEWER_RECORDING: an incompatible later format; DAMAGED: not even the file header is whole.
// The caller calls recording_free().
enum clew_error recording_open(const char *path, struct recording **out);
// Closes the file. All readers of the handle must have been freed. NULL is allowed.
void recording_free(struct recording *recording);

// Lives as long as the handle. When no copy of the SESSION block is whole: empty texts and the clock NONE.
const struct recording_session *recording_session(const struct recording *recording);
// Whether a copy of the SESSION block was whole.
bool recording_has_session(const struct recording *recording);
// Bytes, when the file was opened or last followed.
uint64_t recording_file_size(const struct recording *recording);
// Looks how large the file is now. IO: the file can no longer be examined.
enum clew_error recording_follow(struct recording *recording);

// One block, as the index lists it.
struct recording_block {
    uint64_t offset; // for recording_read() and recording_rewind()
    uint32_t type;   // enum recording_type, or one that this reader does not know
    uint32_t flags;
    uint32_t process, thread;
    uint32_t part;               // of a tree; its first part is 0
    uint32_t count;              // of events, nodes, records, objects or counters
    uint32_t statements, values; // EVENTS: of sites, among the events
    union {
        struct {
            uint64_t first_clock, last_clock;
        };
        struct {
            uint64_t lowest, highest; // OBJECTS: numbers
        };
        struct {
            uint64_t module, document; // SOURCE
        };
    };
};

struct recording_health {
    bool ended;       // an END block was seen: the session was closed in order
    uint64_t damaged; // stretches skipped because a checksum or a length did not hold
    uint64_t damaged_bytes;
    uint64_t cut_bytes; // of an unfinished block at the end
    uint64_t unknown;   // blocks of a type this reader does not know
};

// Whether it is a part of a tree that has struct recording_tree's of_stream.
bool recording_block_of_stream(const struct recording_block *block);
// Whether it is a block of objects of which some have struct recording_object's perhaps.
bool recording_block_has_links(const struct recording_block *block);

// Lists all blocks but INDEX and END, in the order of the file: from the INDEX block at the end, else from the header
// of each block. Decoded once; when the file has grown since, only the blocks that were appended are looked at. Borrowed
// from the handle until the next call. NO_MEMORY or IO.
enum clew_error recording_index(struct recording *recording, const struct recording_block **blocks, size_t *count);
// The damage that was met when the index was made of headers, and what is cut off at the end. With an INDEX block nothing
// was looked at, so nothing is known.
struct recording_health recording_index_health(const struct recording *recording);

#endif
