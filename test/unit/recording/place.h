// A folder for the recordings of one test, with cmocka's set-up and tear-down. Included after sample.h, by one file a
// program.
#ifndef CLEW_TEST_RECORDING_PLACE_H
#define CLEW_TEST_RECORDING_PLACE_H

#include "sample.h"

static char *folder, *path; // of a recording in it

static inline int make_place(void **state)
{
    (void)state;
    folder = make_folder();
    path = in_folder(folder, "a.clew");
    return 0;
}

static inline int remove_place(void **state)
{
    (void)state;
    free(path);
    remove_folder(folder);
    return 0;
}

static inline struct recording_writer *create(void)
{
    struct recording_writer *writer;
    struct recording_session session = sample_session();
    assert_ok(recording_create(path, &session, &writer));
    return writer;
}

static inline void make_sample(void)
{
    struct recording_writer *writer = create();
    write_sample(writer);
    assert_ok(recording_close(writer, &sample_end));
}

static inline struct recording_reader *open_recording(void)
{
    struct recording_reader *reader;
    assert_ok(recording_open_reader(path, &reader));
    return reader;
}

#endif
