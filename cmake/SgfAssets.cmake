# Pages' styles, scripts and frames are files in the assets/ folder of the room that writes the pages. The library carries
# their bytes: assets/page.css is `sgf::assets::page_css`, a std::string_view that the .cpp which uses it declares extern.
# A room whose files are asked for by name has `sgf::assets::ROOM_file(name)`, which is empty for unknown names.
# They are embedded when CMake runs, and a build runs it again first where one of them has changed.

# Bytes as character literals: these need no escapes and, unlike string literals, have no greatest length.
function(sgf_characters_of file characters)
  file(READ ${file} hex HEX)
  string(REPEAT "[0-9a-f]" 38 line)
  string(REGEX REPLACE "(${line})" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," hex "${hex}")
  set(${characters} "${hex}" PARENT_SCOPE)
endfunction()

function(sgf_embed_assets target)
  set(code "// Written by cmake/SgfAssets.cmake.\n#include <string_view>\n\nnamespace sgf::assets {\n")
  get_filename_component(room ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  string(CONCAT by_name "\nstd::string_view ${room}_file(std::string_view name);\n"
                        "std::string_view ${room}_file(std::string_view name) {\n")
  foreach(asset IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${asset})
    sgf_characters_of(${CMAKE_CURRENT_SOURCE_DIR}/${asset} characters)
    get_filename_component(file_name ${asset} NAME)
    string(MAKE_C_IDENTIFIER ${file_name} name)
    string(APPEND by_name "  if (name == \"${file_name}\") return ${name};\n")
    string(APPEND code "\nconstexpr char ${name}_bytes[] = {\n${characters}};\n"
                       "extern const std::string_view ${name};\n"
                       "const std::string_view ${name}{${name}_bytes, sizeof ${name}_bytes};\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/assets.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "${code}${by_name}  return {};\n}\n\n}  // namespace sgf::assets\n" @ONLY)
  target_sources(${target} PRIVATE ${source})
endfunction()
