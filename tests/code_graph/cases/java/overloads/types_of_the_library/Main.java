package overloads.types_of_the_library;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.StringReader;
import java.io.Reader;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
class Main {
  void read(InputStream in) { } // @read_stream
  void read(Reader in) { } // @read_reader
  void all(Collection<String> c) { } // @all_collection
  void all(Iterable<String> c) { } // @all_iterable
  void all(Object c) { } // @all_object
  void bytes() { read(new ByteArrayInputStream(new byte[0])); }
  void chars() { read(new StringReader("")); }
  void list() { all(new ArrayList<String>()); }
  void set(HashSet<String> s) { all(s); }
  void builder(StringBuilder b) { sequence(b); }
  void sequence(CharSequence c) { } // @sequence_chars
  void sequence(String s) { } // @sequence_string
}
