// The numbers that the encoder and the decoder of EVENTS blocks share (doc/recording.md, "EVENTS").
#ifndef CLEW_RECORDING_EVENT_TOKENS_H
#define CLEW_RECORDING_EVENT_TOKENS_H

#include "recording/varint.h"

// The column of tokens has one varint for each event. In blocks with sites it is shifted left by 1: an odd one is an event
// of a site, and its upper bits are the zigzag difference to the site of the event of a site before.
enum {
    TOKEN_LEAVE = 0,
    TOKEN_UNWIND,
    TOKEN_CUT,
    TOKEN_LOST,
    TOKEN_FILTER,
    TOKEN_FILTER_END,
    TOKEN_STACK,
    TOKEN_CLOCK, // no event: the site that follows has another clock. In blocks with sites only
    TOKEN_ENTER, // + method. In blocks with async activations these are the events of those:
    TOKEN_RUN = TOKEN_ENTER,
    TOKEN_RESUME,
    TOKEN_SUSPEND,
    TOKEN_COMPLETE,
    TOKEN_ENTER_ASYNC, // + method
    TOKEN_SIZE_MAX = VARINT32_SIZE_MAX,
};

// How the column of clocks holds the differences between neighbours: not at all, since all are 0; as varints; as zigzag
// varints, since some are negative.
enum clock_mode { CLOCKS_EQUAL, CLOCKS_UNSIGNED, CLOCKS_SIGNED };

#endif
