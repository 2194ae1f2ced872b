// A runtime that a profiler fails (no class object, an error from Initialize) unloads it at once, most often before anybody
// can look at its maps. A process that keeps it has it mapped until its memory is taken down at its end, after which /proc
// shows no mappings of it. So when a mapping is gone, it was let go if the process still has others.
//
// When the file was closed, each runtime of the program that was told to load it and does not have it has let it go: runtimes
// load their profiler before anything else. Other programs that open the same file do not count.
#include "collector/start/library_watch.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/proc_stat.h"
#include "collector/start/target.h"

// A library that was opened is mapped a moment later, and the kernel reports two openings as one if nothing is between them.
// So it looks again after that many milliseconds, then twice as many, and so on.
enum { PROCESSES_MAX = 1024, FIRST_LOOK_MS = 1, LAST_LOOK_MS = 1024 };

// What a process has of the library.
enum has { HAS_NOTHING, HAS_LIBRARY, HAS_ENDED, HAS_HIDDEN };

// A descendant that was seen.
struct seen {
    pid_t pid, parent;
    uint64_t started;
    char name[16];
    enum has has;
    uint64_t address; // of its first mapping of the library
    ino_t program;    // what it executed when it was seen with the library
    bool kept, let_go, inherited;
};

struct library_watch {
    pthread_t thread;
    int events, stop; // inotify, and an eventfd that ends the thread
    char *path;       // without links, as /proc shows it
    char *variable;   // CORECLR_PROFILER_PATH=..., as the program has it in its environment
    dev_t device;
    ino_t inode;
    struct seen processes[PROCESSES_MAX];
    uint32_t count;
    struct library_seen result;
    uint32_t open; // how often it is open as far as the events tell
    int look_ms;   // until it looks again; -1: not before the next event
};

// -- /proc ------------------------------------------------------------------------------------------------------------

// Whether a line of /proc/PID/maps (proc(5)) is of the library: by device and inode, or, where a file system has other
// numbers there, by path.
static bool is_library(const struct library_watch *watch, const char *line, uint64_t *address)
{
    unsigned long start, inode;
    unsigned major, minor;
    int path = 0;
    if (sscanf(line, "%lx-%*x %*s %*x %x:%x %lu %n", &start, &major, &minor, &inode, &path) != 4 || inode == 0) {
        return false;
    }
    *address = start;
    size_t size = strlen(watch->path);
    return (inode == watch->inode && makedev(major, minor) == watch->device) ||
           (path && strncmp(line + path, watch->path, size) == 0 && line[(size_t)path + size] == '\n');
}

static enum has read_maps(const struct library_watch *watch, pid_t pid, uint64_t *address)
{
    char path[64], line[8192];
    (void)snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *file = fopen(path, "re");
    enum has has = HAS_ENDED;
    if (!file) {
        return errno == EACCES || errno == EPERM ? HAS_HIDDEN : HAS_ENDED;
    }
    while (has != HAS_LIBRARY && fgets(line, sizeof line, file)) {
        has = is_library(watch, line, address) ? HAS_LIBRARY : HAS_NOTHING;
    }
    (void)fclose(file); // only read from
    return has;
}

static struct seen *find(struct library_watch *watch, pid_t pid)
{
    for (uint32_t i = 0; i < watch->count; i++) {
        if (watch->processes[i].pid == pid) {
            return &watch->processes[i];
        }
    }
    return NULL;
}

// Adds a process whose parent is one of them, or this one.
static bool add(struct library_watch *watch, pid_t pid)
{
    struct proc_stat stat;
    if (watch->count == PROCESSES_MAX || find(watch, pid) || !proc_stat_read(pid, &stat) ||
        (stat.parent != getpid() && !find(watch, stat.parent))) {
        return false;
    }
    struct seen *seen = &watch->processes[watch->count++];
    *seen = (struct seen){.pid = pid, .parent = stat.parent, .started = stat.started, .has = HAS_NOTHING};
    return true;
}

// Adds the children of a process's main thread: most often those are all. Some kernels have no such file.
static void add_children(struct library_watch *watch, pid_t pid)
{
    char path[64];
    int child;
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%d", &child) == 1) {
        (void)add(watch, child); // false: it is known
    }
    if (file) {
        (void)fclose(file); // only read from
    }
}

// Finds most descendants fast: a program may live for a few milliseconds more.
static void find_at_once(struct library_watch *watch)
{
    add_children(watch, getpid());
    for (uint32_t i = 0; i < watch->count; i++) { // the list grows meanwhile
        if (watch->processes[i].has != HAS_ENDED) {
            add_children(watch, watch->processes[i].pid);
        }
    }
}

// Finds all new descendants. A parent may have a larger number than its child, so it passes over the list until it finds no more.
static void find_processes(struct library_watch *watch)
{
    DIR *folder = opendir("/proc");
    for (bool more = folder != NULL; more;) {
        more = false;
        rewinddir(folder);
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            pid_t pid = (pid_t)atoi(entry->d_name);
            more = (pid > 0 && add(watch, pid)) || more;
        }
    }
    if (folder) {
        (void)closedir(folder);
    }
}

static void read_name(struct seen *seen)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/comm", (int)seen->pid);
    FILE *file = fopen(path, "re");
    if (file) {
        if (fgets(seen->name, sizeof seen->name, file)) {
            seen->name[strcspn(seen->name, "\n")] = '\0';
        }
        (void)fclose(file); // only read from
    }
}

// What a process executes; 0: nobody knows.
static ino_t program_of(pid_t pid)
{
    struct stat status;
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    return stat(path, &status) == 0 ? status.st_ino : 0;
}

// Whether a process has a runtime: as a library, or in the file that it executes.
static bool has_runtime(pid_t pid)
{
    char path[64], line[8192];
    bool is = false;
    (void)snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && !is && fgets(line, sizeof line, file)) {
        is = strstr(line, "/libcoreclr.so\n") != NULL;
    }
    if (file) {
        (void)fclose(file); // only read from
    }
    (void)snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    return is || target_kind_of(path) == TARGET_HOST;
}

// Whether a process was started with the variable that names the library, and without those that may keep the runtime from
// loading it: a parent can change them.
static bool was_told(const struct library_watch *watch, pid_t pid)
{
    char path[64], *line = NULL;
    size_t room = 0;
    bool told = false;
    (void)snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && getdelim(&line, &room, '\0', file) > 0) {
        if (strncmp(line, "DOTNET_EnableDiagnostics", 24) == 0 || strncmp(line, "COMPlus_EnableDiagnostics", 25) == 0) {
            told = false;
            break;
        }
        told = told || strcmp(line, watch->variable) == 0;
    }
    if (file) {
        (void)fclose(file); // only read from
    }
    free(line);
    return told;
}

// Whether its parent has the mapping at the same address: then it is a fork, which has it until it executes another
// program. Where a process loads it itself, the system chooses another address.
static bool is_inherited(struct library_watch *watch, const struct seen *seen, uint64_t address)
{
    const struct seen *parent = find(watch, seen->parent);
    return parent && parent->address == address;
}

// -- What happened ----------------------------------------------------------------------------------------------------

static void note_kept(struct library_watch *watch, struct seen *seen)
{
    if (!seen->kept && watch->result.kept++ == 0) {
        watch->result.pid = seen->pid;
        memcpy(watch->result.name, seen->name, sizeof seen->name);
    }
    seen->kept = true;
}

// Looks at one process again.
static void look(struct library_watch *watch, struct seen *seen)
{
    struct proc_stat stat;
    uint64_t address = 0;
    enum has before = seen->has;
    if (before == HAS_ENDED) {
        return;
    }
    bool same = proc_stat_read(seen->pid, &stat) && stat.started == seen->started;
    seen->has = same ? read_maps(watch, seen->pid, &address) : HAS_ENDED;
    if (seen->has == HAS_LIBRARY && before != HAS_LIBRARY) {
        seen->inherited = is_inherited(watch, seen, address);
        seen->let_go = false;
        seen->address = address;
        seen->program = program_of(seen->pid);
        read_name(seen);
    }
    if (before == HAS_LIBRARY && seen->has != HAS_LIBRARY && !seen->inherited) {
        seen->let_go = seen->has == HAS_NOTHING && program_of(seen->pid) == seen->program;
        if (!seen->let_go) { // it ended, or executes another program
            note_kept(watch, seen);
        }
    }
}

// Notes which runtimes have let it go, unseen. False: none.
static bool note_let_go(struct library_watch *watch)
{
    bool any = false;
    for (uint32_t i = 0; i < watch->count; i++) {
        struct seen *seen = &watch->processes[i];
        if (seen->has == HAS_NOTHING && !seen->kept && !seen->let_go) {
            seen->let_go = was_told(watch, seen->pid) && has_runtime(seen->pid);
        }
        any = any || seen->let_go;
    }
    return any;
}

// Looks at the processes from that one on.
static void look_from(struct library_watch *watch, uint32_t first)
{
    for (uint32_t i = first; i < watch->count; i++) {
        look(watch, &watch->processes[i]);
    }
}

static bool has_any(const struct library_watch *watch)
{
    bool any = false;
    for (uint32_t i = 0; i < watch->count; i++) {
        any = any || watch->processes[i].has == HAS_LIBRARY;
    }
    return any;
}

// `closed`: how often the library was closed since the last call.
static void look_at_all(struct library_watch *watch, uint32_t closed)
{
    find_at_once(watch);
    look_from(watch, 0);
    uint32_t looked = watch->count;
    find_processes(watch);
    look_from(watch, looked);
    if (closed && !note_let_go(watch) && !watch->result.kept && !has_any(watch)) {
        watch->result.unclear += closed;
    }
}

// Reads all events that there are.
static void read_events(struct library_watch *watch)
{
    _Alignas(struct inotify_event) char bytes[4096];
    uint32_t opened = 0, closed = 0;
    ssize_t got;
    while ((got = read(watch->events, bytes, sizeof bytes)) > 0) {
        for (ssize_t at = 0; at < got;) {
            const struct inotify_event *event = (const struct inotify_event *)(bytes + at);
            opened += (event->mask & IN_OPEN) != 0;
            closed += watch->open + opened > closed && (event->mask & IN_CLOSE) != 0;
            at += (ssize_t)(sizeof *event + event->len);
        }
    }
    CLEW_ASSERT(watch->open + opened >= closed && "what is closed was opened");
    watch->open += opened - closed;
    if (opened || closed) {
        watch->look_ms = opened ? FIRST_LOOK_MS : watch->look_ms;
        look_at_all(watch, closed);
    }
}

// -- The thread -------------------------------------------------------------------------------------------------------

static void *run(void *argument)
{
    struct library_watch *watch = argument;
    struct pollfd entries[] = {{.fd = watch->events, .events = POLLIN}, {.fd = watch->stop, .events = POLLIN}};
    while (!entries[1].revents) {
        int ready = poll(entries, 2, watch->look_ms);
        if (ready > 0 && entries[0].revents) {
            read_events(watch);
        } else if (ready == 0) {
            look_at_all(watch, 0);
            watch->look_ms = watch->look_ms < LAST_LOOK_MS ? watch->look_ms * 2 : -1;
        }
    }
    return NULL;
}

// The thread takes no signal: those of clew are its main thread's (supervise.h).
static bool start_thread(struct library_watch *watch)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); // cannot fail with these arguments
    int number = pthread_create(&watch->thread, NULL, run, watch);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return number == 0;
}

static void library_watch_free(struct library_watch *watch)
{
    int number = errno;
    if (watch->events >= 0) {
        (void)close(watch->events);
    }
    if (watch->stop >= 0) {
        (void)close(watch->stop);
    }
    free(watch->path);
    free(watch->variable);
    free(watch);
    errno = number;
}

struct library_watch *library_watch_begin(const char *path)
{
    struct stat status;
    struct library_watch *watch = calloc(1, sizeof *watch);
    if (!watch) {
        return NULL;
    }
    watch->events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    watch->look_ms = -1;
    watch->stop = eventfd(0, EFD_CLOEXEC);
    watch->path = realpath(path, NULL);
    int size = asprintf(&watch->variable, "CORECLR_PROFILER_PATH=%s", path);
    watch->variable = size < 0 ? NULL : watch->variable;
    if (watch->events < 0 || watch->stop < 0 || !watch->path || !watch->variable || stat(path, &status) != 0 ||
        inotify_add_watch(watch->events, path, IN_OPEN | IN_CLOSE) < 0) {
        library_watch_free(watch);
        return NULL;
    }
    watch->device = status.st_dev;
    watch->inode = status.st_ino;
    if (!start_thread(watch)) {
        library_watch_free(watch);
        return NULL;
    }
    return watch;
}

void library_watch_end(struct library_watch *watch, struct library_seen *out)
{
    (void)eventfd_write(watch->stop, 1); // its counter is far from full
    (void)pthread_join(watch->thread, NULL);
    read_events(watch);
    look_at_all(watch, 0);
    for (uint32_t i = 0; i < watch->count; i++) {
        struct seen *seen = &watch->processes[i];
        watch->result.let_go += seen->let_go;
        if (seen->has == HAS_LIBRARY && !seen->inherited) {
            note_kept(watch, seen);
        }
    }
    *out = watch->result;
    // Somebody has it open. Events that the kernel reports as one leave no exact count.
    bool known = out->kept || out->let_go || out->unclear;
    out->unclear += !known && watch->open > 0;
    library_watch_free(watch);
}
