// See large_code.h.
#include "large_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "making.h"
#include "trace/payload.h"

enum {
    ARGUMENTS = 2,
    SITES = ARGUMENTS + 2 * (LARGE_STATEMENTS + 1), // of a method
    LINES = LARGE_STATEMENTS + 4,                   // of a method's source
    ORDERS = 100000,
    TEXTS = 10000,
    OBJECTS_OF_BLOCK = 4096,
    TYPE_INT = 1,
    TYPE_LONG,
    TYPE_BOOL,
    TYPE_DOUBLE,
    TYPE_ORDER,
    TYPE_TEXT,
    TYPE_NUMBERS,
    TYPE_POINT,
};

enum change { COUNTS, ADDS, IS_RARE, STEPS, IS_ORDER, IS_TEXT };

// A kind of variable, and how its value changes.
struct variable {
    enum change change;
    const char *source; // of the statement that sets it
    struct site site;
};

#define LOCAL .kind = SITE_DEFINITION, .place = PLACE_LOCAL
static const struct variable variables[] = {
    {COUNTS, "for (int i = 0; i < count; i++)", {LOCAL, .encoding = VALUE_I4, .type = TYPE_INT}},
    {ADDS, "total += order.Price * i;", {LOCAL, .encoding = VALUE_I8, .type = TYPE_LONG}},
    {IS_RARE, "bool late = order.Due < today;", {LOCAL, .encoding = VALUE_BOOLEAN, .type = TYPE_BOOL}},
    {STEPS, "share += 0.25;", {LOCAL, .encoding = VALUE_R8, .type = TYPE_DOUBLE}},
    {IS_ORDER, "next = orders.Find(count);", {LOCAL, .encoding = VALUE_OBJECT, .type = TYPE_ORDER}},
    {IS_TEXT, "name = customer.Name;", {LOCAL, .encoding = VALUE_OBJECT, .type = TYPE_TEXT}},
    {ADDS,
     "order.balance -= count;",
     {.kind = SITE_DEFINITION,
      .place = PLACE_FIELD,
      .owner = OWNER_OBJECT,
      .encoding = VALUE_I4,
      .type = TYPE_INT,
      .index = 0x04000001}},
    {ADDS,
     "stock[count] = total;",
     {.kind = SITE_DEFINITION, .place = PLACE_ITEM, .owner = OWNER_OBJECT, .encoding = VALUE_I4, .type = TYPE_INT}},
    {STEPS, "at = at.Move(0.25);", {LOCAL, .encoding = VALUE_STRUCT, .size = 16, .type = TYPE_POINT}},
};
static const char *const names[] = {"i", "total", "late", "share", "next", "name", "balance", "stock", "at"};
enum { VARIABLES = sizeof variables / sizeof *variables };
static_assert(VARIABLES == sizeof names / sizeof *names, "a name for each");

static struct site sites[SITES]; // of one method; numbers and lines differ between methods

// -- Sites ------------------------------------------------------------------------------------------------------------

uint32_t large_argument(uint32_t method, uint32_t number)
{
    return 1 + method * SITES + number;
}

uint32_t large_statement(uint32_t method, uint32_t number)
{
    return 1 + method * SITES + ARGUMENTS + 2 * number;
}

static uint32_t variable_of(uint32_t method, uint32_t statement)
{
    return (method * 5 + statement) % VARIABLES;
}

static void make_sites(uint32_t method, const struct large_methods *methods)
{
    uint32_t line = 4 + method % methods->of_document * LINES;
    memset(sites, 0, sizeof sites);
    sites[0] = (struct site){.kind = SITE_ARGUMENT,
                             .place = PLACE_PARAMETER,
                             .encoding = VALUE_I4,
                             .index = 1,
                             .type = TYPE_INT,
                             .name = text_of("count")};
    sites[1] = (struct site){.kind = SITE_ARGUMENT,
                             .place = PLACE_PARAMETER,
                             .encoding = VALUE_OBJECT,
                             .index = 2,
                             .type = TYPE_ORDER,
                             .name = text_of("order")};
    for (uint32_t i = 0; i <= LARGE_STATEMENTS; i++) {
        struct site *statement = &sites[ARGUMENTS + 2 * i];
        uint32_t variable = variable_of(method, i);
        *statement = (struct site){.il_offset = 8 * i,
                                   .document = method % methods->of_module / methods->of_document + 1,
                                   .start_line = line + i,
                                   .start_column = 9,
                                   .end_line = line + i,
                                   .end_column = 24};
        statement[1] =
            i < LARGE_STATEMENTS
                ? variables[variable].site
                : (struct site){.kind = SITE_RESULT, .place = PLACE_RESULT, .encoding = VALUE_I4, .type = TYPE_INT};
        statement[1].il_offset = 8 * i + 5;
        statement[1].statement = large_statement(method, i);
        if (i < LARGE_STATEMENTS) {
            statement[1].index = statement[1].index ? statement[1].index : i;
            statement[1].name = text_of(names[variable]);
        }
    }
}

static void define_sites(struct recording_writer *writer, const struct large_methods *methods)
{
    for (uint32_t method = 0; method < methods->count; method++) {
        struct buffer blob = {0};
        make_sites(method, methods);
        sites_encode(&blob, sites, SITES);
        must(recording_write_sites(writer, &(struct recording_sites){.process = 1,
                                                                     .method = methods->first + method,
                                                                     .first = large_argument(method, 0),
                                                                     .blob = bytes_of(blob.data, blob.size)}));
        buffer_free(&blob);
    }
}

// -- Sources, types and objects ---------------------------------------------------------------------------------------

static void define_document(struct recording_writer *writer, const struct large_methods *methods, uint32_t first)
{
    char path[64];
    struct buffer text = {0};
    const struct recording_document_key key = {1, first / methods->of_module + 1,
                                               first % methods->of_module / methods->of_document + 1};
    (void)snprintf(path, sizeof path, "/srv/shop/Part%u/Service%u.cs", key.module, key.document);
    must(recording_write_document(
        writer, &(struct recording_document){
                    .process = 1, .module = key.module, .document = key.document, .path = text_of(path)}));
    buffer_printf(&text, "class Service%u\n{\n", first / methods->of_document);
    for (uint32_t method = first; method < first + methods->of_document; method++) {
        buffer_printf(&text, "    int Method%u(int count, Order order) {\n", method);
        for (uint32_t i = 0; i < LARGE_STATEMENTS; i++) {
            buffer_printf(&text, "        %s\n", variables[variable_of(method, i)].source);
        }
        buffer_printf(&text, "        return count;\n    }\n\n");
    }
    must(recording_write_source(
        writer,
        &(struct recording_source){.of = key, .state = SOURCE_VERIFIED, .text = {(char *)text.data, text.size}}));
    buffer_free(&text);
}

static void define_types(struct recording_writer *writer)
{
    static const struct type_field fields[] = {{.offset = 0, .type = TYPE_DOUBLE, .name = {"x", 1}},
                                               {.offset = 8, .type = TYPE_DOUBLE, .name = {"y", 1}}};
    const struct type types[] = {
        {TYPE_INT, TYPE_PRIMITIVE, VALUE_I4, .size = 4, .name = text_of("System.Int32")},
        {TYPE_LONG, TYPE_PRIMITIVE, VALUE_I8, .size = 8, .name = text_of("System.Int64")},
        {TYPE_BOOL, TYPE_PRIMITIVE, VALUE_BOOLEAN, .size = 1, .name = text_of("System.Boolean")},
        {TYPE_DOUBLE, TYPE_PRIMITIVE, VALUE_R8, .size = 8, .name = text_of("System.Double")},
        {TYPE_ORDER, TYPE_CLASS, VALUE_OBJECT, .name = text_of("Shop.Order")},
        {TYPE_TEXT, TYPE_STRING, VALUE_OBJECT, .name = text_of("System.String")},
        {TYPE_NUMBERS, TYPE_ARRAY, VALUE_OBJECT, .element = TYPE_INT, .name = text_of("System.Int32[]")},
        {TYPE_POINT, TYPE_STRUCT, VALUE_STRUCT, .size = 16, .fields = fields, .field_count = 2,
         .name = text_of("Shop.Point")},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct buffer blob = {0};
        type_encode(&blob, &types[i]);
        must(recording_write_type(writer, &(struct recording_value_type){.process = 1,
                                                                         .type = types[i].number,
                                                                         .blob = bytes_of(blob.data, blob.size)}));
        buffer_free(&blob);
    }
}

// Orders, then texts.
static void define_objects(struct recording_writer *writer)
{
    static struct recording_object objects[OBJECTS_OF_BLOCK];
    static char texts[OBJECTS_OF_BLOCK][24];
    for (uint32_t number = 1; number <= ORDERS + TEXTS;) {
        uint32_t count = 0;
        for (; count < OBJECTS_OF_BLOCK && number <= ORDERS + TEXTS; count++, number++) {
            objects[count] = (struct recording_object){.object = number, .type = TYPE_ORDER, .size = 48};
            if (number > ORDERS) {
                int size = snprintf(texts[count], sizeof texts[count], "customer %u", number - ORDERS);
                objects[count] = (struct recording_object){.object = number,
                                                           .type = TYPE_TEXT,
                                                           .size = 22 + 2 * (uint64_t)size,
                                                           .length = (uint64_t)size,
                                                           .text = text_of(texts[count])};
            }
        }
        must(recording_write_objects(writer,
                                     &(struct recording_objects){.process = 1, .count = count, .objects = objects}));
    }
}

void large_code_define(struct recording_writer *writer, const struct large_methods *methods)
{
    define_types(writer);
    for (uint32_t first = 0; first < methods->count; first += methods->of_document) {
        define_document(writer, methods, first);
    }
    define_sites(writer, methods);
    define_objects(writer);
}

// -- Values -----------------------------------------------------------------------------------------------------------

// Which variable the site is for. Arguments and results change like the counter and the order.
static const struct variable *variable_at(uint32_t site)
{
    uint32_t method = (site - 1) / SITES, at = (site - 1) % SITES;
    if (at < ARGUMENTS) {
        return &variables[at == 0 ? 0 : 4];
    }
    uint32_t statement = (at - ARGUMENTS) / 2;
    return &variables[statement == LARGE_STATEMENTS ? 0 : variable_of(method, statement)];
}

static uint64_t change(struct large_values *values, enum change change, uint64_t *held)
{
    double real;
    switch (change) {
    case COUNTS:
        return *held = below(&values->seed, 16) ? *held + 1 : 0;
    case ADDS:
        return *held += below(&values->seed, 100);
    case IS_RARE:
        return *held = below(&values->seed, 8) == 0;
    case IS_ORDER:
        return *held = below(&values->seed, 4) ? *held : 1 + below(&values->seed, ORDERS);
    case IS_TEXT:
        return *held = ORDERS + 1 + below(&values->seed, TEXTS);
    case STEPS:
        break;
    }
    memcpy(&real, held, sizeof real);
    real += 0.25;
    memcpy(held, &real, sizeof real);
    return *held;
}

uint32_t large_payload(struct large_values *values, uint32_t site, uint32_t cells[static LARGE_CELLS_MAX])
{
    const struct variable *variable = variable_at(site);
    const struct site *of = &variable->site;
    uint32_t count = 0, kind = (uint32_t)(variable - variables);
    if (of->owner == OWNER_OBJECT) {
        cells[count++] = 1 + below(&values->seed, 64);
    }
    if (payload_has_index(of)) {
        cells[count++] = below(&values->seed, 16);
    }
    uint64_t value = change(values, variable->change, &values->held[kind]);
    for (uint32_t i = 0; i < payload_value_cells(of->encoding, of->size); i++) {
        cells[count++] = (uint32_t)(value >> 32 * (i % 2));
    }
    return count;
}
