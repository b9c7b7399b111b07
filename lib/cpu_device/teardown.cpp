// What goes with a context.
#include "lib/cpu_device/array.hpp"
#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/event.hpp"
#include "lib/cpu_device/memory.hpp"
#include "lib/cpu_device/module.hpp"

namespace cudahot::cpu {

void destroy_context_contents(Context& context) {
  const CUcontext owner = context.handle;
  for (const auto& module : HandleTable<Module>::instance().remove_if(
           [owner](const Module& candidate) { return candidate.context == owner; })) {
    close(*module);
  }
  HandleTable<Function>::instance().remove_if([owner](const Function& function) { return function.context == owner; });
  HandleTable<Stream>::instance().remove_if([&](const Stream& stream) { return &stream.context() == &context; });
  HandleTable<Event>::instance().remove_if([owner](const Event& event) { return event.context == owner; });
  for (const auto& array :
       HandleTable<Array>::instance().remove_if([owner](const Array& each) { return each.context == owner; })) {
    array->destroyed = true;
  }
  MemoryMap::instance().release(owner);
}

}  // namespace cudahot::cpu
