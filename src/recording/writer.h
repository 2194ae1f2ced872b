// Appends blocks to a recording. The file is made 0600 and is readable up to its last whole block at any moment.
#ifndef CLEW_RECORDING_WRITER_H
#define CLEW_RECORDING_WRITER_H

#include "recording/recording.h"

struct recording_writer; // not thread-safe

// An existing file is renamed to PATH.old first, unless it is empty; a device is written to as it is. Whether either may be
// done is the caller's to ask: recording_output_of().
// Nothing is left behind on failure.
enum clew_error recording_create(const char *path, const struct recording_session *session,
                                 struct recording_writer **out);
// Goes on where another writer died: cuts off a half-written block at the end, then appends. BUSY while another writer
// is alive; DAMAGED when the session's block is not there.
enum clew_error recording_resume(const char *path, struct recording_writer **out);

// What closes a recording that its writer left open.
struct recording_repair {
    bool whole;               // nothing was wrong with its end: nothing is done, and there is no writer
    bool closed;              // its END holds, and is written again as it was, behind a new index
    struct recording_end end; // closed
    uint64_t cut;             // bytes that were cut off behind the last whole block, or behind END
    struct recording_writer *writer;
};

// Cuts off what stands behind the last whole block. Nothing that a reader would show is lost. BUSY while a writer is alive.
// On success, but where it is whole, recording_repair_close() comes next; up to then nobody else can write.
enum clew_error recording_repair(const char *path, struct recording_repair *out);
// Appends all definitions once more, an index and `end`; frees the writer, also on failure.
enum clew_error recording_repair_close(struct recording_repair *repair, const struct recording_end *end);

// After a failed write (full disk) the file is cut back to its last whole block and every further call fails the same way.
enum clew_error recording_write_process(struct recording_writer *writer, const struct recording_process *process);
enum clew_error recording_write_module(struct recording_writer *writer, const struct recording_module *module);
enum clew_error recording_write_method(struct recording_writer *writer, const struct recording_method *method);
enum clew_error recording_write_thread(struct recording_writer *writer, const struct recording_thread *thread);
enum clew_error recording_write_not_woven(struct recording_writer *writer, const struct recording_not_woven *method);
enum clew_error recording_write_tree(struct recording_writer *writer, const struct recording_tree *tree);
// Makes one block, in one write. Best with about RECORDING_EVENTS_WANTED events; more than RECORDING_EVENTS_MAX, or a
// depth above RECORDING_DEPTH_MAX, is refused with UNSUPPORTED and nothing is written. So are, with MALFORMED, events of
// sites that recording_write_sites() has not had, and cells that are not exactly theirs. events->sequence is not read.
enum clew_error recording_write_events(struct recording_writer *writer, const struct recording_events *events);
// Before the first block with events of these sites.
enum clew_error recording_write_sites(struct recording_writer *writer, const struct recording_sites *sites);
enum clew_error recording_write_document(struct recording_writer *writer, const struct recording_document *document);
enum clew_error recording_write_type(struct recording_writer *writer, const struct recording_value_type *type);
// In blocks of their own, as many as it takes; a source makes one, so a text of more than 63 MiB is refused with
// UNSUPPORTED. Counters must ascend by site, or are refused in the same way.
enum clew_error recording_write_objects(struct recording_writer *writer, const struct recording_objects *objects);
enum clew_error recording_write_source(struct recording_writer *writer, const struct recording_source *source);
enum clew_error recording_write_counters(struct recording_writer *writer, const struct recording_counters *counters);
enum clew_error recording_write_note(struct recording_writer *writer, const struct recording_note *note);
// Small records are gathered into one block; this writes what is gathered.
enum clew_error recording_flush(struct recording_writer *writer);
// Writes END and the index, closes and frees the writer, also on failure. `end` NULL closes without them.
enum clew_error recording_close(struct recording_writer *writer, const struct recording_end *end);

// Where a thread's stream goes on: the position after the newest EVENTS block (its position + words) and the sequence
// that the next one gets. NOT_FOUND before the thread's first. Also after recording_resume(): what a new collector needs.
enum clew_error recording_stream_position(const struct recording_writer *writer, uint32_t process, uint32_t thread,
                                          uint64_t *position, uint64_t *sequence);
// The newest EVENTS block of the thread: its offset in the file, for recording_read(); 0 before the first.
uint64_t recording_last_events(const struct recording_writer *writer, uint32_t process, uint32_t thread);

// How many bytes of file lie between full copies of the definitions; 64 MiB unless told.
void recording_copy_every(struct recording_writer *writer, uint64_t bytes);

uint64_t recording_size(const struct recording_writer *writer); // bytes written so far

#endif
