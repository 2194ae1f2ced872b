// Loads the recording at `path` for tests of the model. Included after made_recording.h and recording_path.h, by one
// file a program.
#ifndef CLEW_TEST_MODEL_LOADING_H
#define CLEW_TEST_MODEL_LOADING_H

#include "model/model.h"
#include "model/sites.h"

#include "../damaged_block.h"
#include "../opened.h"

static inline struct model *load(struct model_options options)
{
    struct model *model = NULL;
    assert_int_equal(model_load(opened(path), &options, &model), CLEW_OK);
    return model;
}

static inline struct sites *load_sites(void)
{
    struct sites *sites = NULL;
    assert_int_equal(sites_load(opened(path), &sites), CLEW_OK);
    return sites;
}

#endif
