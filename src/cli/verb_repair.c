// `clew repair`: closes a recording that its writer left open, in place or as a copy. recording/resume.c does the work;
// this verb checks what it may write to, and reports the result.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/show.h"
#include "recording/output.h"
#include "recording/writer.h"
#include "view/json/json.h"
#include "view/text/format_number.h"

enum { COPY_SIZE = 1 << 20 };

// The parsed command line.
struct request {
    const char *path;   // as typed
    const char *output; // NULL: repair in place
    bool json, quiet;
};

static bool take_option(void *context, const struct cli_option *option, const char *argument)
{
    struct request *request = context;
    if (strcmp(option->name, "output") == 0) {
        request->output = argument;
    } else if (strcmp(option->name, "quiet") == 0) {
        request->quiet = true;
    } else {
        request->json = true;
    }
    return true;
}

// Prints why repairing failed. `number`: the errno of the failure; 0 if the error's own sentence is enough.
static int say_failure(const char *path, enum clew_error error, int number)
{
    bool denied = number == EACCES || number == EPERM || number == EROFS;
    if (error == CLEW_BUSY) {
        cli_say("%s: it is still being recorded; repair it once the session is over", path);
    } else if (error == CLEW_DAMAGED) {
        cli_say("%s: not even its first 64 bytes are whole: nothing can be repaired", path);
    } else if (error == CLEW_IO && number) {
        cli_say("%s: %s%s", path, strerror(number), denied ? "; -o FILE writes a repaired copy" : "");
    } else {
        return cli_unreadable(path, error);
    }
    return cli_status(error);
}

// -- In place ---------------------------------------------------------------------------------------------------------

// doc/json.md defines this object.
static void say_in_json(const struct request *request, const struct recording_repair *repair, const struct model *model)
{
    struct json json = {.out = stdout};
    json_open(&json, '{');
    json_member_text(&json, "file", text_of(request->output ? request->output : request->path));
    json_member_bool(&json, "changed", !repair->whole);
    json_member_u64(&json, "cut_bytes", repair->cut);
    json_member_bool(&json, "closed", model->has_end);
    json_member_bool(&json, "complete", model->complete);
    json_member_u64(&json, "events", model->events);
    json_member_u64(&json, "damaged_stretches", model->health.damaged);
    json_member_u64(&json, "damaged_bytes", model->health.damaged_bytes);
    json_member_u64(&json, "size_bytes", model->file_size);
    json_close(&json, '}');
    CLEW_ASSERT(json.depth == 0 && "each bracket is closed");
    (void)fputc('\n', stdout); // cli_printed() reports errors of stdout
}

// Prints what repairing changed.
static void say_done(const char *path, const struct recording_repair *repair, const struct model *model)
{
    char size[FORMAT_CELL], events[FORMAT_CELL];
    if (repair->whole) {
        cli_say("%s: nothing to repair", path);
        return;
    }
    if (repair->cut) {
        cli_say("%s: cut off %s after the last whole block", path, format_size(size, repair->cut));
    }
    if (repair->closed) {
        cli_say("%s: wrote a new index; the session had been closed in order", path);
    } else {
        cli_say("%s: closed with the %s events that had been written; what came after them is missing (complete: no)",
                path, format_count(events, model->events));
    }
}

// Reports damage in the middle of the file. Removing it would move all blocks after it, so it stays.
static int say_damage(const char *path, const struct model *model)
{
    char count[FORMAT_CELL], size[FORMAT_CELL];
    if (!model_damaged(model)) {
        return CLI_OK;
    }
    cli_say("%s: %s stretch%s within it (%s) %s damaged and cannot be repaired; readers skip %s, all else is kept",
            path, format_count(count, model->health.damaged), model->health.damaged == 1 ? "" : "es",
            format_size(size, model->health.damaged_bytes), model->health.damaged == 1 ? "is" : "are",
            model->health.damaged == 1 ? "it" : "them");
    return CLI_DAMAGED;
}

// The END block that the writer would have written, as far as the file shows.
static struct recording_end end_of(const struct model *model)
{
    return (struct recording_end){
        .ended_clock = model->ended_clock,
        .events = model->events,
        .lost = model->lost,
        .processes = model->catalog.process_count,
        .threads = model->catalog.thread_count,
        .repaired = true,
    };
}

// Reports the result of a successful repair, and damage that remains. Returns the exit status.
static int say_all(const struct request *request, const struct recording_repair *repair, const struct model *model)
{
    const char *path = request->output ? request->output : request->path;
    if (request->json) {
        say_in_json(request, repair, model);
    } else if (!request->quiet) {
        say_done(path, repair, model);
    }
    int status = say_damage(path, model);
    return request->json && cli_printed("standard output", CLEW_OK) != CLI_OK ? CLI_FAILED : status;
}

// Repairs `file`, which is FILE or its copy.
static int repair_file(const struct request *request, const char *file)
{
    struct recording_repair repair;
    struct model *model = NULL;
    errno = 0;
    enum clew_error error = recording_repair(file, &repair);
    if (error != CLEW_OK) {
        return say_failure(request->path, error, errno);
    }
    // Load what remains, to compute the END block and to report damage.
    int status = cli_load(file, &(struct model_options){.names_only = true}, &model);
    if (!repair.whole) {
        struct recording_end end = status == CLI_OK ? end_of(model) : (struct recording_end){.repaired = true};
        errno = 0;
        error = recording_repair_close(&repair, &end);
    }
    if (status == CLI_OK && error == CLEW_OK) {
        status = say_all(request, &repair, model);
    } else if (error != CLEW_OK) {
        status = say_failure(request->path, error, errno);
    }
    model_free(model);
    return status;
}

// -- A copy -----------------------------------------------------------------------------------------------------------

// Copies to the end of the file.
static enum clew_error copy_bytes(int from, int to)
{
    static uint8_t bytes[COPY_SIZE];
    for (;;) {
        ssize_t got = read(from, bytes, sizeof bytes);
        for (ssize_t done = 0, wrote; done < got; done += wrote) {
            wrote = write(to, bytes + done, (size_t)(got - done));
            if (wrote <= 0) {
                return CLEW_IO;
            }
            CLEW_ASSERT(wrote <= got - done);
        }
        if (got <= 0) {
            return got == 0 ? CLEW_OK : CLEW_IO;
        }
    }
}

// Makes the copy under a temporary name, so that an existing output stays until the copy is complete.
static int copy_and_repair(const struct request *request, const char *file, int from, const char *temporary)
{
    int to = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (to < 0) {
        cli_say_unwritten(request->output, errno);
        return CLI_FAILED;
    }
    enum clew_error error = copy_bytes(from, to);
    if (close(to) != 0 && error == CLEW_OK) {
        error = CLEW_IO;
    }
    if (error != CLEW_OK) {
        cli_say("%s: cannot be copied to %s: %s", file, request->output, strerror(errno));
        return CLI_FAILED;
    }
    return repair_file(request, temporary);
}

// Replaces only a recording, or nothing. The replaced recording becomes OUTPUT.old, as with `record`.
static bool put_in_place(const char *temporary, const char *output, enum recording_output was)
{
    char *old = NULL;
    bool free_to_use = was != OUTPUT_RECORDING || recording_output_set_aside(output, &old) == CLEW_OK;
    bool placed = free_to_use && rename(temporary, output) == 0;
    if (!placed) {
        cli_say_unwritten(output, errno);
        if (old) {
            (void)rename(old, output); // if this fails too, the recording is still there as OUTPUT.old
        }
    }
    free(old);
    return placed;
}

// Opens the file to copy and locks it against writers. Returns -1 and the exit status after printing why not.
static int open_source(const struct request *request, const char *file, int *status)
{
    struct stat source, there;
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &source) != 0) {
        *status = say_failure(request->path, errno == ENOENT ? CLEW_NOT_FOUND : CLEW_IO, errno);
    } else if (!S_ISREG(source.st_mode)) {
        *status = say_failure(request->path, CLEW_NOT_RECORDING, 0);
    } else if (stat(request->output, &there) == 0 && there.st_dev == source.st_dev && there.st_ino == source.st_ino) {
        cli_say("%s: -o names the same file; without -o it is repaired in place", request->path);
        *status = CLI_USAGE;
    } else if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        *status = say_failure(request->path, CLEW_BUSY, 0);
    } else {
        return fd;
    }
    if (fd >= 0) {
        (void)close(fd); // was only read
    }
    return -1;
}

// Repairs a copy. The original is opened for reading only, so it can be on a read-only disk.
static int repair_copy(const struct request *request, const char *file)
{
    int status = CLI_FAILED, from = open_source(request, file, &status);
    if (from < 0) {
        return status;
    }
    enum recording_output was = recording_output_of(request->output);
    char *temporary = NULL;
    if (was != OUTPUT_NEW && was != OUTPUT_RECORDING) {
        cli_say("%s exists and is not a recording that could be replaced; choose another name with -o",
                request->output);
        status = CLI_USAGE;
    } else if (asprintf(&temporary, "%s.part-%ld", request->output, (long)getpid()) >= 0) {
        status = copy_and_repair(request, file, from, temporary);
        bool done = status == CLI_OK || status == CLI_DAMAGED;
        if (done && !put_in_place(temporary, request->output, was)) {
            status = CLI_FAILED;
        }
        (void)unlink(temporary); // unless it got its final name
        free(temporary);
    }
    (void)close(from); // was only read
    return status;
}

// -- The verb ---------------------------------------------------------------------------------------------------------

static int run(int argc, char **argv)
{
    struct request request = {0};
    struct stat about;
    (void)signal(SIGXFSZ, SIG_IGN); // makes exceeding a file size limit an error of write()
    cli_limit_memory();
    request.path = cli_recording(&cli_repair, argc, argv, take_option, &request);
    if (!request.path) {
        return CLI_USAGE;
    }
    if (stat(request.path, &about) == 0 && S_ISDIR(about.st_mode)) {
        return cli_unreadable(request.path, CLEW_NOT_RECORDING);
    }
    char *file = realpath(request.path, NULL); // follow links
    if (!file) {
        return say_failure(request.path, errno == ENOENT ? CLEW_NOT_FOUND : CLEW_IO, errno);
    }
    int status = request.output ? repair_copy(&request, file) : repair_file(&request, file);
    free(file);
    return status;
}

static const struct cli_option options[] = {
    {"output", 'o', "FILE", "repair a copy, and leave the recording as it is"},
    {"quiet", 'q', NULL, "print nothing but errors and damage"},
    {"json", 0, NULL, "print JSON"},
    {0},
};

static const struct cli_example examples[] = {
    {"clew repair app.clew", "close a recording whose end is missing"},
    {"clew repair app.clew -o mended.clew", "the same with a copy"},
    {"clew info app.clew --verify", "whether every byte of it can be read"},
    {0},
};

const struct cli_command cli_repair = {
    .name = "repair",
    .usage = "FILE [-o COPY]",
    .summary = "close a recording whose end is missing",
    .text =
        "A recording whose writers were killed, or whose disk was full, can be read as it is. Repairing it cuts off an "
        "unfinished block at its end, repeats the definitions, and adds an index, with which it opens faster, and an "
        "end that marks it as incomplete. What clew shows of it stays the same. Repairing it again changes nothing.\n\n"
        "Damage within the file stays where it is: every verb skips it and reports it. A recording that is still being "
        "written is refused.\n\n"
        "Exit status: 0; 1 when the file cannot be written; 2 usage, or it is still being recorded; 5 the file is no "
        "recording, or damaged within: what can be read is kept.",
    .options = options,
    .examples = examples,
    .run = run,
};
