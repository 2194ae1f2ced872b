// Reads a recording block by block, forward, without ever holding more than one. Damaged stretches are skipped to the
// next valid block and told; a file cut at any byte opens up to there.
#ifndef CLEW_RECORDING_READER_H
#define CLEW_RECORDING_READER_H

#include "recording/recording.h"

struct recording_reader;

// NOT_FOUND, NOT_RECORDING, NEWER_RECORDING, or DAMAGED when not even the file header is whole.
enum clew_error recording_open(const char *path, struct recording_reader **out);
void recording_close_reader(struct recording_reader *reader);

// Where no copy of the session's block is whole: empty, with the clock NONE.
const struct recording_session *recording_session(const struct recording_reader *reader);
// Whether one was.
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

// The next record whose type's bit (1 << type) is in `types`; the others are skipped without being decoded.
// NOT_FOUND at the end. The record lives until the next call.
enum clew_error recording_next(struct recording_reader *reader, uint32_t types, struct recording_record *out);
// Starts over at the first block (offset 0), or at the block at `offset`, and takes notice of what was appended since.
// A pass from the middle gets the definitions that stand there and, with the next full copy, all before.
enum clew_error recording_rewind(struct recording_reader *reader, uint64_t offset);

// The record of that type whose block stands at `offset`, as the index has it. DAMAGED when there is no such block, or it does
// not hold. No pass goes on from here: recording_health() stays as it was, and recording_rewind() begins the next.
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

// Every block in the file's order, but INDEX and END: from the INDEX block at the end, else by looking at each block's header. Borrowed from
// the reader. With it a caller finds, for instance, each thread's last tree without decoding those before.
enum clew_error recording_index(struct recording_reader *reader, const struct recording_block **blocks, size_t *count);

// A pass that checks each block, payloads too, without decoding any: what recording_health() says of damage holds for all
// of the file then, but for what is wrong inside a payload whose checksum holds.
enum clew_error recording_check(struct recording_reader *reader);
// The same with decoding: nothing in the file is left out. NO_MEMORY and IO end it early.
enum clew_error recording_verify(struct recording_reader *reader);

struct recording_health {
    bool ended;       // an END block was seen: the session was closed in order
    uint64_t damaged; // stretches skipped because a checksum or a length did not hold
    uint64_t damaged_bytes;
    uint64_t cut_bytes; // of an unfinished block at the end
    uint64_t unknown;   // blocks of a type this reader does not know
};
// Of the pass since the last rewind; complete at its end. Payloads that were not asked for are not checked, but for those of
// SESSION, INDEX and END.
struct recording_health recording_health(const struct recording_reader *reader);
// Takes what another pass has met into `all`. Each pass checks only what it asks for, so the worst of them counts.
void recording_meet(struct recording_health *all, const struct recording_health *pass);
// Whether something did not hold. A file that was cut is not damaged.
static inline bool recording_is_damaged(const struct recording_health *health)
{
    return health->damaged > 0;
}
uint64_t recording_file_size(const struct recording_reader *reader);

#endif
