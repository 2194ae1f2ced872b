// See pager.h. A child process reads the output. It keeps it back until there is more than a screen, or until a part of it has waited
// for a moment; then it starts the pager and passes all on. What fits the screen it prints when it is complete.
#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cli/command.h"
#include "collector/start/launch.h"

enum { PART = 16 << 10, PATIENCE = 500 /* ms */ };

static pid_t child; // 0: there is none
static int terminal = -1;

// -- The child --------------------------------------------------------------------------------------------------------

static bool write_all(int file, const uint8_t *at, size_t size)
{
    while (size > 0) {
        ssize_t count = write(file, at, size);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        at += count;
        size -= (size_t)count;
    }
    return true;
}

static ssize_t read_part(int from, uint8_t *part)
{
    ssize_t count;
    do {
        count = read(from, part, PART);
    } while (count < 0 && errno == EINTR);
    return count;
}

// Keeps what comes. True: it is all, and fits the screen.
static bool fits(int from, size_t rows, struct buffer *kept)
{
    uint8_t part[PART];
    size_t lines = 0;
    while (lines < rows && !kept->failed) {
        struct pollfd ready = {.fd = from, .events = POLLIN};
        int changed = poll(&ready, 1, kept->size ? PATIENCE : -1);
        if (changed < 0 && errno == EINTR) {
            continue;
        }
        ssize_t count = changed > 0 ? read_part(from, part) : -1;
        if (count <= 0) {
            return count == 0;
        }
        buffer_append(kept, part, (size_t)count);
        for (ssize_t i = 0; i < count; i++) {
            lines += part[i] == '\n';
        }
    }
    return false;
}

static pid_t start(const char *pager, int *into)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        (void)signal(SIGINT, SIG_DFL);
        (void)signal(SIGPIPE, SIG_DFL);
        (void)setenv("LESS", "FRX", 0); // leave if it fits, show colours, keep the screen
        bool connected = dup2(ends[0], STDIN_FILENO) >= 0 && dup2(terminal, STDOUT_FILENO) >= 0;
        if (connected) {
            (void)execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
        }
        _exit(CLI_NOT_FOUND);
    }
    (void)close(ends[0]);
    *into = ends[1];
    return pid;
}

// Passes on what was kept and what comes. It ends early if the user leaves the pager.
static void pass(int from, int into, const struct buffer *kept)
{
    uint8_t part[PART];
    ssize_t count = 0;
    bool written = write_all(into, kept->data, kept->size);
    while (written && (count = read_part(from, part)) > 0) {
        written = write_all(into, part, (size_t)count);
    }
}

static void run(int from, const char *pager, size_t rows)
{
    struct buffer kept = {0};
    int into = terminal;
    pid_t pid = -1;
    (void)signal(SIGINT, SIG_IGN); // what it means is for the pager and for clew
    (void)signal(SIGPIPE, SIG_IGN);
    if (!fits(from, rows, &kept)) {
        pid = start(pager, &into);
    }
    pass(from, into, &kept);
    if (pid > 0) {
        (void)close(into);
        (void)waitpid(pid, NULL, 0);
    }
    _exit(CLI_OK);
}

// -- The parent -------------------------------------------------------------------------------------------------------

static void wait_for_child(void)
{
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
}

// The user has left the pager: all that was wanted has been shown.
static void left(int number)
{
    (void)number;
    wait_for_child();
    _exit(CLI_OK);
}

// Ends the output, but not before the pager has given the terminal back.
static void interrupted(int number)
{
    (void)close(STDOUT_FILENO);
    wait_for_child();
    _exit(128 + number);
}

static bool exists(const char *pager)
{
    char word[256], *path = NULL;
    size_t size = strcspn(pager, " \t|;&<>()$`\\\"'");
    if (size == 0 || size >= sizeof word) {
        return size > 0; // the shell says what is wrong with it
    }
    memcpy(word, pager, size);
    word[size] = 0;
    bool found = strcmp(word, "cat") != 0 && launch_find(word, &path) == 0;
    free(path);
    return found;
}

void pager_begin(bool wanted)
{
    const char *pager = getenv("PAGER"), *type = getenv("TERM");
    struct winsize size = {0};
    int ends[2];
    pager = pager ? pager : "less";
    if (!wanted || !isatty(STDOUT_FILENO) || !type || strcmp(type, "dumb") == 0 || !exists(pager) ||
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 2 || fflush(stdout) != 0 ||
        pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    child = terminal >= 0 ? fork() : -1;
    if (child == 0) {
        (void)close(ends[1]);
        (void)close(STDOUT_FILENO);
        run(ends[0], pager, size.ws_row - 1U);
    }
    if (child > 0 && dup2(ends[1], STDOUT_FILENO) >= 0) {
        (void)signal(SIGPIPE, left);
        (void)signal(SIGINT, interrupted);
        (void)atexit(pager_end); // without memory for that, the shell's prompt may come before the last rows
    }
    (void)close(ends[0]);
    (void)close(ends[1]);
}

void pager_end(void)
{
    if (child <= 0) {
        return;
    }
    (void)fflush(stdout);          // what goes wrong shows in ferror()
    (void)signal(SIGINT, SIG_IGN); // the pager takes it
    (void)dup2(terminal, STDOUT_FILENO);
    wait_for_child();
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)close(terminal);
    child = 0;
}
