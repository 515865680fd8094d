/* Prints an index store of the Swift compiler as lines of tab-separated fields, for swift_oracle.py.
 *
 * `F path` begins a file; `O line column roles kind subkind properties usr name` is an occurrence in it,
 * and each `R roles kind usr name` behind that a relation of it. Lines and columns are the compiler's: from 1, in
 * bytes. */
#include <indexstore/indexstore.h>
#include <stdio.h>
#include <string.h>

static indexstore_t store;

static void text(const char *data, size_t length) { printf("\t%.*s", (int)length, data); }

static bool relation(void *context, indexstore_symbol_relation_t related) {
  (void)context;
  indexstore_symbol_t symbol = indexstore_symbol_relation_get_symbol(related);
  indexstore_string_ref_t usr = indexstore_symbol_get_usr(symbol);
  indexstore_string_ref_t name = indexstore_symbol_get_name(symbol);
  printf("R\t%llu\t%d", (unsigned long long)indexstore_symbol_relation_get_roles(related),
         (int)indexstore_symbol_get_kind(symbol));
  text(usr.data, usr.length);
  text(name.data, name.length);
  putchar('\n');
  return true;
}

static bool occurrence(void *context, indexstore_occurrence_t seen) {
  (void)context;
  indexstore_symbol_t symbol = indexstore_occurrence_get_symbol(seen);
  indexstore_string_ref_t usr = indexstore_symbol_get_usr(symbol);
  indexstore_string_ref_t name = indexstore_symbol_get_name(symbol);
  unsigned line, column;
  indexstore_occurrence_get_line_col(seen, &line, &column);
  printf("O\t%u\t%u\t%llu\t%d\t%d\t%llu", line, column,
         (unsigned long long)indexstore_occurrence_get_roles(seen),
         (int)indexstore_symbol_get_kind(symbol), (int)indexstore_symbol_get_subkind(symbol),
         (unsigned long long)indexstore_symbol_get_properties(symbol));
  text(usr.data, usr.length);
  text(name.data, name.length);
  putchar('\n');
  indexstore_occurrence_relations_apply_f(seen, NULL, relation);
  return true;
}

static bool dependency(void *context, indexstore_unit_dependency_t on) {
  if (indexstore_unit_dependency_get_kind(on) == INDEXSTORE_UNIT_DEPENDENCY_RECORD &&
      !indexstore_unit_dependency_is_system(on)) {
    indexstore_string_ref_t path = indexstore_unit_dependency_get_filepath(on);
    indexstore_string_ref_t name = indexstore_unit_dependency_get_name(on);
    char record[4096];
    snprintf(record, sizeof record, "%.*s", (int)name.length, name.data);
    indexstore_error_t error = NULL;
    indexstore_record_reader_t reader = indexstore_record_reader_create(store, record, &error);
    if (reader) {
      printf("F");
      text(path.data, path.length);
      putchar('\n');
      indexstore_record_reader_occurrences_apply_f(reader, NULL, occurrence);
      indexstore_record_reader_dispose(reader);
    }
  }
  (void)context;
  return true;
}

static bool unit(void *context, indexstore_string_ref_t name) {
  char text_of[4096];
  snprintf(text_of, sizeof text_of, "%.*s", (int)name.length, name.data);
  indexstore_error_t error = NULL;
  indexstore_unit_reader_t reader = indexstore_unit_reader_create(store, text_of, &error);
  (void)context;
  if (reader) {
    if (!indexstore_unit_reader_is_system_unit(reader))
      indexstore_unit_reader_dependencies_apply_f(reader, NULL, dependency);
    indexstore_unit_reader_dispose(reader);
  }
  return true;
}

int main(int count, char **arguments) {
  indexstore_error_t error = NULL;
  if (count != 2) return 2;
  store = indexstore_store_create(arguments[1], &error);
  if (!store) {
    fprintf(stderr, "%s\n", indexstore_error_get_description(error));
    return 1;
  }
  return !indexstore_store_units_apply_f(store, 1, NULL, unit);
}
