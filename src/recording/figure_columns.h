// How columns of figures are stored (FIGURES_IN_TREES and FIGURES_IN_RUNS in trace/figures.h), for the codecs of whole trees, of changes
// and of runs.
#ifndef CLEW_RECORDING_FIGURE_COLUMNS_H
#define CLEW_RECORDING_FIGURE_COLUMNS_H

#include "recording/varint.h"
#include "trace/figures.h"

// Of the figure `value` of `node`: what is stored, and the figure that follows from a stored value.
#define FIGURE_STORED_PLAIN value
#define FIGURE_STORED_SIGNED zigzag(value)
#define FIGURE_STORED_BELOW(figure) zigzag(node->figure - value)
#define FIGURE_LOADED_PLAIN value
#define FIGURE_LOADED_SIGNED unzigzag(value)
#define FIGURE_LOADED_BELOW(figure) node->figure - unzigzag(value)

// Takes a varint of the width of *out; false: it is cut or too wide.
#define take_figure(payload, out) _Generic((out), uint32_t * : take_varint32, uint64_t * : take_varint)(payload, out)

#endif
