// Sessions of many processes: descriptors and memory do not grow with their number, and the recording notes what is
// missing.
#include "playing.h"

#include <dirent.h>
#include <sys/resource.h>

#include "recording/reader.h"
#include "trace/instrument.h"

enum {
#ifdef __SANITIZE_ADDRESS__
    CHILDREN = 80, // each takes three times as long
#else
    CHILDREN = 200, // one after the other,
#endif
    CHILD_EVENTS = 200, // of each of their threads
};
enum {
    CROWD = 40,          // children at once,
    CROWD_EVENTS = 2000, // of each of their threads, one a millisecond
};

// Runs a child as the recorded program; one with the order to murder kills the collector meanwhile.
static pid_t start_child(char **argv, bool murders, bool crowd)
{
    int all = crowd ? CROWD_EVENTS : CHILD_EVENTS;
    char events[24], at[24];
    (void)snprintf(events, sizeof events, "%d", all);
    (void)snprintf(at, sizeof at, "%d", all / 2);
    char *what = murders ? (char[]){"murder"} : (char[]){"run"}, *throttle = crowd ? (char[]){"1"} : (char[]){"0"};
    char *words[] = {argv[0],  (char[]){"program"}, argv[2], what, events, at,
                     throttle, (char[]){"none"},    argv[4], NULL};
    pid_t child = fork();
    if (child == 0) {
        (void)execv(argv[0], words);
        _exit(127);
    }
    return child;
}

static bool wait_for_child(pid_t child)
{
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && status == 7 << 8;
}

static int be_crowd(char **argv)
{
    pid_t children[CROWD];
    bool well = true;
    for (int i = 0; i < CROWD; i++) {
        children[i] = start_child(argv, i + 1 == CROWD, true);
    }
    for (int i = 0; i < CROWD; i++) {
        well = wait_for_child(children[i]) && well;
    }
    return well ? 5 : 1;
}

// The child number `murders` kills the collector.
static int be_parent(char **argv)
{
    long murders = strtol(argv[3], NULL, 10);
    for (long i = 1; i <= CHILDREN; i++) {
        if (!wait_for_child(start_child(argv, i == murders, false))) {
            return 1;
        }
        (void)usleep(5000); // or the next one comes before the collector has seen the end of this one
    }
    return 5;
}

static int count_files(const char *path)
{
    int count = 0;
    DIR *files = opendir(path);
    while (files && readdir(files)) {
        count++;
    }
    if (files) {
        (void)closedir(files); // only read from
    }
    return count;
}

static int count_segments(pid_t pid)
{
    char path[64], line[512];
    int count = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "re");
    while (maps && fgets(line, sizeof line, maps)) {
        count += strstr(line, "memfd:clew-ring") != NULL;
    }
    if (maps) {
        (void)fclose(maps); // only read from
    }
    return count;
}

// The first child of this process with the name of a collector.
static pid_t find_collector(void)
{
    char path[64], name[64];
    int pid;
    pid_t found = 0;
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(path, "re");
    while (children && !found && fscanf(children, "%d", &pid) == 1) {
        (void)snprintf(path, sizeof path, "/proc/%d/comm", pid);
        FILE *comm = fopen(path, "re");
        found = comm && fgets(name, sizeof name, comm) && strncmp(name, "clew-collector", 14) == 0 ? pid : 0;
        if (comm) {
            (void)fclose(comm); // only read from
        }
    }
    if (children) {
        (void)fclose(children); // only read from
    }
    return found;
}

static struct {
    int looks, files, collector_files, segments; // the most that were seen
} seen;

static void most(int *of, int count)
{
    *of = count > *of ? count : *of;
}

static void look(void *context)
{
    char path[64];
    pid_t collector = find_collector();
    (void)context;
    seen.looks++;
    most(&seen.files, count_files("/proc/self/fd"));
    most(&seen.segments, count_segments(collector ? collector : getpid()));
    (void)snprintf(path, sizeof path, "/proc/%d/fd", (int)collector);
    most(&seen.collector_files, collector ? count_files(path) : 0);
}

static struct recording_end read_end(void)
{
    struct recording_reader *reader;
    struct recording_record found = {0};
    assert_int_equal(recording_open_reader(recording, &reader), CLEW_OK);
    assert_int_equal(recording_next(reader, 1u << RECORDING_END, &found), CLEW_OK);
    recording_close_reader(reader);
    return found.end;
}

static struct recording_end record_children(const char *how, long murders)
{
    char number[24];
    (void)snprintf(number, sizeof number, "%ld", murders);
    char *command[] = {self, (char *)how, truth_path, number, source_path, NULL};
    struct session session = {.path = recording,
                              .shared = session_shared_new(),
                              .calibration = clock_pair_now(),
                              .children = true,
                              .record = {.clock = CLOCK_KIND_TSC, .clock_hz = 1e9, .instruments = INSTRUMENT_CALLS}};
    session.record.started_clock = clock_tsc();
    memset(&seen, 0, sizeof seen);
    struct supervised supervised = run_session(&session, command, look);
    assert_int_equal(supervised.status, 5 << 8);
    assert_int_equal(supervised.took_over, murders > 0);
    (void)munmap(session.shared, sizeof *session.shared);
    return read_end();
}

// The CLI and the collector free the descriptors and the memory of each process that ends. Its sums stay, even if the
// collector dies later.
static void segments_are_freed_with_their_processes(void **state)
{
    (void)state;
    for (long murders = 0; murders <= CHILDREN; murders += CHILDREN / 2) {
        struct recording_end end = record_children("parent", murders);
        assert_int_equal(end.processes, CHILDREN);
        assert_int_equal(end.threads, CHILDREN * THREADS);
        assert_int_equal(end.events, (uint64_t)CHILDREN * THREADS * CHILD_EVENTS);
        assert_int_equal(end.lost, 0);
        assert_true(end.complete);
        assert_true(seen.looks > 0);
        assert_in_range(seen.files, 1, CHILDREN / 2);
        assert_in_range(seen.collector_files, 0, CHILDREN / 2);
        assert_in_range(seen.segments, 0, CHILDREN / 2);
    }
}

static uint32_t count_notes(const char *words)
{
    struct recording_reader *reader;
    struct recording_record record_read;
    uint32_t count = 0;
    assert_int_equal(recording_open_reader(recording, &reader), CLEW_OK);
    while (recording_next(reader, 1u << RECORDING_NOTE, &record_read) == CLEW_OK) {
        const struct text text = record_read.note.text;
        count += memmem(text.at, text.size, words, strlen(words)) != NULL;
    }
    recording_close_reader(reader);
    return count;
}

// The collector of more processes than clew has descriptors for dies. All processes are answered before and run to
// their end, and the recording notes that some of them are incomplete.
static void processes_without_a_segment_are_noted(void **state)
{
    (void)state;
    struct rlimit few = {CROWD, CROWD};
    pid_t child = fork(); // a hard limit stays
    if (child == 0) {
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        struct recording_end end = record_children("crowd", 1);
        assert_int_equal(end.processes, CROWD);
        assert_false(end.complete);
        assert_true(count_notes("clew did not hold the memory of") > 0);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
    if (argc > 6 && strcmp(argv[1], "program") == 0) {
        return be_program(argv);
    }
    if (argc > 4 && strcmp(argv[1], "parent") == 0) {
        return be_parent(argv);
    }
    if (argc > 4 && strcmp(argv[1], "crowd") == 0) {
        return be_crowd(argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_are_freed_with_their_processes),
        cmocka_unit_test(processes_without_a_segment_are_noted),
    };
    return cmocka_run_group_tests(tests, playing_set_up, playing_tear_down);
}
