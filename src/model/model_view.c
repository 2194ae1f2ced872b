// Chooses between the logical and the physical view of call trees.
#include "model/model_load.h"

// Whether the tree of some thread has to be built from its stream.
static enum clew_error needs_streams(const struct model *model, bool *out)
{
    const struct recording_block *blocks;
    size_t count;
    *out = false;
    CLEW_TRY(recording_index(model->recording, &blocks, &count));
    for (size_t i = 0; i < count && !*out; i++) {
        uint32_t thread = catalog_find_thread(&model->catalog, blocks[i].process, blocks[i].thread);
        *out = blocks[i].type == RECORDING_EVENTS &&
               (thread == CATALOG_NONE || model->catalog.threads[thread].tree_offset == 0);
    }
    return CLEW_OK;
}

static bool is_partial(const struct model_options *options)
{
    bool partial = options->threads_apart || options->from_ns > 0 || options->to_ns > 0;
    for (uint32_t i = 0; i < options->thread_count; i++) {
        partial = partial || options->threads[i].thread > 0;
    }
    return partial;
}

enum clew_error model_choose_view(struct model_load *load)
{
    struct model *model = load->model;
    bool streams;
    CLEW_TRY(needs_streams(model, &streams));
    model->view = model->options.physical           ? MODEL_PHYSICAL
                  : !async_has_links(&model->async) ? MODEL_UNLINKED
                  : is_partial(&model->options)     ? MODEL_PARTIAL
                  : streams                         ? MODEL_OF_STREAMS
                                                    : MODEL_LOGICAL;
    model->options.threads_apart |= model->options.apart_if_physical && model->view != MODEL_LOGICAL;
    return CLEW_OK;
}
