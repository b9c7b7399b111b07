// Functions of the driver that this device does not have: each refuses by name.
//
// <cuda.h> is not included: the functions are defined without their parameters, which they do not
// look at, and which the calling convention leaves to the caller.
#include "lib/cpu_device/unsupported.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include "lib/cpu_device/log.hpp"

// clang-format off
#define CUDAHOT_UNSUPPORTED(X) \
  X(cuArrayGetMemoryRequirements) X(cuArrayGetPlane) X(cuArrayGetSparseProperties) \
  X(cuCheckpointProcessCheckpoint) X(cuCheckpointProcessGetRestoreThreadId) X(cuCheckpointProcessGetState) \
  X(cuCheckpointProcessLock) X(cuCheckpointProcessRestore) X(cuCheckpointProcessUnlock) \
  X(cuCoredumpGetAttribute) X(cuCoredumpGetAttributeGlobal) X(cuCoredumpSetAttribute) \
  X(cuCoredumpSetAttributeGlobal) X(cuCtxAttach) X(cuCtxDetach) X(cuCtxDisablePeerAccess) \
  X(cuCtxEnablePeerAccess) X(cuCtxFromGreenCtx) X(cuCtxGetDevResource) X(cuCtxGetDevice_v2) \
  X(cuCtxGetExecAffinity) X(cuCtxGetSharedMemConfig) X(cuCtxRecordEvent) X(cuCtxResetPersistingL2Cache) \
  X(cuCtxSetSharedMemConfig) X(cuCtxSynchronize_v2) X(cuCtxWaitEvent) X(cuDestroyExternalMemory) \
  X(cuDestroyExternalSemaphore) X(cuDevResourceGenerateDesc) X(cuDevSmResourceSplitByCount) \
  X(cuDeviceCanAccessPeer) X(cuDeviceGetByPCIBusId) X(cuDeviceGetDefaultMemPool) X(cuDeviceGetDevResource) \
  X(cuDeviceGetExecAffinitySupport) X(cuDeviceGetGraphMemAttribute) X(cuDeviceGetHostAtomicCapabilities) \
  X(cuDeviceGetLuid) X(cuDeviceGetMemPool) X(cuDeviceGetNvSciSyncAttributes) X(cuDeviceGetP2PAtomicCapabilities) \
  X(cuDeviceGetP2PAttribute) X(cuDeviceGetPCIBusId) X(cuDeviceGetProperties) \
  X(cuDeviceGetTexture1DLinearMaxWidth) X(cuDeviceGraphMemTrim) X(cuDeviceRegisterAsyncNotification) \
  X(cuDeviceSetGraphMemAttribute) X(cuDeviceSetMemPool) X(cuDeviceUnregisterAsyncNotification) \
  X(cuExternalMemoryGetMappedBuffer) X(cuExternalMemoryGetMappedMipmappedArray) X(cuFlushGPUDirectRDMAWrites) \
  X(cuFuncSetBlockShape) X(cuFuncSetSharedMemConfig) X(cuFuncSetSharedSize) X(cuGetExportTable) \
  X(cuGraphAddBatchMemOpNode) X(cuGraphAddChildGraphNode) X(cuGraphAddEventRecordNode) \
  X(cuGraphAddEventWaitNode) X(cuGraphAddExternalSemaphoresSignalNode) X(cuGraphAddExternalSemaphoresWaitNode) \
  X(cuGraphAddMemAllocNode) X(cuGraphAddMemFreeNode) X(cuGraphAddNode_v2) X(cuGraphBatchMemOpNodeGetParams) \
  X(cuGraphBatchMemOpNodeSetParams) X(cuGraphChildGraphNodeGetGraph) X(cuGraphClone) \
  X(cuGraphConditionalHandleCreate) X(cuGraphDebugDotPrint) X(cuGraphDestroyNode) \
  X(cuGraphEventRecordNodeGetEvent) X(cuGraphEventRecordNodeSetEvent) X(cuGraphEventWaitNodeGetEvent) \
  X(cuGraphEventWaitNodeSetEvent) X(cuGraphExecBatchMemOpNodeSetParams) X(cuGraphExecChildGraphNodeSetParams) \
  X(cuGraphExecEventRecordNodeSetEvent) X(cuGraphExecEventWaitNodeSetEvent) \
  X(cuGraphExecExternalSemaphoresSignalNodeSetParams) X(cuGraphExecExternalSemaphoresWaitNodeSetParams) \
  X(cuGraphExecGetFlags) X(cuGraphExecNodeSetParams) X(cuGraphExternalSemaphoresSignalNodeGetParams) \
  X(cuGraphExternalSemaphoresSignalNodeSetParams) X(cuGraphExternalSemaphoresWaitNodeGetParams) \
  X(cuGraphExternalSemaphoresWaitNodeSetParams) X(cuGraphGetEdges_v2) X(cuGraphGetRootNodes) \
  X(cuGraphHostNodeSetParams) X(cuGraphInstantiateWithParams) X(cuGraphKernelNodeCopyAttributes) \
  X(cuGraphKernelNodeGetAttribute) X(cuGraphKernelNodeSetAttribute) X(cuGraphMemAllocNodeGetParams) \
  X(cuGraphMemFreeNodeGetParams) X(cuGraphNodeFindInClone) X(cuGraphNodeGetDependentNodes_v2) \
  X(cuGraphNodeSetParams) X(cuGraphReleaseUserObject) X(cuGraphRemoveDependencies_v2) X(cuGraphRetainUserObject) \
  X(cuGraphicsMapResources) X(cuGraphicsResourceGetMappedMipmappedArray) \
  X(cuGraphicsResourceGetMappedPointer_v2) X(cuGraphicsResourceSetMapFlags_v2) \
  X(cuGraphicsSubResourceGetMappedArray) X(cuGraphicsUnmapResources) X(cuGraphicsUnregisterResource) \
  X(cuGreenCtxCreate) X(cuGreenCtxDestroy) X(cuGreenCtxGetDevResource) X(cuGreenCtxGetId) \
  X(cuGreenCtxRecordEvent) X(cuGreenCtxStreamCreate) X(cuGreenCtxWaitEvent) X(cuImportExternalMemory) \
  X(cuImportExternalSemaphore) X(cuIpcCloseMemHandle) X(cuIpcGetEventHandle) X(cuIpcGetMemHandle) \
  X(cuIpcOpenEventHandle) X(cuIpcOpenMemHandle_v2) X(cuLaunch) X(cuLaunchCooperativeKernel) \
  X(cuLaunchCooperativeKernelMultiDevice) X(cuLaunchGrid) X(cuLaunchGridAsync) X(cuLibraryGetUnifiedFunction) \
  X(cuLinkAddData_v2) X(cuLinkAddFile_v2) X(cuLinkComplete) X(cuLinkCreate_v2) X(cuLinkDestroy) X(cuLogsCurrent) \
  X(cuLogsDumpToFile) X(cuLogsDumpToMemory) X(cuLogsRegisterCallback) X(cuLogsUnregisterCallback) \
  X(cuMemAddressFree) X(cuMemAddressReserve) X(cuMemAllocFromPoolAsync) X(cuMemBatchDecompressAsync) \
  X(cuMemCreate) X(cuMemDiscardAndPrefetchBatchAsync) X(cuMemDiscardBatchAsync) X(cuMemExportToShareableHandle) \
  X(cuMemGetAccess) X(cuMemGetAllocationGranularity) X(cuMemGetAllocationPropertiesFromHandle) \
  X(cuMemGetDefaultMemPool) X(cuMemGetHandleForAddressRange) X(cuMemGetMemPool) \
  X(cuMemImportFromShareableHandle) X(cuMemMap) X(cuMemMapArrayAsync) X(cuMemPoolCreate) X(cuMemPoolDestroy) \
  X(cuMemPoolExportPointer) X(cuMemPoolExportToShareableHandle) X(cuMemPoolGetAccess) X(cuMemPoolGetAttribute) \
  X(cuMemPoolImportFromShareableHandle) X(cuMemPoolImportPointer) X(cuMemPoolSetAccess) X(cuMemPoolSetAttribute) \
  X(cuMemPoolTrimTo) X(cuMemPrefetchBatchAsync) X(cuMemRangeGetAttribute) X(cuMemRangeGetAttributes) \
  X(cuMemRelease) X(cuMemRetainAllocationHandle) X(cuMemSetAccess) X(cuMemSetMemPool) X(cuMemUnmap) \
  X(cuMemcpy3DBatchAsync_v2) X(cuMemcpy3DPeer) X(cuMemcpy3DPeerAsync) X(cuMemcpyAtoA_v2) X(cuMemcpyAtoD_v2) \
  X(cuMemcpyBatchAsync_v2) X(cuMemcpyDtoA_v2) X(cuMemcpyPeer) X(cuMemcpyPeerAsync) X(cuMipmappedArrayCreate) \
  X(cuMipmappedArrayDestroy) X(cuMipmappedArrayGetLevel) X(cuMipmappedArrayGetMemoryRequirements) \
  X(cuMipmappedArrayGetSparseProperties) X(cuModuleGetSurfRef) X(cuModuleGetTexRef) X(cuMulticastAddDevice) \
  X(cuMulticastBindAddr) X(cuMulticastBindMem) X(cuMulticastCreate) X(cuMulticastGetGranularity) \
  X(cuMulticastUnbind) X(cuOccupancyAvailableDynamicSMemPerBlock) \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) X(cuOccupancyMaxActiveClusters) \
  X(cuOccupancyMaxPotentialBlockSize) X(cuOccupancyMaxPotentialBlockSizeWithFlags) \
  X(cuOccupancyMaxPotentialClusterSize) X(cuParamSetSize) X(cuParamSetTexRef) X(cuParamSetf) X(cuParamSeti) \
  X(cuParamSetv) X(cuPointerSetAttribute) X(cuSignalExternalSemaphoresAsync) X(cuStreamBatchMemOp_v2) \
  X(cuStreamBeginCaptureToGraph) X(cuStreamCopyAttributes) X(cuStreamGetAttribute) X(cuStreamGetCtx_v2) \
  X(cuStreamGetDevice) X(cuStreamGetGreenCtx) X(cuStreamSetAttribute) X(cuStreamUpdateCaptureDependencies_v2) \
  X(cuStreamWaitValue32_v2) X(cuStreamWaitValue64_v2) X(cuStreamWriteValue32_v2) X(cuStreamWriteValue64_v2) \
  X(cuSurfRefGetArray) X(cuSurfRefSetArray) X(cuTensorMapEncodeIm2col) X(cuTensorMapEncodeIm2colWide) \
  X(cuTensorMapEncodeTiled) X(cuTensorMapReplaceAddress) X(cuTexObjectGetResourceViewDesc) X(cuTexRefCreate) \
  X(cuTexRefDestroy) X(cuTexRefGetAddressMode) X(cuTexRefGetAddress_v2) X(cuTexRefGetArray) \
  X(cuTexRefGetBorderColor) X(cuTexRefGetFilterMode) X(cuTexRefGetFlags) X(cuTexRefGetFormat) \
  X(cuTexRefGetMaxAnisotropy) X(cuTexRefGetMipmapFilterMode) X(cuTexRefGetMipmapLevelBias) \
  X(cuTexRefGetMipmapLevelClamp) X(cuTexRefGetMipmappedArray) X(cuTexRefSetAddress2D_v3) \
  X(cuTexRefSetAddressMode) X(cuTexRefSetAddress_v2) X(cuTexRefSetArray) X(cuTexRefSetBorderColor) \
  X(cuTexRefSetFilterMode) X(cuTexRefSetFlags) X(cuTexRefSetFormat) X(cuTexRefSetMaxAnisotropy) \
  X(cuTexRefSetMipmapFilterMode) X(cuTexRefSetMipmapLevelBias) X(cuTexRefSetMipmapLevelClamp) \
  X(cuTexRefSetMipmappedArray) X(cuUserObjectCreate) X(cuUserObjectRelease) X(cuUserObjectRetain) \
  X(cuWaitExternalSemaphoresAsync)
// clang-format on

namespace cudahot::cpu {
namespace {

int refuse(const char* name, std::atomic<bool>& told) {
  ++counters().refused_calls;
  if (!told.exchange(true)) log_warning(std::string(name) + " is not supported by the CPU device");
  return CUDA_ERROR_NOT_SUPPORTED;
}

#define CUDAHOT_NAME(function) #function,
constexpr std::string_view kNames[] = {CUDAHOT_UNSUPPORTED(CUDAHOT_NAME)};
#undef CUDAHOT_NAME

}  // namespace

bool is_unsupported(std::string_view exported_name) { return std::ranges::binary_search(kNames, exported_name); }

}  // namespace cudahot::cpu

#define CUDAHOT_DEFINE(function)                                                                        \
  extern "C" __attribute__((visibility("default"))) int cudahot_refuse_##function() __asm__(#function); \
  int cudahot_refuse_##function() {                                                                     \
    static std::atomic<bool> told{false};                                                               \
    return cudahot::cpu::refuse(#function, told);                                                       \
  }
CUDAHOT_UNSUPPORTED(CUDAHOT_DEFINE)
