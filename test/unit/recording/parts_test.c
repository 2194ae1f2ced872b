// A recording in several files: their names, and that each opens alone with what is still of use.
#include "place.h"

#include "recording/parts.h"

static bool only_the_first(void *context, uint32_t process)
{
    (void)context;
    return process == 1;
}

static void names_have_the_age_before_the_suffix(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"a.clew", "a.3.clew"}, {"b/a.b.clew", "b/a.b.3.clew"}, {"a", "a.3"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *name = recording_part_name(names[i][0], 3);
        assert_string_equal(name, names[i][1]);
        free(name);
    }
}

static void write_definitions(struct recording_writer *writer)
{
    for (uint32_t process = 1; process <= 2; process++) {
        assert_ok(recording_write_process(writer, &(struct recording_process){.process = process}));
        struct recording_method method = {.process = process, .method = 16, .name = text_of("M")};
        assert_ok(recording_write_method(writer, &method));
        const struct recording_path path_of_m = {PATH_ROOT, 16};
        assert_ok(recording_write_async(writer, &(struct recording_async){.process = process, .body = 16}));
        assert_ok(recording_write_paths(writer, &(struct recording_paths){process, PATH_FIRST, 1, &path_of_m}));
        for (uint32_t thread = 1; thread <= 2; thread++) {
            struct recording_thread record = {.process = process, .thread = thread, .ended_clock = thread == 2};
            assert_ok(recording_write_thread(writer, &record));
        }
    }
    assert_ok(recording_write_note(writer, &(struct recording_note){.text = text_of("of part 1")}));
}

static void write_objects(struct recording_writer *writer, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct recording_object object = {.object = first + i, .type = 1, .size = 24};
        assert_ok(
            recording_write_objects(writer, &(struct recording_objects){.process = 1, .count = 1, .objects = &object}));
    }
}

static uint64_t size_of(const char *of)
{
    struct stat status;
    assert_int_equal(stat(of, &status), 0);
    return (uint64_t)status.st_size;
}

static enum clew_error write_the_first(void *context, struct recording_writer *next)
{
    (void)context;
    return recording_write_note(next, &(struct recording_note){.text = text_of("first of a part")});
}

static void begin_part(struct recording_writer **writer, uint32_t number, uint32_t keep, uint64_t objects_max)
{
    struct recording_session session = sample_session();
    struct recording_end end = {.events = number, .complete = true};
    session.part = number;
    struct recording_part part = {.path = path,
                                  .keep = keep,
                                  .session = &session,
                                  .end = &end,
                                  .objects_max = objects_max,
                                  .goes_on = only_the_first,
                                  .begin = write_the_first};
    assert_ok(recording_begin_part(writer, &part));
}

// How many records of each type there are, and the lowest object.
struct contents {
    uint32_t of[32], lowest, part;
};

static struct contents read_contents(const char *from)
{
    struct recording_reader *reader;
    struct recording_record record;
    struct contents contents = {.lowest = UINT32_MAX};
    assert_ok(recording_open_reader(from, &reader));
    contents.part = recording_session(recording_of(reader))->part;
    while (recording_next(reader, UINT32_MAX, &record) == CLEW_OK) {
        contents.of[record.type]++;
        if (record.type == RECORDING_OBJECTS && record.objects.lowest < contents.lowest) {
            contents.lowest = record.objects.lowest;
        }
    }
    assert_int_equal(recording_health(reader).damaged + recording_health(reader).cut_bytes, 0);
    recording_close_reader(reader);
    return contents;
}

static void a_part_begins_with_definitions_still_in_use(void **state)
{
    (void)state;
    struct recording_writer *writer = create();
    struct recording_source source = {.of = {1, 1, 1}, .text = text_of("class A {}")};
    write_definitions(writer);
    assert_ok(recording_write_source(writer, &source));
    write_objects(writer, 1, 100);
    begin_part(&writer, 2, 2, UINT64_MAX);
    assert_ok(recording_close(writer, NULL));
    struct contents contents = read_contents(path);
    assert_int_equal(contents.part, 2);
    assert_int_equal(contents.of[RECORDING_PROCESS], 1);
    assert_int_equal(contents.of[RECORDING_METHOD], 1);
    assert_int_equal(contents.of[RECORDING_ASYNC], 1);
    assert_int_equal(contents.of[RECORDING_PATHS], 1);
    assert_int_equal(contents.of[RECORDING_THREAD], 1); // the other one has ended
    assert_int_equal(contents.of[RECORDING_NOTE], 1);   // its own
    assert_int_equal(contents.of[RECORDING_SOURCE], 1);
    assert_int_equal(contents.of[RECORDING_OBJECTS], 100);
    char *before = recording_part_name(path, 1);
    contents = read_contents(before);
    assert_int_equal(contents.of[RECORDING_PROCESS], 2);
    assert_int_equal(contents.of[RECORDING_NOTE], 1);
    assert_int_equal(contents.of[RECORDING_END], 1);
    free(before);
}

static void only_the_newest_objects_are_repeated(void **state)
{
    (void)state;
    struct recording_writer *writer = create();
    write_definitions(writer);
    write_objects(writer, 1, 1000);
    begin_part(&writer, 2, 2, 1000);
    assert_ok(recording_close(writer, NULL));
    struct contents contents = read_contents(path);
    assert_in_range(contents.of[RECORDING_OBJECTS], 1, 1000);
    assert_int_equal(contents.lowest, 1001 - contents.of[RECORDING_OBJECTS]);
    assert_in_range(size_of(path), 1000, 30000);
}

static void the_oldest_part_is_removed(void **state)
{
    (void)state;
    for (uint32_t keep = 1; keep <= 3; keep++) {
        struct recording_writer *writer = create();
        write_definitions(writer);
        for (uint32_t number = 2; number <= 6; number++) {
            begin_part(&writer, number, keep, 0);
        }
        struct recording_writer *other;
        assert_int_equal(recording_resume(path, &other), CLEW_BUSY); // the lock goes along
        assert_ok(recording_close(writer, NULL));
        for (uint32_t age = 0; age < 6; age++) {
            char *name = age ? recording_part_name(path, age) : strdup(path);
            assert_int_equal(access(name, F_OK) == 0, age < keep);
            if (age < keep) {
                assert_int_equal(read_contents(name).part, 6 - age);
            }
            assert_true(unlink(name) == 0 || age >= keep);
            free(name);
        }
    }
}

// What died while it made the next part is taken up in the one before.
static void a_death_in_between_leaves_a_whole_part(void **state)
{
    (void)state;
    char *next = in_folder(folder, "a.clew.next");
    struct recording_writer *writer = create();
    write_definitions(writer);
    assert_ok(recording_close(writer, &(struct recording_end){.events = 1})); // as it is just before it is put in place
    store_file(next, "half of the next", 16);
    assert_ok(recording_resume(path, &writer));
    begin_part(&writer, 2, 2, 0);
    assert_ok(recording_close(writer, NULL));
    assert_int_equal(read_contents(path).part, 2);
    assert_int_equal(access(next, F_OK), -1);
    free(next);
}

// It had the name of an older part by then, and has no other one.
static void a_death_between_two_renames_leaves_no_extra_file(void **state)
{
    (void)state;
    char *before = recording_part_name(path, 1), *older = recording_part_name(path, 2);
    struct recording_writer *writer = create();
    write_definitions(writer);
    assert_int_equal(link(path, before), 0);
    begin_part(&writer, 2, 3, 0);
    assert_ok(recording_close(writer, NULL));
    assert_int_equal(read_contents(path).part, 2);
    assert_int_equal(read_contents(before).of[RECORDING_END], 1);
    assert_int_equal(access(older, F_OK), -1);
    assert_int_equal(unlink(before), 0);
    free(before);
    free(older);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_the_age_before_the_suffix),
        cmocka_unit_test_setup_teardown(a_part_begins_with_definitions_still_in_use, make_place, remove_place),
        cmocka_unit_test_setup_teardown(only_the_newest_objects_are_repeated, make_place, remove_place),
        cmocka_unit_test_setup_teardown(the_oldest_part_is_removed, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_death_in_between_leaves_a_whole_part, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_death_between_two_renames_leaves_no_extra_file, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
