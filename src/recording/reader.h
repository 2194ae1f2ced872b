// Reads a recording block by block, forward, without ever holding more than one. Damaged stretches are skipped to the
// next valid block and told; a file cut at any byte opens up to there.
#ifndef CLEW_RECORDING_READER_H
#define CLEW_RECORDING_READER_H

#include "recording/recording.h"

struct recording_reader;

enum clew_error recording_open(const char *path, struct recording_reader **out);
void recording_close_reader(struct recording_reader *reader);

const struct recording_session *recording_session(const struct recording_reader *reader);

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
        struct recording_end end;
    };
};

// The next record whose type's bit (1 << type) is in `types`; the others are skipped without being decoded.
// NOT_FOUND at the end. The record lives until the next call.
enum clew_error recording_next(struct recording_reader *reader, uint32_t types, struct recording_record *out);
// Starts over at the first block, or at the block at `offset`.
enum clew_error recording_rewind(struct recording_reader *reader, uint64_t offset);

struct recording_health {
    bool ended;            // an END block was seen: the session was closed in order
    uint64_t damaged;      // stretches skipped because a checksum or a length did not hold
    uint64_t damaged_bytes;
    uint64_t cut_bytes;    // of an unfinished block at the end
    uint64_t unknown;      // blocks of a type this reader does not know
};
// Complete after a pass to the end.
struct recording_health recording_health(const struct recording_reader *reader);
uint64_t recording_file_size(const struct recording_reader *reader);

#endif
