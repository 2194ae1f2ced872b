// The sites of methods. Answers the planner's queries from symbols and metadata, numbers the sites of a plan, and defines them
// to the collector before the runtime gets the body that contains them.
#include "agent/rewrite/site_definitions.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/loaded/modules.h"
#include "agent/probe/probe.h"
#include "agent/probe/probe_lines.h"
#include "agent/probe/probe_sites.h"
#include "agent/rewrite/async_bodies.h"
#include "agent/rewrite/emitting.h"
#include "agent/rewrite/repeated_points.h"
#include "agent/rewrite/weaving.h"
#include "agent/session/agent.h"
#include "agent/session/locks.h"
#include "agent/session/pages.h"
#include "agent/session/report.h"
#include "agent/session/settings.h"
#include "agent/types/redacted_fields.h"
#include "agent/types/value_classes.h"
#include "agent/types/value_types.h"
#include "metadata/names/names_tuple.h"
#include "metadata/names/names_variable.h"
#include "metadata/tables/type_refs.h"
#include "trace/instrument.h"

enum {
    DEFINITION_MAX = 256 << 10 // bytes of one SITES definition; a method with more sites has several
};

// Consecutive site numbers.
struct site_range {
    uint32_t first, count;
};

struct module_sites {
    struct buffer ranges; // struct site_range, one for each method with sites
    struct symbols symbols;
    bool has_symbols;
    bool trusts_references;
    uint8_t *type_refs; // kind of each TypeRef (metadata_type_ref_kinds()); NULL: not known, for lack of memory
    uint8_t *reported_documents; // by row of Document: 1 when it has been reported
};

// -- Start ------------------------------------------------------------------------------------------------------------

bool sites_start(void)
{
    site_layouts = pages_new(RING_SITES_MAX * sizeof *site_layouts);
    line_layouts = pages_new(THREAD_METHODS_MAX * sizeof *line_layouts);
    agent.targets.enter_context = (uintptr_t)agent.probes->enter_context;
    agent.targets.run_context = (uintptr_t)agent.probes->run_context;
    agent.targets.room = (uintptr_t)site_room;
    agent.targets.check = (uintptr_t)site_check;
    agent.targets.moment = (uintptr_t)site_moment;
    agent.targets.site_bits = (uintptr_t)site_bits;
    agent.targets.site_at = (uintptr_t)site_at;
    agent.targets.site_typed = (uintptr_t)site_typed;
    agent.targets.site_sized = (uintptr_t)site_sized;
    agent.targets.site_behind = (uintptr_t)site_behind;
    agent.targets.item_index = (uintptr_t)site_item_index;
    agent.targets.newest_index = (uintptr_t)site_newest_index;
    agent.targets.site_key = (uintptr_t)site_key;
    agent.targets.enter_lines = (uintptr_t)lines_enter_method;
    agent.targets.lines_now = (uintptr_t)lines_clock_of(agent.ring);
    agent.targets.tick = (uintptr_t)&agent.ring->tick_ns;
    agent.targets.at = offsetof(struct ring_thread, at);
    agent.targets.limit = offsetof(struct ring_thread, limit);
    agent.targets.current = offsetof(struct ring_thread, current);
    agent.targets.context_tick = offsetof(struct ring_thread, tick);
    return site_layouts && line_layouts;
}

// -- Numbers ----------------------------------------------------------------------------------------------------------
// A site number is never used again. The entry of site_layouts for it is read only by code of its module, so the memory of a
// block of entries is returned to the system once all modules with numbers in the block have been unloaded.

enum { BLOCK = 1024, PAGE = 4096 }; // sites whose layouts are returned together
static_assert(BLOCK * sizeof(struct site_layout) % PAGE == 0 && RING_SITES_MAX % BLOCK == 0, "a block is whole pages");

static struct {
    pthread_mutex_t lock;
    uint32_t next;
    uint32_t used[RING_SITES_MAX / BLOCK]; // by block: how many of its numbers belong to loaded modules
} numbers = {.lock = PTHREAD_MUTEX_INITIALIZER, .next = 1};

// How much of the range lies in the block of its first number.
static uint32_t in_block(struct site_range range)
{
    uint32_t room = BLOCK - range.first % BLOCK;
    return range.count < room ? range.count : room;
}

static struct site_range without_first(struct site_range range, uint32_t count)
{
    return (struct site_range){range.first + count, range.count - count};
}

// Takes `count` numbers for the module and returns the first; 0: too few are left, or there is no memory to note them.
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
    CLEW_ASSERT(numbers.next <= RING_SITES_MAX && "site numbers index site_layouts");
    for (uint32_t part; range.count; range = without_first(range, part)) {
        part = in_block(range);
        numbers.used[range.first / BLOCK] += part;
    }
    lock_release(&numbers.lock, LOCK_SITES);
    return first;
}

static void give_back(struct site_range range)
{
    lock_take(&numbers.lock, LOCK_SITES);
    for (uint32_t part; range.count; range = without_first(range, part)) {
        part = in_block(range);
        uint32_t block = range.first / BLOCK;
        CLEW_ASSERT(numbers.used[block] >= part && "each number is returned once");
        numbers.used[block] -= part;
        if (numbers.used[block] == 0 && (block + 1) * BLOCK <= numbers.next) {
            (void)madvise(site_layouts + (size_t)block * BLOCK, BLOCK * sizeof *site_layouts, MADV_DONTNEED);
        }
    }
    lock_release(&numbers.lock, LOCK_SITES);
}

// -- Modules ----------------------------------------------------------------------------------------------------------

static enum symbols_state open_symbols(struct module *module, struct module_sites *sites, const char *path)
{
    struct symbols_query query = {.image = &module->image,
                                  .module_path = path,
                                  .folders = agent.settings.folders,
                                  .folder_count = agent.settings.folder_count};
    enum symbols_state state = symbols_open(&query, &sites->symbols, NULL);
    sites->has_symbols = symbols_match(state);
    uint32_t documents = sites->has_symbols ? pdb_document_count(&sites->symbols.pdb) : 0;
    sites->reported_documents = calloc((size_t)documents + 1, 1);
    return state;
}

enum symbols_state sites_prepare(struct module *module, const char *path)
{
    struct module_sites *sites = calloc(1, sizeof *sites);
    CLEW_ASSERT(!module->sites && "a module is prepared once");
    if (!sites) {
        return SYMBOLS_NO_MEMORY;
    }
    enum symbols_state state = open_symbols(module, sites, path);
    sites->trusts_references = weave_trusts_references(&module->metadata);
    sites->type_refs = calloc((size_t)metadata_rows(&module->metadata, TABLE_TYPE_REF) + 1, 1);
    if (sites->type_refs) {
        metadata_type_ref_kinds(&module->metadata, sites->type_refs);
    }
    module->sites = sites;
    return state;
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
    free(sites->reported_documents);
    free(sites);
}

static void report_document(const struct module *module, uint32_t row)
{
    const struct pdb *pdb = &module->sites->symbols.pdb;
    struct buffer path = {0};
    struct pdb_document document = {0};
    (void)pdb_document(pdb, row, &document); // if either fails, the collector shows the number alone
    (void)pdb_document_name(pdb, row, &path);
    (void)report_definition(&(struct ring_definition){
        .type = RING_DEFINE_DOCUMENT,
        .module = module->number,
        .number = row,
        .kind = document.hash_kind < HASH_OTHER ? document.hash_kind : HASH_NONE,
        .flags = document.language,
        .path = {(const char *)path.data, path.size},
        .blob = document.hash,
    });
    buffer_free(&path);
}

// -- Queries of the planner -------------------------------------------------------------------------------------------

struct plan_context {
    struct module *module;
    uint32_t token;      // of the method
    uint32_t returning;  // the method that returns its result in the source: of an async body, the async method
    struct arena *arena; // owns composed texts for as long as the plan
    struct pdb_variables variables;
};

// Variables that the source code does not have are shown without a name.
static struct weave_name shown_name(const struct variable_name *name)
{
    bool generated = name->role == VARIABLE_GENERATED || name->role == VARIABLE_LINK;
    return (struct weave_name){.text = generated ? (struct text){0} : name->name, .role = name->role};
}

static struct weave_name unnamed(enum variable_role role)
{
    return (struct weave_name){.role = role};
}

// The LocalVariable row of the local that is stored at the offset; 0: the symbols have none.
static uint32_t row_of_local(const struct plan_context *plan_context, uint32_t slot, uint32_t il_offset,
                             uint32_t next_offset)
{
    const struct module_sites *sites = plan_context->module->sites;
    bool known = sites->has_symbols && slot <= UINT16_MAX;
    return known ? pdb_variables_stored(&plan_context->variables, (uint16_t)slot, il_offset, next_offset) : 0;
}

// If there are symbols, they have all locals of the source.
static struct weave_name name_of_local(const struct plan_context *plan_context, uint32_t slot, uint32_t il_offset,
                                       uint32_t next_offset)
{
    struct pdb_variable variable;
    uint32_t row = row_of_local(plan_context, slot, il_offset, next_offset);
    if (!row || !pdb_variable(&plan_context->module->sites->symbols.pdb, row, &variable)) {
        return unnamed(plan_context->module->sites->has_symbols ? VARIABLE_GENERATED : VARIABLE_UNKNOWN);
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

static struct weave_name name_of_parameter(const struct plan_context *plan_context, uint32_t index)
{
    const struct metadata *metadata = &plan_context->module->metadata;
    bool instance = has_this(metadata, plan_context->token);
    struct variable_name name;
    if (instance && index == 0) {
        return (struct weave_name){text_of("this"), VARIABLE_THIS};
    }
    bool named = names_parameter(metadata, plan_context->token, index + !instance, &name);
    return named ? shown_name(&name) : unnamed(VARIABLE_UNKNOWN);
}

static struct weave_name query_name(void *context, enum site_place place, uint32_t index, uint32_t il_offset,
                                    uint32_t next_offset)
{
    const struct plan_context *plan_context = context;
    struct variable_name name;
    switch (place) {
    case PLACE_LOCAL:
        return name_of_local(plan_context, index, il_offset, next_offset);
    case PLACE_PARAMETER:
        return name_of_parameter(plan_context, index);
    case PLACE_FIELD:
    case PLACE_STATIC_FIELD:
        return names_field(&plan_context->module->metadata, index, &name) ? shown_name(&name)
                                                                          : unnamed(VARIABLE_UNKNOWN);
    default:
        return unnamed(VARIABLE_UNKNOWN);
    }
}

static void tuple_names_of_local(const struct plan_context *plan_context, uint32_t row, struct bytes signature,
                                 struct buffer *out)
{
    const struct pdb *pdb = &plan_context->module->sites->symbols.pdb;
    struct bytes names = pdb_custom(pdb, TOKEN(TABLE_LOCAL_VARIABLE, row), PDB_CUSTOM_TUPLE_NAMES);
    if (bytes_left(&names)) {
        names_tuple_append(&plan_context->module->metadata, signature, names, pdb_tuple_names_next, out);
    }
}

static struct text query_tuple_names(void *context, enum site_place place, uint32_t index, uint32_t il_offset,
                                     uint32_t next_offset, struct bytes signature)
{
    const struct plan_context *plan_context = context;
    const struct metadata *metadata = &plan_context->module->metadata;
    struct buffer buffer = {0};
    uint32_t row, number = index + !has_this(metadata, plan_context->token);
    switch (place) {
    case PLACE_LOCAL:
        row = names_tuple_possible(signature) ? row_of_local(plan_context, index, il_offset, next_offset) : 0;
        if (row) {
            tuple_names_of_local(plan_context, row, signature, &buffer);
        }
        break;
    case PLACE_PARAMETER:
        names_tuple_of_parameter(metadata, plan_context->token, number, signature, &buffer);
        break;
    case PLACE_RESULT: // of Task<T>, the names in it are those in T
        names_tuple_of_parameter(metadata, plan_context->returning, 0, signature, &buffer);
        break;
    default:
        types_tuple_names(plan_context->module, index, &buffer);
        break;
    }
    const char *names_at = buffer.size ? arena_text(plan_context->arena, (const char *)buffer.data, buffer.size) : NULL;
    struct text names = {names_at, names_at && !buffer.failed ? buffer.size : 0};
    buffer_free(&buffer);
    return names;
}

static bool is_spared(const struct plan_context *plan_context, struct bytes signature)
{
    struct module *module = plan_context->module;
    bool is_enum = types_of_signature(module, plan_context->token, signature).kind == TYPE_ENUM;
    return redaction_spares(&module->metadata, signature, is_enum);
}

// Besides the name of the value itself, the name of the method can redact it: its result and its unnamed locals, which often
// hold the result, are matched by the method's name as well. The parameters of a property's setter are matched by the name of
// the property, whatever they are called.
static bool query_redacted(void *context, enum site_place place, uint32_t index, struct text name,
                           struct bytes signature)
{
    const struct plan_context *plan_context = context;
    const struct metadata *metadata = &plan_context->module->metadata;
    struct metadata_method method = {0};
    bool sets = false;
    (void)metadata_method(metadata, plan_context->returning, &method);
    struct text member = names_member(method.name, &sets);
    bool set = place == PLACE_PARAMETER && sets && (index > 0 || !has_this(metadata, plan_context->token));
    bool result = place == PLACE_RESULT || (place == PLACE_LOCAL && name.size == 0);
    return (redaction_matches(&agent.settings.redaction, name) ||
            ((set || result) && redaction_matches(&agent.settings.redaction, member))) &&
           !is_spared(plan_context, signature);
}

// A struct without computed layout stays VALUE_TYPED: its size and its references are looked up when the method runs.
static void query_type(void *context, struct bytes signature, struct weave_type *type)
{
    const struct plan_context *plan_context = context;
    struct known_type known = types_of_signature(plan_context->module, plan_context->token, signature);
    type->number = known.number;
    if (known.kind == TYPE_ENUM && known.encoding != VALUE_NONE) {
        type->encoding = known.encoding;
    }
    if (type->encoding == VALUE_TYPED && known.size) {
        type->encoding = VALUE_STRUCT;
        type->size = known.size;
    }
    type->by_number = known.exact && (known.kind == TYPE_REF_STRUCT || value_classes_expect(known.number));
    type->wide = known.wide;
}

static bool query_token(void *context, struct bytes signature, uint32_t *token)
{
    const struct plan_context *plan_context = context;
    return emitting_type_token(plan_context->module, signature, token);
}

// -- Planning ---------------------------------------------------------------------------------------------------------

// The sequence points of a method, in the arena. *count is 0 if it has none.
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
                const struct weave_runs *runs, struct weave_plan *out)
{
    struct module_sites *sites = module->sites;
    uint32_t async = async_method_of(module, token);
    struct plan_context plan_context = {
        .module = module, .token = token, .returning = async ? async : token, .arena = body->arena};
    const struct weave_queries queries = {.context = &plan_context,
                                          .name = query_name,
                                          .tuple_names = query_tuple_names,
                                          .redacted = query_redacted,
                                          .type = query_type,
                                          .type_token = query_token};
    struct weave_method method = {
        .metadata = &module->metadata,
        .token = token,
        .instruments = instruments_at_sites(instruments),
        .line_times = agent.ring->clock != CLOCK_KIND_NONE,
        .queries = &queries,
        .struct_limit = STRUCT_SIZE_MAX,
        .room = RING_SITE_ROOM,
        .runs = runs,
        .orders = agent.ring->clock != CLOCK_KIND_NONE,
        .suspends = agent.suspends,
    };
    if (!sites || !method.instruments) {
        return false;
    }
    method.trusts_references = sites->trusts_references;
    method.type_refs = sites->type_refs;
    if (sites->has_symbols) {
        struct weave_point *points = read_points(module, token, body->arena, &method.point_count);
        if (points) {
            points_hide_repeated(module, &sites->symbols.pdb, token, body, points, method.point_count);
        }
        method.points = points;
        if (!pdb_variables_of(&sites->symbols.pdb, token, body->arena, &plan_context.variables)) {
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

static void report_documents(const struct module *module, const struct weave_plan *plan)
{
    const struct module_sites *sites = module->sites;
    uint32_t documents = sites->has_symbols ? pdb_document_count(&sites->symbols.pdb) : 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        uint32_t document = plan->sites[i].document;
        if (document > 0 && document <= documents && sites->reported_documents &&
            !sites->reported_documents[document]) {
            sites->reported_documents[document] = 1;
            report_document(module, document);
        }
    }
}

// Where to split a definition that is too long: at the first statement from the middle on, since the lines of a site are
// encoded as differences to the statement before it.
static uint32_t middle_of(const struct site *sites, uint32_t count)
{
    uint32_t middle = count / 2;
    while (middle < count && sites[middle].kind != SITE_STATEMENT) {
        middle++;
    }
    return middle < count ? middle : count / 2;
}

// False: the collector did not get all of them, so the method must not be woven with sites.
static bool report_sites(uint32_t method, uint32_t first, const struct site *sites, uint32_t count)
{
    struct buffer blob = {0}, roles = {0};
    bool reported;
    sites_encode(&blob, sites, count);
    sites_encode_roles(&roles, sites, count);
    if (blob.size > DEFINITION_MAX && count > 1) {
        uint32_t middle = middle_of(sites, count);
        reported = report_sites(method, first, sites, middle) &&
                   report_sites(method, first + middle, sites + middle, count - middle);
    } else {
        reported = !blob.failed && !roles.failed &&
                   report_definition(&(struct ring_definition){
                       .type = RING_DEFINE_SITES,
                       .method = method,
                       .number = first,
                       .blob = bytes_of(blob.data, blob.size),
                       .roles = bytes_of(roles.data, roles.size),
                   });
    }
    buffer_free(&blob);
    buffer_free(&roles);
    return reported;
}

// Publishes the length of each site's event: to the probes, and in the segment to the collector, which finds the boundaries
// of events in a chunk by it.
static void fill_layouts(uint32_t first, const struct weave_plan *plan, bool trusts_references)
{
    uint16_t *lengths = ring_event_lengths(agent.ring);
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct site *site = &plan->sites[i];
        site_layouts[first + i] = site_layout_of(site, trusts_references);
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
    report_documents(module, plan);
    if (!report_sites(method, first, plan->sites, plan->count)) {
        return 0;
    }
    fill_layouts(first, plan, module->sites->trusts_references);
    if (method < THREAD_METHODS_MAX) {
        line_layouts[method] = (struct line_layout){first, plan->count, plan->statements};
    }
    return first;
}
