# cudahot_use_runtime(TARGET): TARGET is a program that runs hot kernels through cudahot::Runtime. Links the
# runtime, and puts beside the program, as links, what it runs or loads when it is asked to:
# cudahot-extract, for edits outside regions, and the CPU device.
function(cudahot_use_runtime target)
  target_link_libraries(${target} PRIVATE cudahot_runtime)
  foreach(part IN ITEMS cudahot-extract cudahot_cpu_device)
    if(NOT TARGET ${part})
      continue()
    endif()
    add_dependencies(${target} ${part})
    add_custom_command(TARGET ${target} POST_BUILD
      COMMAND "${CMAKE_COMMAND}" -E create_symlink "$<TARGET_FILE:${part}>" "$<TARGET_FILE_DIR:${target}>/$<TARGET_FILE_NAME:${part}>"
      VERBATIM)
  endforeach()
endfunction()
