// Opens recordings; says why a file is none, and which recordings are near it.
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/show.h"
#include "cli/words.h"

enum { SHOWN_MAX = 3 };

static int is_recording_name(const struct dirent *entry)
{
    return text_ends(text_of(entry->d_name), ".clew") && entry->d_name[0] != '.';
}

// Appends the recordings of a folder, or those whose names are near the asked one: "a.clew, b.clew". `lead`: the folder as typed,
// with its slash.
static void list_recordings(struct buffer *into, const char *folder, const char *lead, const char *asked)
{
    struct dirent **entries = NULL;
    struct words near;
    int count = scandir(folder, &entries, is_recording_name, alphasort);
    words_init(&near, asked, strlen(asked));
    for (int i = 0; i < count; i++) {
        words_offer(&near, lead, entries[i]->d_name);
    }
    if (near.size) {
        buffer_text(into, near.listed);
    }
    for (int i = 0; i < count; i++) {
        if (!near.size && i < SHOWN_MAX) {
            buffer_printf(into, "%s%s%s", i ? ", " : "", lead, entries[i]->d_name);
        }
        free(entries[i]);
    }
    buffer_text(into, !near.size && count > SHOWN_MAX ? ", ..." : "");
    free(entries);
}

// There is no such file.
static void say_missing(const char *path)
{
    struct buffer found = {0};
    const char *slash = strrchr(path, '/');
    char *lead = strndup(path, slash ? (size_t)(slash + 1 - path) : 0);
    if (lead) {
        list_recordings(&found, *lead ? lead : ".", lead, slash ? slash + 1 : path);
    }
    if (found.size && !found.failed) {
        cli_say("%s: there is no such file; there is %.*s", path, (int)found.size, (const char *)found.data);
    } else {
        cli_say(
            "%s: there is no such file; clew record writes recordings, as in clew record -o app.clew -- dotnet app.dll",
            path);
    }
    buffer_free(&found);
    free(lead);
}

static void say_folder(const char *path)
{
    struct buffer found = {0};
    struct text folder = text_of(path);
    char *lead = NULL;
    if (asprintf(&lead, "%s%s", path, text_ends(folder, "/") ? "" : "/") >= 0) {
        list_recordings(&found, path, lead, "");
        free(lead);
    }
    if (found.size && !found.failed) {
        cli_say("%s: this is a folder, not a recording; there is %.*s", path, (int)found.size,
                (const char *)found.data);
    } else {
        cli_say("%s: this is a folder, and no recording is in it; name a file that clew record has written", path);
    }
    buffer_free(&found);
}

int cli_unreadable(const char *path, enum clew_error error)
{
    int number = errno;
    struct stat about;
    bool there = stat(path, &about) == 0;
    if (there && S_ISDIR(about.st_mode)) {
        say_folder(path);
        return clew_error_status(CLEW_NOT_RECORDING);
    }
    if (error == CLEW_NOT_FOUND) {
        say_missing(path);
    } else if (error == CLEW_NOT_RECORDING && there && S_ISREG(about.st_mode) && about.st_size == 0) {
        cli_say("%s: the file is empty, so it is no recording; record again, or name another file", path);
    } else if (error == CLEW_NOT_RECORDING) {
        cli_say("%s: %s; name one that clew record has written", path, cli_sentence(error));
    } else if (error == CLEW_IO && number == EACCES) {
        cli_say("%s: reading it is not permitted; its owner can allow it, as with chmod +r", path);
    } else {
        cli_say("%s: %s", path, cli_sentence(error));
    }
    return cli_status(error);
}

int cli_load_opened(const char *path, struct recording *recording, const struct model_options *options,
                    struct model **out)
{
    cli_limit_memory();
    enum clew_error error = model_load(recording, options, out);
    return error == CLEW_OK ? CLI_OK : cli_unreadable(path, error);
}

int cli_load(const char *path, const struct model_options *options, struct model **out)
{
    cli_limit_memory();
    enum clew_error error = model_open(path, options, out);
    return error == CLEW_OK ? CLI_OK : cli_unreadable(path, error);
}
