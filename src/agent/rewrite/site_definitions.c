// The sites of methods: planned with what symbols and metadata say, numbered, and defined to the collector before the
// body that has them is given to the runtime.
#include "agent/rewrite/site_definitions.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/loaded/modules.h"
#include "agent/probe/probe.h"
#include "agent/probe/probe_lines.h"
#include "agent/probe/probe_sites.h"
#include "agent/rewrite/emitting.h"
#include "agent/rewrite/weaving.h"
#include "agent/session/agent.h"
#include "agent/session/locks.h"
#include "agent/session/pages.h"
#include "agent/session/report.h"
#include "agent/session/settings.h"
#include "agent/types/value_classes.h"
#include "agent/types/value_types.h"
#include "metadata/names/names_tuple.h"
#include "metadata/names/names_variable.h"
#include "metadata/pdb/symbols.h"
#include "metadata/tables/type_refs.h"
#include "trace/instrument.h"

enum {
    DEFINITION_MAX = 256 << 10 // bytes of one SITES definition; a method with more has several
};

// Numbers of sites.
struct site_range {
    uint32_t first, count;
};

struct module_sites {
    struct buffer ranges; // struct site_range: those of its methods
    struct symbols symbols;
    bool has_symbols;
    bool trusts_references;
    uint8_t *type_refs;      // NULL: no memory, not known
    uint8_t *told_documents; // by row: 1 when defined
};

// -- Once -------------------------------------------------------------------------------------------------------------

bool sites_start(void)
{
    site_layouts = pages_new(RING_SITES_MAX * sizeof *site_layouts);
    line_layouts = pages_new(THREAD_METHODS_MAX * sizeof *line_layouts);
    agent.targets.enter_context = (uintptr_t)agent.probes->enter_context;
    agent.targets.room = (uintptr_t)site_room;
    agent.targets.check = (uintptr_t)site_check;
    agent.targets.site_bits = (uintptr_t)site_bits;
    agent.targets.site_at = (uintptr_t)site_at;
    agent.targets.site_typed = (uintptr_t)site_typed;
    agent.targets.site_sized = (uintptr_t)site_sized;
    agent.targets.site_behind = (uintptr_t)site_behind;
    agent.targets.item_index = (uintptr_t)site_item_index;
    agent.targets.enter_lines = (uintptr_t)lines_enter_method;
    agent.targets.lines_now = (uintptr_t)lines_clock_of(agent.ring);
    agent.targets.tick = (uintptr_t)&agent.ring->tick_ns;
    agent.targets.at = offsetof(struct ring_thread, at);
    agent.targets.limit = offsetof(struct ring_thread, limit);
    return site_layouts && line_layouts;
}

// -- Numbers ----------------------------------------------------------------------------------------------------------
// A number is never used again, but what site_layouts has of it is read by the methods of its module alone, so pages of it
// are given back once all their sites are those of modules that are gone.

enum { BLOCK = 1024, PAGE = 4096 }; // sites whose forms are given back together
static_assert(BLOCK * sizeof(struct site_layout) % PAGE == 0 && RING_SITES_MAX % BLOCK == 0, "a block is whole pages");

static struct {
    pthread_mutex_t lock;
    uint32_t next;
    uint32_t used[RING_SITES_MAX / BLOCK]; // numbers of each block that were given to modules that are there
} numbers = {.lock = PTHREAD_MUTEX_INITIALIZER, .next = 1};

// The part of a range that lies in the block of its first number.
static uint32_t in_block(struct site_range range)
{
    uint32_t room = BLOCK - range.first % BLOCK;
    return range.count < room ? range.count : room;
}

static struct site_range behind(struct site_range range, uint32_t count)
{
    return (struct site_range){range.first + count, range.count - count};
}

// The first of so many numbers; 0: there are no more, or no memory to note that they are the module's.
static uint32_t take_numbers(struct module_sites *sites, uint32_t count)
{
    struct site_range range = {.count = count};
    lock_take(&numbers.lock, LOCK_SITES);
    if (count <= RING_SITES_MAX - numbers.next) {
        range.first = numbers.next;
        buffer_append(&sites->ranges, &range, sizeof range);
    }
    if (sites->ranges.failed || !range.first) {
        range = (struct site_range){0};
    }
    numbers.next += range.count;
    uint32_t first = range.first;
    for (uint32_t part; range.count; range = behind(range, part)) {
        part = in_block(range);
        numbers.used[range.first / BLOCK] += part;
    }
    lock_release(&numbers.lock, LOCK_SITES);
    return first;
}

static void give_back(struct site_range range)
{
    lock_take(&numbers.lock, LOCK_SITES);
    for (uint32_t part; range.count; range = behind(range, part)) {
        part = in_block(range);
        uint32_t block = range.first / BLOCK;
        numbers.used[block] -= part;
        if (numbers.used[block] == 0 && (block + 1) * BLOCK <= numbers.next) {
            (void)madvise(site_layouts + (size_t)block * BLOCK, BLOCK * sizeof *site_layouts, MADV_DONTNEED);
        }
    }
    lock_release(&numbers.lock, LOCK_SITES);
}

// -- Once a module ----------------------------------------------------------------------------------------------------

static void open_symbols(struct module *module, struct module_sites *sites, const char *path)
{
    struct symbols_query query = {.image = &module->image,
                                  .module_path = path,
                                  .folders = agent.settings.folders,
                                  .folder_count = agent.settings.folder_count};
    sites->has_symbols = symbols_match(symbols_open(&query, &sites->symbols, NULL));
    uint32_t documents = sites->has_symbols ? pdb_document_count(&sites->symbols.pdb) : 0;
    sites->told_documents = calloc((size_t)documents + 1, 1);
}

void sites_prepare(struct module *module, const char *path)
{
    struct module_sites *sites = calloc(1, sizeof *sites);
    if (!sites) {
        return;
    }
    open_symbols(module, sites, path);
    sites->trusts_references = weave_trusts_references(&module->metadata);
    sites->type_refs = calloc((size_t)metadata_rows(&module->metadata, TABLE_TYPE_REF) + 1, 1);
    if (sites->type_refs) {
        metadata_type_ref_kinds(&module->metadata, sites->type_refs);
    }
    module->sites = sites;
}

void sites_forget(struct module *module)
{
    struct module_sites *sites = module->sites;
    module->sites = NULL;
    if (!sites) {
        return;
    }
    if (sites->has_symbols) {
        symbols_close(&sites->symbols);
    }
    const struct site_range *ranges = (const struct site_range *)(const void *)sites->ranges.data;
    for (size_t i = 0; i < sites->ranges.size / sizeof *ranges; i++) {
        give_back(ranges[i]);
    }
    buffer_free(&sites->ranges);
    free(sites->type_refs);
    free(sites->told_documents);
    free(sites);
}

static void tell_document(const struct module *module, uint32_t row)
{
    const struct pdb *pdb = &module->sites->symbols.pdb;
    struct buffer path = {0};
    struct pdb_document document = {0};
    (void)pdb_document(pdb, row, &document); // without either the number has to do
    (void)pdb_document_name(pdb, row, &path);
    (void)report_definition(&(struct ring_definition){
        .type = RING_DEFINE_DOCUMENT,
        .module = module->number,
        .number = row,
        .kind = document.hash_kind < HASH_OTHER ? document.hash_kind : HASH_NONE,
        .path = {(const char *)path.data, path.size},
        .blob = document.hash,
    });
    buffer_free(&path);
}

// -- What a plan asks -------------------------------------------------------------------------------------------------

struct asker {
    struct module *module;
    uint32_t token;      // of the method
    struct arena *arena; // of texts that are made for it
    struct pdb_variables variables;
};

// What the source has no variable for has no name either.
static struct text shown_name(const struct variable_name *name)
{
    bool made = name->role == VARIABLE_MADE || name->role == VARIABLE_LINK;
    return made ? (struct text){0} : name->name;
}

// Its row in the symbols; 0: they know none.
static uint32_t row_of_local(const struct asker *asker, uint32_t slot, uint32_t il_offset, uint32_t next_offset)
{
    const struct module_sites *sites = asker->module->sites;
    bool known = sites->has_symbols && slot <= UINT16_MAX;
    return known ? pdb_variables_stored(&asker->variables, (uint16_t)slot, il_offset, next_offset) : 0;
}

static struct text name_of_local(const struct asker *asker, uint32_t slot, uint32_t il_offset, uint32_t next_offset)
{
    struct pdb_variable variable;
    uint32_t row = row_of_local(asker, slot, il_offset, next_offset);
    if (!row || !pdb_variable(&asker->module->sites->symbols.pdb, row, &variable)) {
        return (struct text){0};
    }
    struct variable_name name = names_local(variable.name, variable.hidden);
    return shown_name(&name);
}

static bool has_this(const struct metadata *metadata, uint32_t method)
{
    enum { STATIC = 0x10 };
    struct metadata_method about;
    return metadata_method(metadata, method, &about) && !(about.flags & STATIC);
}

static struct text name_of_parameter(const struct asker *asker, uint32_t index)
{
    const struct metadata *metadata = &asker->module->metadata;
    bool instance = has_this(metadata, asker->token);
    struct variable_name name;
    if (instance && index == 0) {
        return text_of("this");
    }
    bool named = names_parameter(metadata, asker->token, index + !instance, &name);
    return named ? shown_name(&name) : (struct text){0};
}

static struct text ask_name(void *context, enum site_place place, uint32_t index, uint32_t il_offset,
                            uint32_t next_offset)
{
    const struct asker *asker = context;
    struct variable_name name;
    switch (place) {
    case PLACE_LOCAL:
        return name_of_local(asker, index, il_offset, next_offset);
    case PLACE_PARAMETER:
        return name_of_parameter(asker, index);
    case PLACE_FIELD:
    case PLACE_STATIC_FIELD:
        return names_field(&asker->module->metadata, index, &name) ? shown_name(&name) : (struct text){0};
    default:
        return (struct text){0};
    }
}

static void tuple_names_of_local(const struct asker *asker, uint32_t row, struct bytes signature, struct buffer *out)
{
    const struct pdb *pdb = &asker->module->sites->symbols.pdb;
    struct bytes names = pdb_custom(pdb, TOKEN(TABLE_LOCAL_VARIABLE, row), PDB_CUSTOM_TUPLE_NAMES);
    if (bytes_left(&names)) {
        names_tuple_append(&asker->module->metadata, signature, names, pdb_tuple_names_next, out);
    }
}

static struct text ask_tuple_names(void *context, enum site_place place, uint32_t index, uint32_t il_offset,
                                   uint32_t next_offset, struct bytes signature)
{
    const struct asker *asker = context;
    const struct metadata *metadata = &asker->module->metadata;
    struct buffer made = {0};
    uint32_t row, number = index + !has_this(metadata, asker->token);
    switch (place) {
    case PLACE_LOCAL:
        row = names_tuple_possible(signature) ? row_of_local(asker, index, il_offset, next_offset) : 0;
        if (row) {
            tuple_names_of_local(asker, row, signature, &made);
        }
        break;
    case PLACE_PARAMETER:
    case PLACE_RESULT:
        names_tuple_of_parameter(metadata, asker->token, place == PLACE_RESULT ? 0 : number, signature, &made);
        break;
    default:
        types_tuple_names(asker->module, index, &made);
        break;
    }
    const char *kept = made.size ? arena_text(asker->arena, (const char *)made.data, made.size) : NULL;
    struct text names = {kept, kept && !made.failed ? made.size : 0};
    buffer_free(&made);
    return names;
}

// `Password` of `get_Password` and of `Shop.IUser.set_Password`.
static struct text name_of_member(const struct asker *asker, bool *sets)
{
    struct metadata_method method;
    struct text name = {0};
    *sets = false;
    if (!metadata_method(&asker->module->metadata, asker->token, &method)) {
        return name;
    }
    const char *dot = method.name.size ? memrchr(method.name.at, '.', method.name.size) : NULL;
    size_t before = dot ? (size_t)(dot + 1 - method.name.at) : 0;
    name = (struct text){method.name.at + before, method.name.size - before};
    *sets = text_starts(name, "set_");
    bool accessor = *sets || text_starts(name, "get_");
    return accessor ? (struct text){name.at + 4, name.size - 4} : name;
}

// A method's result, and what it keeps on the way in locals without a name, go by the method's name too; what a property is
// set to, whatever the parameter is called, by the property's.
static bool ask_redacted(void *context, enum site_place place, uint32_t index, struct text name)
{
    const struct asker *asker = context;
    bool sets;
    struct text member = name_of_member(asker, &sets);
    bool set = place == PLACE_PARAMETER && sets && (index > 0 || !has_this(&asker->module->metadata, asker->token));
    bool result = place == PLACE_RESULT || (place == PLACE_LOCAL && name.size == 0);
    return settings_redact(&agent.settings, name) || ((set || result) && settings_redact(&agent.settings, member));
}

// How large a struct is, and what is in it, shows when the method runs.
static void ask_type(void *context, struct bytes signature, struct weave_type *type)
{
    const struct asker *asker = context;
    struct known_type known = types_of_signature(asker->module, asker->token, signature);
    type->number = known.number;
    if (known.kind == TYPE_ENUM && known.encoding != VALUE_NONE) {
        type->encoding = known.encoding;
    }
    if (type->encoding == VALUE_TYPED && known.size) {
        type->encoding = VALUE_STRUCT;
        type->size = known.size;
    }
    type->by_number = known.kind == TYPE_REF_STRUCT || (known.exact && value_classes_expect(known.number));
    type->wide = known.wide;
}

static bool ask_token(void *context, struct bytes signature, uint32_t *token)
{
    const struct asker *asker = context;
    return emitting_type_token(asker->module, signature, token);
}

// -- Planning ---------------------------------------------------------------------------------------------------------

// In the arena; *count stays 0 without any.
static struct weave_point *read_points(const struct module *module, uint32_t token, struct arena *arena,
                                       uint32_t *count)
{
    struct pdb_points points = pdb_points_of(&module->sites->symbols.pdb, token), again = points;
    struct pdb_point point;
    uint32_t room = 0;
    while (pdb_points_next(&again, &point)) {
        room++;
    }
    struct weave_point *all = arena_alloc(arena, ((size_t)room + 1) * sizeof *all);
    for (*count = 0; all && *count < room && pdb_points_next(&points, &point); ++*count) {
        all[*count] = (struct weave_point){.il_offset = point.il_offset,
                                           .document = point.document,
                                           .hidden = point.hidden,
                                           .start_line = point.start_line,
                                           .start_column = point.start_column,
                                           .end_line = point.end_line,
                                           .end_column = point.end_column};
    }
    return all;
}

static uint32_t instruments_at_sites(uint32_t instruments)
{
    return (instruments & INSTRUMENT_AT_SITES) |
           (instruments & INSTRUMENT_VALUES ? agent.instruments & INSTRUMENT_USES : 0);
}

bool sites_plan(struct module *module, uint32_t token, uint32_t instruments, struct il_body *body,
                struct weave_plan *out)
{
    struct module_sites *sites = module->sites;
    struct asker asker = {.module = module, .token = token, .arena = body->arena};
    const struct weave_queries queries = {.context = &asker,
                                          .name = ask_name,
                                          .tuple_names = ask_tuple_names,
                                          .redacted = ask_redacted,
                                          .type = ask_type,
                                          .type_token = ask_token};
    struct weave_method method = {
        .metadata = &module->metadata,
        .token = token,
        .instruments = instruments_at_sites(instruments),
        .line_times = agent.ring->clock != CLOCK_KIND_NONE,
        .queries = &queries,
        .struct_limit = STRUCT_SIZE_MAX,
        .room = RING_SITE_ROOM,
    };
    if (!sites || !method.instruments) {
        return false;
    }
    method.trusts_references = sites->trusts_references;
    method.type_refs = sites->type_refs;
    if (sites->has_symbols) {
        method.points = read_points(module, token, body->arena, &method.point_count);
        if (!pdb_variables_of(&sites->symbols.pdb, token, body->arena, &asker.variables)) {
            return false;
        }
    }
    bool planned = (method.points || !sites->has_symbols) && weave_plan(body, &method, out) == CLEW_OK;
    if (planned && out->statements > LINES_OF_A_METHOD) {
        out->dropped = method.instruments;
        return false;
    }
    return planned && out->count > 0;
}

// -- Defining ---------------------------------------------------------------------------------------------------------

static void tell_documents(const struct module *module, const struct weave_plan *plan)
{
    const struct module_sites *sites = module->sites;
    uint32_t documents = sites->has_symbols ? pdb_document_count(&sites->symbols.pdb) : 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        uint32_t document = plan->sites[i].document;
        if (document > 0 && document <= documents && sites->told_documents && !sites->told_documents[document]) {
            sites->told_documents[document] = 1;
            tell_document(module, document);
        }
    }
}

// Where a definition that is too long may be split: at the statement next to the middle, since lines are told as
// differences to the statement before.
static uint32_t middle_of(const struct site *sites, uint32_t count)
{
    uint32_t middle = count / 2;
    while (middle < count && sites[middle].kind != SITE_STATEMENT) {
        middle++;
    }
    return middle < count ? middle : count / 2;
}

// False: not all have been handed over, and no event may be of them.
static bool tell_sites(uint32_t method, uint32_t first, const struct site *sites, uint32_t count)
{
    struct buffer blob = {0};
    bool told;
    sites_encode(&blob, sites, count);
    if (blob.size > DEFINITION_MAX && count > 1) {
        uint32_t middle = middle_of(sites, count);
        told = tell_sites(method, first, sites, middle) &&
               tell_sites(method, first + middle, sites + middle, count - middle);
    } else {
        told = !blob.failed && report_definition(&(struct ring_definition){
                                   .type = RING_DEFINE_SITES,
                                   .method = method,
                                   .number = first,
                                   .blob = bytes_of(blob.data, blob.size),
                               });
    }
    buffer_free(&blob);
    return told;
}

static void fill_forms(uint32_t first, const struct weave_plan *plan)
{
    uint16_t *lengths = ring_event_lengths(agent.ring);
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct site *site = &plan->sites[i];
        site_layouts[first + i] = site_layout_of(site);
        lengths[first + i] = event_length_of(site);
    }
}

uint32_t sites_define(const struct module *module, uint32_t method, struct weave_plan *plan)
{
    uint32_t first = take_numbers(module->sites, plan->count);
    if (!first) {
        return 0;
    }
    weave_number(plan, first);
    tell_documents(module, plan);
    if (!tell_sites(method, first, plan->sites, plan->count)) {
        return 0;
    }
    fill_forms(first, plan);
    if (method < THREAD_METHODS_MAX) {
        line_layouts[method] = (struct line_layout){first, plan->count, plan->statements};
    }
    return first;
}
