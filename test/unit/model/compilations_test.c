// Rows of compilations: by definition, whatever the load of a module, with the name that one of them or a METHOD states.
#include "model/compilations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "trace/instrument.h"

static struct recording_writer *writer;

static void compiled(uint32_t module, uint32_t token, uint32_t flags, uint64_t ns, const char *name)
{
    assert_int_equal(recording_write_compiled(writer, &(struct recording_compiled){.process = 1,
                                                                                   .module = module,
                                                                                   .token = token,
                                                                                   .flags = flags,
                                                                                   .ns = ns,
                                                                                   .kind = METHOD_KIND_LAMBDA,
                                                                                   .name = text_of(name)}),
                     CLEW_OK);
}

// Two loads of one module, one other module; a method is recorded.
static void make(void)
{
    const struct recording_session session = {.clock = CLOCK_KIND_TSC, .clock_hz = 1e9, .instruments = INSTRUMENT_TREE};
    const struct recording_method method = {.process = 1,
                                            .method = METHOD_FIRST_REAL,
                                            .module = 3,
                                            .token = 0x06000001,
                                            .kind = METHOD_KIND_ACCESSOR,
                                            .name = text_of("App.Total.get()")};
    assert_int_equal(recording_create(path, &session, &writer), CLEW_OK);
    for (uint32_t module = 1; module <= 3; module++) {
        const struct recording_module record = {.process = 1,
                                                .module = module,
                                                .mvid = {module == 3 ? 7 : 5},
                                                .name = text_of(module == 3 ? "App" : "Lib")};
        assert_int_equal(recording_write_module(writer, &record), CLEW_OK);
    }
    assert_int_equal(recording_write_method(writer, &method), CLEW_OK);
    compiled(2, 0x06000001, 0, 40, ""); // the name comes with a later one
    compiled(1, 0x06000001, COMPILED_REFUSED, 100, "Lib.Sum.lambda#1()");
    compiled(1, 0x06000002, 0, 7, "");
    compiled(3, 0x06000001, COMPILED_REFUSED, 500, "");
    compiled(3, 0x06000001, 0, 200, "");
    const struct recording_process process = {
        .process = 1, .compiled = 8, .compiled_ns = 1000, .refused = 2, .refused_ns = 600, .woven_ns = 55};
    assert_int_equal(recording_write_process(writer, &process), CLEW_OK);
    assert_int_equal(recording_close(writer, &(struct recording_end){0}), CLEW_OK);
}

static void expect(const struct compilation_row *row, const char *name, uint64_t count, uint64_t ns, uint64_t longest)
{
    assert_true(text_equal(row->name, text_of(name)));
    assert_int_equal(row->count, count);
    assert_int_equal(row->ns, ns);
    assert_int_equal(row->longest_ns, longest);
}

static void compilations_of_a_definition_are_added_up(void **state)
{
    (void)state;
    struct compilations all;
    make();
    struct model *model = load((struct model_options){0});
    assert_true(compilations_known(model));
    assert_int_equal(compilations_load(model, &all), CLEW_OK);
    assert_int_equal(all.row_count, 4);
    assert_true(all.ns == 1000 && all.woven_ns == 55);
    expect(&all.rows[0], "App.Total.get()", 2, 700, 500);
    assert_true(all.rows[0].kind == METHOD_KIND_ACCESSOR && all.rows[0].refused == 1 && all.rows[0].refused_ns == 500);
    expect(&all.rows[1], "(dynamic methods)", 3, 153, 0);
    assert_true(all.rows[1].token == 0 && !all.rows[1].module);
    expect(&all.rows[2], "Lib.Sum.lambda#1()", 2, 140, 100);
    assert_true(all.rows[2].kind == METHOD_KIND_LAMBDA && all.rows[2].refused == 1 && all.rows[2].refused_ns == 100);
    expect(&all.rows[3], "(method 06000002)", 1, 7, 7);
    compilations_free(&all);
    model_free(model);
}

static void older_recordings_list_none(void **state)
{
    (void)state;
    make_tree(path, CLOCK_KIND_TSC, true);
    struct model *model = load((struct model_options){0});
    assert_false(compilations_known(model));
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compilations_of_a_definition_are_added_up),
        cmocka_unit_test(older_recordings_list_none),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
