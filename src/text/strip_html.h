#pragma once
#include <string>
#include <string_view>

namespace sotto {

// Writes `text` to `out` with each HTML tag, comment and declaration replaced by one space and the basic
// entities (&amp; &lt; &gt; &quot; &apos; &#39; &nbsp;) decoded, once. Not a parser: a tag is `<`, perhaps
// `/`, a letter, and no other `<` up to a `>` outside quoted attribute values. What does not end, or does
// not look like a tag, is ordinary text. Linear in the length of the text.
void strip_html(std::string_view text, std::string& out);

}  // namespace sotto
