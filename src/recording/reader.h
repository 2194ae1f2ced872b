// Reads recordings: forward, block by block, with one decoded block in memory at a time. Damaged stretches are skipped
// to the next valid block and counted; a file that was cut at any byte can be read up to there. A recording that is
// still being written can be read, too. The model is the main user of this interface.
#ifndef CLEW_RECORDING_READER_H
#define CLEW_RECORDING_READER_H

#include "recording/recording.h"

struct recording_reader; // not thread-safe; several readers of one file do not disturb each other

// NOT_FOUND; NOT_RECORDING; NEWER_RECORDING: an incompatible later format; DAMAGED: not even the file header is whole.
enum clew_error recording_open(const char *path, struct recording_reader **out);
void recording_close_reader(struct recording_reader *reader);

// Lives as long as the reader. When no copy of the SESSION block is whole: empty texts and the clock NONE.
const struct recording_session *recording_session(const struct recording_reader *reader);
// Whether a copy of the SESSION block was whole.
bool recording_has_session(const struct recording_reader *reader);

struct recording_record {
    enum recording_type type;
    uint64_t offset; // of its block in the file
    union {
        struct recording_process process;
        struct recording_module module;
        struct recording_method method;
        struct recording_thread thread;
        struct recording_not_woven not_woven;
        struct recording_tree tree;
        struct recording_events events;
        struct recording_note note;
        struct recording_sites sites;
        struct recording_document document;
        struct recording_value_type value_type;
        struct recording_objects objects;
        struct recording_source source;
        struct recording_counters counters;
        struct recording_end end;
    };
};

// Reads the next record whose bit (1 << type) is in `types`; other blocks are skipped without being decoded or checked.
// NOT_FOUND at the end of the file. The record borrows from the reader until the next call.
enum clew_error recording_next(struct recording_reader *reader, uint32_t types, struct recording_record *out);
// Begins a new pass at the first block (offset 0) or at the block at `offset`; blocks appended since are seen. A pass that
// begins in the middle gets later definitions and, with the next full copy in the file, all earlier ones.
enum clew_error recording_rewind(struct recording_reader *reader, uint64_t offset);

// Reads one record by the offset of its block, which the index states. DAMAGED when no valid block of that type is there.
// Ends the current pass: recording_health() keeps its values, and recording_rewind() has to begin the next pass.
enum clew_error recording_read(struct recording_reader *reader, uint64_t offset, enum recording_type type,
                               struct recording_record *out);

// One block, as the index lists it.
struct recording_block {
    uint64_t offset; // for recording_rewind()
    uint32_t type;   // enum recording_type, or one that this reader does not know
    uint32_t flags;
    uint32_t process, thread;
    uint32_t part;                    // of a tree; its first part is 0
    uint32_t count;                   // of events, nodes, records, objects or counters
    uint32_t statements, values;      // EVENTS: of sites, among the events
    uint64_t first_clock, last_clock; // OBJECTS: lowest and highest number; SOURCE: module and document
};

// Lists all blocks but INDEX and END, in the order of the file: from the INDEX block at the end, else from the header
// of each block. Borrowed from the reader until the next call. A caller finds, for instance, the last tree of each
// thread with it without decoding the earlier ones.
enum clew_error recording_index(struct recording_reader *reader, const struct recording_block **blocks, size_t *count);

// A whole pass that verifies the checksum of each block, without decoding payloads. Afterwards recording_health() counts all
// damage in the file, except for errors inside a payload whose checksum is right (a broken writer made them).
enum clew_error recording_check(struct recording_reader *reader);
// The same, and decodes each payload. NO_MEMORY and IO end it early.
enum clew_error recording_verify(struct recording_reader *reader);

struct recording_health {
    bool ended;       // an END block was seen: the session was closed in order
    uint64_t damaged; // stretches skipped because a checksum or a length did not hold
    uint64_t damaged_bytes;
    uint64_t cut_bytes; // of an unfinished block at the end
    uint64_t unknown;   // blocks of a type this reader does not know
};
// The health that the current pass has found so far. Payloads of types that the caller does not read are not checked, except
// for SESSION, INDEX and END.
struct recording_health recording_health(const struct recording_reader *reader);
// Adds the result of a pass to `all`. Each pass checks only the types that it reads, so the worst of each figure counts.
void recording_meet(struct recording_health *all, const struct recording_health *pass);
// Whether a checksum or a length was wrong. A file that was cut is not damaged.
static inline bool recording_is_damaged(const struct recording_health *health)
{
    return health->damaged > 0;
}
uint64_t recording_file_size(const struct recording_reader *reader);

#endif
