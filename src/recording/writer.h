// Writes recordings. A writer only appends, one block at a time, so the file is readable up to its last whole block at any
// moment, also while it is written and after the writer was killed. The collector is the user of this interface; the reading
// side uses it to repair recordings and to copy parts of them.
//
// All functions return OK, NO_MEMORY or IO unless they state more. Structures are copied or encoded before the call returns.
#ifndef CLEW_RECORDING_WRITER_H
#define CLEW_RECORDING_WRITER_H

#include "recording/recording.h"

struct recording_writer; // not thread-safe

// Creates the file with mode 0600. A non-empty file of that name is renamed to PATH.old first; a device is written to
// as it is. The caller checks with recording_output_of() (output.h) that this destroys nothing of the user's. On
// failure no file is left behind. recording_close() frees the writer.
enum clew_error recording_create(const char *path, const struct recording_session *session,
                                 struct recording_writer **out);
// Continues a recording whose writer died: cuts off an incomplete block at the end, then appends. BUSY while another writer
// holds the file's lock; DAMAGED when no SESSION block is whole.
enum clew_error recording_resume(const char *path, struct recording_writer **out);

// A recording that its writer did not close, and how to close it. recording_repair() fills it in.
struct recording_repair {
    bool whole;               // the file ends as it should: nothing was changed, and there is no writer
    bool closed;              // it has a valid END, which has to be written again behind a new index
    struct recording_end end; // closed
    uint64_t cut;             // bytes that were cut off behind the last whole block, or behind END
    struct recording_writer *writer;
};

// Cuts off the bytes behind the last whole block, which no reader shows. BUSY while a writer is alive. Unless the file is
// whole, the caller must call recording_repair_close() next; until then the file stays locked against other writers.
enum clew_error recording_repair(const char *path, struct recording_repair *out);
// Appends all definitions once more, an index and `end`; frees the writer, also on failure.
enum clew_error recording_repair_close(struct recording_repair *repair, const struct recording_end *end);

// Definitions: small records about a process. A later one with the same numbers replaces the earlier. The writer
// gathers them into DEFINITIONS blocks, and writes those before any block that may refer to them.
//
// After a failed write (a full disk) the file is cut back to its last whole block, and every further call fails with
// the same error.
enum clew_error recording_write_process(struct recording_writer *writer, const struct recording_process *process);
enum clew_error recording_write_module(struct recording_writer *writer, const struct recording_module *module);
enum clew_error recording_write_method(struct recording_writer *writer, const struct recording_method *method);
enum clew_error recording_write_thread(struct recording_writer *writer, const struct recording_thread *thread);
enum clew_error recording_write_not_woven(struct recording_writer *writer, const struct recording_not_woven *method);
// Numbers the changes after the thread's last tree or changes, to which they have to belong. UNSUPPORTED: more than
// RECORDING_CHANGES_MAX nodes.
enum clew_error recording_write_tree_changes(struct recording_writer *writer,
                                             const struct recording_tree_changes *changes);
enum clew_error recording_write_tree(struct recording_writer *writer, const struct recording_tree *tree);
// Comes after the tree or the changes that the runs belong to, and gets their sequence from the writer. UNSUPPORTED: the thread
// has no tree, or nodes do not ascend.
enum clew_error recording_write_runs(struct recording_writer *writer, const struct recording_runs *runs);
// Writes one block with one system call. Blocks of about RECORDING_EVENTS_WANTED events compress best. UNSUPPORTED: more
// than RECORDING_EVENTS_MAX events, or deeper than RECORDING_DEPTH_MAX. MALFORMED: an event of a site that was not defined
// with recording_write_sites(), or cells that are not exactly the payloads of the events. On both, nothing is written. The
// writer numbers the blocks of a thread itself: events->sequence is ignored.
enum clew_error recording_write_events(struct recording_writer *writer, const struct recording_events *events);
// Must come before the first block with events of these sites.
enum clew_error recording_write_sites(struct recording_writer *writer, const struct recording_sites *sites);
enum clew_error recording_write_document(struct recording_writer *writer, const struct recording_document *document);
enum clew_error recording_write_type(struct recording_writer *writer, const struct recording_value_type *type);
enum clew_error recording_write_async(struct recording_writer *writer, const struct recording_async *async);
enum clew_error recording_write_compiled(struct recording_writer *writer, const struct recording_compiled *compiled);
enum clew_error recording_write_points(struct recording_writer *writer, const struct recording_points *points);
enum clew_error recording_write_exception(struct recording_writer *writer, const struct recording_exception *exception);
// After the tree or the changes that have its nodes. UNSUPPORTED: more than RECORDING_OBJECTS_MAX.
enum clew_error recording_write_throws(struct recording_writer *writer, const struct recording_throws *throws);
// UNSUPPORTED: a number that no path can have, or a parent that does not have a lower number.
enum clew_error recording_write_paths(struct recording_writer *writer, const struct recording_paths *paths);
// These are written to blocks of their own at once. UNSUPPORTED: a source of more than 63 MiB, since it has to fit one
// block; counters that do not ascend by site.
enum clew_error recording_write_objects(struct recording_writer *writer, const struct recording_objects *objects);
enum clew_error recording_write_source(struct recording_writer *writer, const struct recording_source *source);
enum clew_error recording_write_counters(struct recording_writer *writer, const struct recording_counters *counters);
enum clew_error recording_write_note(struct recording_writer *writer, const struct recording_note *note);
// Writes the definitions gathered so far. The collector calls it after each pass, so that a reader finds them.
enum clew_error recording_flush(struct recording_writer *writer);
// Writes the index and END, which the next block replaces: for a writer that may be killed before it can close the file. Not for
// devices.
enum clew_error recording_end_for_now(struct recording_writer *writer, const struct recording_end *end);
// Writes the index and END, closes the file and frees the writer, also on failure. `end` NULL: writes neither.
enum clew_error recording_close(struct recording_writer *writer, const struct recording_end *end);

// The end of a thread's stream in the file: the position behind its newest EVENTS block (position + words), and the sequence
// of the next one. NOT_FOUND before the thread's first block. After recording_resume() a new collector learns from it which
// part of the segment is still to be written.
enum clew_error recording_stream_position(const struct recording_writer *writer, uint32_t process, uint32_t thread,
                                          uint64_t *position, uint64_t *sequence);
// The newest EVENTS block of the thread: its offset in the file, for recording_read(); 0 before the first.
uint64_t recording_last_events(const struct recording_writer *writer, uint32_t process, uint32_t thread);
// The newest EVENTS block of all threads of the process: its offset in the file; 0 before the first.
uint64_t recording_newest_events(const struct recording_writer *writer, uint32_t process);

// Sets how many bytes of file lie between full copies of the definitions. Default: 64 MiB.
void recording_copy_every(struct recording_writer *writer, uint64_t bytes);

uint64_t recording_size(const struct recording_writer *writer); // bytes written so far

#endif
