# Unity build: CMake compiles several files of a target as one, so that their common headers (nlohmann/json, googletest,
# libtorch) are read, and their templates instantiated, once for all of them. This halves the processor time of the whole
# build (bench/by_hand.md). The price: an edit compiles its whole batch again, and the files of a target must not use one
# name twice in their anonymous namespaces (the check `unity` of tests/project/check_source.py). The presets lint and odr
# compile every file alone, so that a missing include is noticed.
option(SOTTO_UNITY "Compile several files of a target as one" ON)
set(CMAKE_UNITY_BUILD ${SOTTO_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)

# Batches of a target whose folders do not share names or heavy headers: none has files of two folders.
function(sotto_batches_by_folder target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    math(EXPR batch "0${files_${folder}} / ${CMAKE_UNITY_BUILD_BATCH_SIZE}")
    math(EXPR files_${folder} "0${files_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()
