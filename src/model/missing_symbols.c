// The agent gives a module in scope a reason if an instrument needs its symbols and they were not found.
#include "model/missing_symbols.h"

#include <stdlib.h>

enum { NAMES_SHOWN = 3 };

// Whether a method of each module was recorded, by index in the catalog.
static bool *recorded_modules(const struct catalog *catalog)
{
    bool *recorded = calloc((size_t)catalog->module_count + 1, sizeof *recorded);
    for (uint32_t i = 0; recorded && i < catalog->method_count; i++) {
        if (catalog->methods[i].module_index != CATALOG_NONE) {
            recorded[catalog->methods[i].module_index] = true;
        }
    }
    return recorded;
}

// Appends the names and reasons of the first modules. Processes that loaded the same module count it once.
static uint32_t list(const struct catalog *catalog, const bool *recorded, struct buffer *names)
{
    uint32_t count = 0;
    struct map seen = {0};
    for (uint32_t i = 0; i < catalog->module_count; i++) {
        const struct recording_module *module = &catalog->modules[i];
        uint64_t key = map_hash_text(module->name.at, module->name.size), before;
        if (!recorded[i] || !(module->flags & MODULE_IN_SCOPE) || !module->reason.size ||
            map_get(&seen, key, &before)) {
            continue;
        }
        names->failed = !map_put(&seen, key, i) || names->failed;
        if (count < NAMES_SHOWN) {
            buffer_printf(names, "%s%.*s (%.*s)", count ? ", " : "", (int)module->name.size, module->name.at,
                          (int)module->reason.size, module->reason.at);
        }
        count++;
    }
    map_free(&seen);
    return count;
}

enum clew_error missing_symbols_note(struct catalog *catalog)
{
    struct buffer names = {0}, note = {0};
    bool *recorded = recorded_modules(catalog);
    uint32_t count = recorded ? list(catalog, recorded, &names) : 0;
    enum clew_error error = recorded && !names.failed ? CLEW_OK : CLEW_NO_MEMORY;
    if (error == CLEW_OK && count) {
        struct text listed = text_in(&names);
        buffer_printf(&note, "without symbols, so without lines and names of variables: %.*s", (int)listed.size,
                      listed.at);
        if (count > NAMES_SHOWN) {
            buffer_printf(&note, " and %u more", count - NAMES_SHOWN);
        }
        buffer_text(&note, "; build with symbols, or name folders that have them with --symbols");
        error =
            note.failed ? CLEW_NO_MEMORY : catalog_add_note(catalog, &(struct recording_note){.text = text_in(&note)});
    }
    buffer_free(&note);
    buffer_free(&names);
    free(recorded);
    return error;
}
