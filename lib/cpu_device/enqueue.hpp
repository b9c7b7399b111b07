// The one way into a stream for work that a capture can record.
#pragma once

#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/work.hpp"

namespace cudahot::cpu {

// Checks the work; then queues it, or adds it to the graph that the stream is recorded into.
// `ticket`, when given, is of the queued work; nullptr when it was recorded.
CUresult enqueue(Context& context, Stream& stream, Work work, TicketPointer* ticket = nullptr);
CUresult enqueue(Context& context, CUstream stream, Work work);

// For calls that cannot be recorded: an error, and the capture is invalid, when the stream is
// recorded, or is the default stream while a stream that it waits for is.
CUresult refuse_while_capturing(Stream& stream);
// For calls that wait for the whole context, or free what a graph may use.
CUresult refuse_while_any_capture();

}  // namespace cudahot::cpu
