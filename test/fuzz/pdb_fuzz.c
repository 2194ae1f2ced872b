// Reads any bytes as a portable PDB, alone or in a module. The readers must end, stay within bounds, and keep the promises of
// their headers.
#include <stdlib.h>

#include "metadata/names/names_variable.h"
#include "metadata/pdb/inflate.h"
#include "metadata/pdb/pdb.h"
#include "metadata/pdb/symbols.h"
#include "metadata/tables/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Tables can have millions of rows in a few kilobytes of input, and rows may share blobs; some rows are enough.
enum { ROWS_MAX = 200, ITEMS_MAX = 5000, SOURCE_SIZE_MAX = 1 << 20 };

// Rows of a table to visit, at most ROWS_MAX.
static uint32_t rows_of(const struct pdb *pdb, enum metadata_table table)
{
    uint32_t rows = metadata_rows(&pdb->metadata, table);
    return rows < ROWS_MAX ? rows : ROWS_MAX;
}

static void require(bool promise)
{
    if (!promise) {
        abort();
    }
}

// The offsets of sequence points must ascend, their documents exist, and their lines not go back.
static void read_points(const struct pdb *pdb, uint32_t method)
{
    struct pdb_points points = pdb_points_of(pdb, method);
    int64_t last = -1;
    for (struct pdb_point point; pdb_points_next(&points, &point);) {
        require(point.il_offset > last && point.il_offset < 0x20000000);
        require(point.document <= pdb_document_count(pdb));
        require(point.hidden ? !point.start_line && !point.end_line : point.end_line >= point.start_line);
        last = point.il_offset;
    }
}

// Variables and constants of a method. A variable that a scope lists must also be found by its slot.
static void read_scopes(const struct pdb *pdb, uint32_t method)
{
    struct metadata_range rows = pdb_scopes_of(pdb, method);
    struct arena arena = {0};
    struct pdb_variables variables;
    require(pdb_variables_of(pdb, method, &arena, &variables));
    bool found = variables.count > 0; // false if scopes share rows
    for (uint32_t row = rows.first; row < rows.end && row - rows.first < ROWS_MAX; row++) {
        struct pdb_scope scope;
        struct pdb_variable variable;
        struct pdb_constant constant;
        require(pdb_scope(pdb, row, &scope) && scope.il.start <= scope.il.end);
        for (uint32_t i = scope.variables.first; i < scope.variables.end && i < ROWS_MAX; i++) {
            require(pdb_variable(pdb, i, &variable));
            (void)names_local(variable.name, variable.hidden);
            require(!found || scope.il.start == scope.il.end ||
                    pdb_variables_at(&variables, variable.slot, scope.il.start) != 0);
            (void)pdb_variables_stored(&variables, variable.slot, scope.il.end - 1, scope.il.end);
        }
        for (uint32_t i = scope.constants.first; i < scope.constants.end && i < ROWS_MAX; i++) {
            require(pdb_constant(pdb, i, &constant));
        }
    }
    arena_free(&arena);
}

// The method of a state machine and its hoisted variables.
static void read_state_machine(const struct pdb *pdb, uint32_t method)
{
    struct pdb_il_range range;
    struct pdb_awaits awaits;
    struct pdb_await await;
    (void)pdb_kickoff(pdb, method);
    for (uint32_t slot = 0; slot < 8; slot++) {
        require(!pdb_hoisted_scope(pdb, method, slot, &range) || range.start < range.end);
    }
    if (pdb_awaits_of(pdb, method, &awaits)) {
        for (unsigned i = 0; i < ITEMS_MAX && pdb_awaits_next(&awaits, &await); i++) {
            require(TOKEN_TABLE(await.resume_method) == TABLE_METHOD_DEF);
        }
    }
}

static void read_source(const struct pdb *pdb, uint32_t document)
{
    struct pdb_source source;
    if (pdb_embedded_source(pdb, document, &source) && source.packed && source.size <= SOURCE_SIZE_MAX) {
        uint8_t *room = malloc(source.size);
        if (room) {
            (void)inflate_raw(source.content, room, source.size);
            free(room);
        }
    }
}

static void read_documents(const struct pdb *pdb)
{
    for (uint32_t i = 0; i <= rows_of(pdb, TABLE_DOCUMENT) + 1; i++) {
        struct buffer name = {0};
        struct pdb_document document;
        require(pdb_document(pdb, i, &document) == (i > 0 && i <= pdb_document_count(pdb)));
        require(pdb_document_name(pdb, i, &name) || name.size == 0);
        buffer_free(&name);
        read_source(pdb, i);
    }
}

static void read_tuple_names(const struct pdb *pdb)
{
    for (uint32_t row = 1; row <= rows_of(pdb, TABLE_LOCAL_VARIABLE); row++) {
        struct bytes names = pdb_custom(pdb, TOKEN(TABLE_LOCAL_VARIABLE, row), PDB_CUSTOM_TUPLE_NAMES);
        for (struct text name; pdb_tuple_names_next(&names, &name);) {
        }
    }
}

static void read_pdb(const struct pdb *pdb)
{
    for (uint32_t row = 0; row <= rows_of(pdb, TABLE_METHOD_DEBUG_INFORMATION) + 1; row++) {
        uint32_t method = TOKEN(TABLE_METHOD_DEF, row);
        read_points(pdb, method);
        read_scopes(pdb, method);
        read_state_machine(pdb, method);
    }
    read_documents(pdb);
    read_tuple_names(pdb);
    for (enum pdb_custom kind = 0; kind < PDB_CUSTOM_COUNT; kind++) {
        (void)pdb_custom(pdb, PDB_MODULE, kind);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = bytes_of(data, size);
    struct pdb pdb;
    struct image image;
    struct symbols symbols;
    if (pdb_open(bytes, &pdb) == CLEW_OK) {
        read_pdb(&pdb);
    }
    for (enum image_layout layout = IMAGE_FLAT; layout <= IMAGE_MAPPED; layout++) {
        struct symbols_query query = {.image = &image};
        if (image_open(bytes, layout, &image) == CLEW_OK && symbols_match(symbols_open(&query, &symbols, NULL))) {
            read_pdb(&symbols.pdb);
            symbols_close(&symbols);
        }
    }
    return 0;
}
