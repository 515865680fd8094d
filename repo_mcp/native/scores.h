/* Scores of a few chunks by the frequencies of a query's terms in their fields and paths, for a
   ranking whose weights the caller gives. `repo_mcp.search.ranked.chunk_scores` is the model: the
   same steps in the same order, so that the numbers are the same. */

#include "server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum Field { BODY, SYMBOL, NAME, PATH, FIELDS };

typedef struct {
    enum Field fields[FIELDS]; /* in the order in which they are summed */
    const double *counts[FIELDS]; /* by chunk */
    size_t count;
} Fields;

typedef struct {
    double weight, idf, class_idf; /* the last is 0 where the word has no other forms */
    int is_name;
    PyObject *text, *stem; /* as paths may have them; what is asked holds them */
    Fields exact, every;
    const double *path, *stem_path; /* by file */
} Term;

typedef struct {
    double k1, share, symbol, inside, declares, declared;
} Weights;

typedef struct {
    Term *terms;
    size_t term_count;
    const double *norms;
    size_t count; /* of chunks */
    Weights weights;
} Counts;

static inline double
saturate(const Counts *counts, double weight, double idf)
{
    return weight * idf / (weight + counts->weights.k1);
}

static inline double
score_sums(const Counts *counts, const Term *term, double exact, double every)
{
    double share = counts->weights.share;
    if (term->class_idf == 0.0)
        return term->weight * saturate(counts, exact, term->idf);
    return term->weight * ((1 - share) * saturate(counts, exact, term->idf) +
                           share * saturate(counts, every, term->class_idf));
}

static inline double
round_score(double score)
{
    return rint(score * 1e9) / 1e9;
}

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* What is known of the files that are ranked. */
typedef struct {
    PyObject *signs;   /* a list: by file, a tuple of what its path has */
    size_t count;
    double *columns;   /* of the terms' paths */
    double name, folder; /* weights */
} Paths;

/* paths.c: weighs the terms in the paths of files: `path` and `stem_path` of the terms. The caller
   frees the columns in any case. */
int weigh_paths(Paths *paths, const Counts *counts);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
