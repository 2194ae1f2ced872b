// See source_maps.h.
#include "cli/source_maps.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"

bool source_maps_take(struct source_maps *maps, const char *text)
{
    struct stat about;
    const char *sign = strchr(text, '='); // compilers do not allow it in the paths that they map, either
    if (!sign || sign == text || !sign[1]) {
        cli_say(
            "--source-map %s: write it as FROM=TO, as in /_/src=src: FROM is a folder as the symbols name it, TO the "
            "folder with its sources here",
            text);
        return false;
    }
    if (stat(sign + 1, &about) != 0 || !S_ISDIR(about.st_mode)) {
        cli_say("--source-map %s: there is no folder %s", text, sign + 1);
        return false;
    }
    if (maps->count == SOURCE_MAPS_MAX) {
        cli_say("--source-map: at most %d times", SOURCE_MAPS_MAX);
        return false;
    }
    maps->maps[maps->count++] = (struct source_map){{text, (size_t)(sign - text)}, text_of(sign + 1)};
    return true;
}
