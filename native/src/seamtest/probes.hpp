#pragma once
// Measurements beside the matrix: each side's work alone, stream synchronisation under imports, and the interplay of
// pending CUDA waits with Vulkan submits.

#include "seamtest/job.hpp"
#include "seamtest/workplace.hpp"

namespace seamscope::seamtest {

// Microseconds of work a frame when nothing is handed over: {"vulkanUs", "partnerUs"}.
Result<nlohmann::json> measure_alone(Workplace& workplace, const Cell& cell);

// How long cuStreamSynchronize takes after one kernel, with 0, 1 and 8 imports of Vulkan memory held, and with CUDA
// owning the memory: rows of {"imports", "ownership", "p50Us", "p99Us"}. CUDA only.
Result<nlohmann::json> measure_stream_sync(Workplace& workplace, const Cell& cell);

// A Vulkan submit and an unrelated CUDA kernel with and without CUDA streams that wait for a timeline value which comes
// later. What CUDA_DEVICE_MAX_CONNECTIONS was at the start of the process decides. CUDA and exportable timelines only.
Result<nlohmann::json> measure_connections(Workplace& workplace, const Cell& cell);

// A frame copied from the chosen ordinal to each other one, without and with direct peer access: rows of {"ordinal",
// "canAccess", "bytes", "stagedUs", "directUs" (null without access), "wordsWrong"}. CUDA with several devices only.
Result<nlohmann::json> measure_peers(Workplace& workplace, const Cell& cell);

}  // namespace seamscope::seamtest
