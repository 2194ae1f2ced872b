// Chooses between the logical and the physical view of call trees.
#include "model/model_load.h"

bool model_needs_stream(const struct model *model, const struct recording_block *block)
{
    uint32_t thread = catalog_find_thread(&model->catalog, block->process, block->thread);
    bool needed = thread == CATALOG_NONE || model->catalog.threads[thread].tree_offset == 0;
    return block->type == RECORDING_EVENTS && needed && model_takes_thread(model, block->process, block->thread);
}

// Whether the tree of some thread has to be built from its stream, and that lacks activations below a depth.
static enum clew_error needs_more(const struct model *model, bool *out)
{
    const struct recording_block *blocks;
    size_t count;
    *out = false;
    CLEW_TRY(recording_index(model->recording, &blocks, &count));
    for (size_t i = 0; i < count && !*out && model->session.depth_max > 0; i++) {
        *out = model_needs_stream(model, &blocks[i]);
    }
    return CLEW_OK;
}

static bool is_partial(const struct model_options *options)
{
    bool partial = options->threads_apart || options->from_ns > 0 || options->to_ns > 0;
    for (uint32_t i = 0; i < options->threads.count; i++) {
        partial = partial || options->threads.items[i].thread > 0;
    }
    return partial;
}

enum clew_error model_choose_view(struct model_load *load)
{
    struct model *model = load->model;
    bool shallow;
    CLEW_TRY(needs_more(model, &shallow));
    model->view = model->options.physical           ? MODEL_PHYSICAL
                  : !async_has_links(&model->async) ? MODEL_UNLINKED
                  : is_partial(&model->options)     ? MODEL_PARTIAL
                  : shallow                         ? MODEL_SHALLOW
                                                    : MODEL_LOGICAL;
    model->options.threads_apart |= model->options.apart_if_physical && model->view != MODEL_LOGICAL;
    return CLEW_OK;
}
