"""Methods of Ruby's own classes: that they are asked of an object says nothing of its class."""

from __future__ import annotations

from typing import Final

# of objects, texts, numbers, containers, functions, errors, files and times
CORE: Final = frozenset(
    """
    __id__ __send__ abs abs2 advise all? allbits? angle any? anybits? append arg arity
    ascii_only? asctime assoc at atime autoclose autoclose? b backtrace backtrace_locations
    begin between? binding binmode binmode? birthtime bit_length bsearch bsearch_index bytes
    bytesize byteslice call capitalize capitalize! captures casecmp casecmp? casefold? cause
    ceil center chain chars chmod chomp chomp! chop chop! chown chr chunk chunk_while clamp
    class clear clone close close_on_exec close_on_exec? close_read close_write closed?
    codepoints coerce collect collect! collect_concat combination compact compact!
    compare_by_identity compare_by_identity? concat conj conjugate count cover? crypt ctime
    curry cycle day deconstruct deconstruct_keys default default_proc define_singleton_method
    delete delete! delete_at delete_if delete_prefix delete_prefix! delete_suffix
    delete_suffix! denominator detect difference dig digits display div divmod downcase
    downcase! downto drop drop_while dst? dump dup each each_byte each_char each_codepoint
    each_cons each_entry each_grapheme_cluster each_index each_key each_line each_pair
    each_slice each_value each_with_index each_with_object empty? encode encode! encoding end
    end_with? entries enum_for eof eof? eql? equal? even? except exception exclude_end? extend
    external_encoding fcntl fdatasync fdiv feed fetch fetch_values fileno fill filter filter!
    filter_map find find_all find_index finite? first fixed_encoding? flat_map flatten
    flatten! flock floor flush force_encoding freeze friday? frozen? fsync full_message gcd
    gcdlcm getbyte getc getgm getlocal gets getutc gmt? gmt_offset gmtime gmtoff
    grapheme_clusters grep grep_v group_by gsub gsub! has_key? has_value? hash hex hour i
    id2name imag imaginary include? index infinite? inject insert inspect instance_eval
    instance_exec instance_of? instance_variable_defined? instance_variable_get
    instance_variable_set instance_variables integer? intern internal_encoding intersect?
    intersection invert ioctl is_a? isatty isdst itself join keep_if key key? keys kind_of?
    lambda? last lazy lcm length lineno lines ljust localtime lstat lstrip lstrip! magnitude
    map map! match match? match_length max max_by mday member? merge merge! message method
    methods min min_by minmax minmax_by modulo mon monday? month mtime name named_captures
    names nan? negative? next next! next_float next_values nil? nobits? none? nonzero? nsec
    numerator object_id oct odd? offset one? options ord pack parameters partition path peek
    peek_values permutation phase pid polar pop pos positive? post_match pow pre_match pread
    pred prepend prev_float print printf private_methods product protected_methods
    public_method public_methods public_send push putc puts pwrite quo rassoc rationalize read
    read_nonblock readbyte readchar readline readlines readpartial real real? rect rectangular
    reduce regexp rehash reject reject! remainder remove_instance_variable reopen
    repeated_combination repeated_permutation replace respond_to? reverse reverse!
    reverse_each rewind rindex rjust rotate rotate! round rpartition rstrip rstrip!
    ruby2_keywords sample saturday? scan scrub scrub! sec seek select select! send
    set_backtrace set_encoding set_encoding_by_bom setbyte shift shuffle shuffle!
    singleton_class singleton_method singleton_method_added singleton_methods size slice
    slice! slice_after slice_before slice_when sort sort! sort_by sort_by! source
    source_location split squeeze squeeze! start_with? stat step store strftime string strip
    strip! sub sub! subsec succ succ! sum sunday? swapcase swapcase! sync sysread sysseek
    syswrite taint tainted? take take_while tally tap tell then thursday? times to_a to_ary
    to_c to_enum to_f to_h to_hash to_i to_int to_io to_path to_proc to_r to_s to_str to_sym
    tr tr! tr_s tr_s! transform_keys transform_keys! transform_values transform_values!
    transpose truncate trust tty? tuesday? tv_nsec tv_sec tv_usec undump ungetbyte ungetc
    unicode_normalize unicode_normalize! unicode_normalized? union uniq uniq! unpack unpack1
    unshift untaint untrust untrusted? upcase upcase! update upto usec utc utc? utc_offset
    valid_encoding? value? values values_at wday wednesday? with_index with_object write
    write_nonblock yday year yield yield_self zero? zip zone [] []= + - * / % << <=>
    """.split()  # noqa: SIM905 a list of words reads better
)
