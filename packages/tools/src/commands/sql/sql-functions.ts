/**
 * Owns what is known of functions in SQL: which only compute or look, which change something, which reach out of the database. The stance
 * on all others: a function that nobody knows may write, so a statement that calls one is a write. Names in lower case.
 */
import type { Effect } from '@adjutant/core/contract'

/** Built into PostgreSQL or SQLite, and none of them changes anything. One list for both: a name that only one has fails in the other. */
const READS: ReadonlySet<string> = new Set(
  `abs acos acosh age any_value array array_agg array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position
  array_positions array_prepend array_remove array_replace array_reverse array_sample array_shuffle array_sort array_to_json array_to_string
  array_to_tsvector array_upper ascii asin asind asinh atan atan2 atan2d atand atanh avg bit_and bit_count bit_length bit_or bit_xor bool_and bool_or
  box broadcast btrim bound_box cardinality casefold cbrt ceil ceiling center changes char char_length character_length chr circle clock_timestamp coalesce
  col_description concat concat_ws convert convert_from convert_to corr cos cosd cosh cot cotd count covar_pop covar_samp crc32 crc32c cume_dist
  current_catalog current_database current_date current_query current_role current_schema current_schemas current_setting current_time
  current_timestamp current_user currval date date_add date_bin date_part date_subtract date_trunc datetime decode degrees dense_rank diagonal diameter div
  encode enum_first enum_last enum_range erf erfc every exp extract factorial family first_value floor format format_type gamma
  gcd gen_random_uuid generate_series generate_subscripts get_bit get_byte get_current_ts_config glob greatest group_concat grouping hash_numeric height hex
  host hostmask icu_unicode_version ifnull iif inet_client_addr inet_client_port inet_merge inet_same_family inet_server_addr inet_server_port
  initcap instr isclosed isempty isfinite isopen is_normalized json json_agg json_array json_array_elements json_array_elements_text json_array_insert json_array_length json_build_array json_build_object
  json_each json_each_text json_error_position json_extract json_extract_path json_extract_path_text json_group_array json_group_object json_insert json_object
  json_object_agg json_object_agg_strict json_object_agg_unique json_object_keys json_patch json_populate_record json_populate_recordset json_pretty json_quote json_remove json_replace
  json_scalar json_serialize json_set json_strip_nulls json_to_record json_to_recordset json_to_tsvector json_tree json_type json_typeof json_valid json_value json_query json_exists jsonb jsonb_agg
  jsonb_agg_strict jsonb_array jsonb_array_elements jsonb_array_elements_text jsonb_array_insert jsonb_array_length jsonb_build_array jsonb_build_object jsonb_concat jsonb_delete jsonb_each
  jsonb_each_text jsonb_exists jsonb_extract jsonb_extract_path jsonb_extract_path_text jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_object_agg
  jsonb_object_keys jsonb_patch jsonb_path_exists jsonb_path_match jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_populate_record
  jsonb_populate_recordset jsonb_pretty jsonb_remove jsonb_replace jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset
  jsonb_to_tsvector jsonb_typeof julianday justify_days justify_hours justify_interval lag last_insert_rowid last_value lastval lcm lead least left length
  lgamma like likelihood likely line localtime localtimestamp ln log log10 log2 lower lower_inc lower_inf lpad lseg ltrim macaddr8_set7bit make_date make_interval
  make_time make_timestamp make_timestamptz masklen matchinfo max md5 merge_action min min_scale mod mode multirange netmask network normalize now npoints nth_value ntile
  nullif num_nonnulls num_nulls numnode numrange int4range int8range daterange tsrange tstzrange obj_description octet_length overlay parse_ident path pclose percent_rank percentile_cont percentile_disc
  phraseto_tsquery pi plainto_tsquery point polygon popen position power pow printf querytree quote quote_ident quote_literal quote_nullable radians radius
  random random_normal randomblob range_agg range_intersect_agg range_merge rank regexp_count regexp_instr regexp_like regexp_match regexp_matches
  regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx
  regr_sxy regr_syy repeat replace reverse right round row row_number row_to_json rpad rtrim scale session_user set_bit set_byte set_masklen
  setweight sha224 sha256 sha384 sha512 shobj_description sign similar_to_escape sin sind sinh slope snippet soundex split_part sqlite_compileoption_get sqlite_compileoption_used
  sqlite_offset sqlite_source_id sqlite_version sqrt starts_with statement_timestamp stddev stddev_pop stddev_samp strftime string_agg string_to_array string_to_table
  strip strpos subtype substr substring sum system_user tan tand tanh text timediff time timeofday timestamp timezone to_ascii to_bin to_char to_date to_hex to_json to_jsonb to_number to_oct
  to_timestamp to_tsquery to_tsvector total total_changes transaction_timestamp translate trim trim_array trim_scale trunc ts_debug ts_delete ts_filter ts_headline ts_lexize
  ts_parse ts_rank ts_rank_cd ts_token_type tsvector_to_array tsquery_phrase txid_current_if_assigned typeof unhex unicode unicode_assigned unicode_version unistr unistr_quote unixepoch unlikely unnest upper upper_inc upper_inf user uuid_extract_timestamp
  uuid_extract_version uuidv4 uuidv7 var_pop var_samp variance version websearch_to_tsquery width width_bucket xml_is_well_formed xmlagg xmlcomment xmlconcat xmlelement xmlexists
  xmlforest xmltext xpath xpath_exists zeroblob bm25 highlight rtreecheck uuid_generate_v4 similarity word_similarity strict_word_similarity unaccent levenshtein metaphone dmetaphone digest hmac`.split(
    /\s+/,
  ),
)

/** Of the catalogue of PostgreSQL: they describe. */
const DESCRIBES =
  /^(?:pg_get_(?!backend_memory_contexts|wal_|loaded_modules|process_memory)\w+|pg_stat_get_\w+|pg_\w+_size|pg_size_(?:pretty|bytes)|pg_\w+_is_visible|has_\w+_privilege|pg_has_role|to_reg\w+|pg_typeof|pg_column_compression|pg_collation_for|pg_backend_pid|pg_blocking_pids|pg_is_in_recovery|pg_is_in_backup|pg_postmaster_start_time|pg_conf_load_time|pg_my_temp_schema|pg_encoding_to_char|pg_char_to_encoding|pg_describe_object|pg_identify_object|pg_input_is_valid|pg_input_error_info|pg_options_to_table|pg_tablespace_location|pg_tablespace_databases|pg_relation_filenode|pg_partition_tree|pg_partition_ancestors|pg_partition_root|pg_index_column_has_property|pg_index_has_property|pg_indexam_has_property|pg_timezone_names|pg_timezone_abbrevs\w*|pg_lock_status|pg_show_all_settings|pg_settings_get_flags|pg_current_wal_\w+|pg_wal_lsn_diff|pg_last_\w+|pg_xact_status|pg_snapshot_\w+|pg_current_snapshot|pg_visible_in_snapshot|pg_safe_snapshot_blocking_pids|pg_sequence_parameters|pg_sequence_last_value|pg_jit_available|pg_client_encoding|pg_basetype)$/

interface Known {
  readonly pattern: RegExp
  readonly effect: 'write' | 'dangerous'
  readonly reason: string
}

/** In order; the first that fits. */
const CHANGES: readonly Known[] = [
  { pattern: /^(?:nextval|setval)$/, effect: 'write', reason: 'advances a sequence' },
  { pattern: /^set_config$/, effect: 'write', reason: 'changes a setting' },
  { pattern: /^pg_(?:try_)?advisory_\w+$/, effect: 'write', reason: 'takes or frees a lock' },
  { pattern: /^(?:pg_notify|pg_logical_emit_message)$/, effect: 'write', reason: 'sends a message' },
  { pattern: /^(?:pg_sleep\w*|sleep|benchmark|dbms_lock\.sleep|waitfor)$/, effect: 'write', reason: 'keeps the database busy' },
  { pattern: /^(?:txid_current|pg_current_xact_id)$/, effect: 'write', reason: 'takes a transaction number' },
  {
    pattern:
      /^(?:pg_read_\w+|pg_ls_\w+|pg_stat_file|pg_current_logfile|pg_hba_file_rules|pg_ident_file_mappings|pg_show_all_file_settings|lo_import|load_file|readfile|fsdir|lsdir|bfilename|utl_file\w*|openrowset|opendatasource|xmlparse_file)$/,
    effect: 'dangerous',
    reason: 'reads files of the server',
  },
  { pattern: /^(?:pg_file_\w+|lo_export|writefile|edit|pg_logdir_ls)$/, effect: 'dangerous', reason: 'writes files of the server' },
  { pattern: /^lo(?:_\w+|read|write)$/, effect: 'dangerous', reason: 'changes large objects' },
  { pattern: /^(?:dblink\w*|postgres_fdw\w*|http_\w+|utl_http\w*|net_http\w*)$/, effect: 'dangerous', reason: 'reaches another server' },
  {
    pattern:
      /^(?:query_to_xml\w*|cursor_to_xml\w*|ts_stat|ts_rewrite|crosstab\w*|xpath_table|connectby|eval|exec|execute\w*|sp_executesql|connection_exec)$/,
    effect: 'dangerous',
    reason: 'runs a statement given as text',
  },
  { pattern: /^(?:pg_terminate_backend|pg_cancel_backend)$/, effect: 'dangerous', reason: 'ends the work of others' },
  {
    pattern: /^(?:load_extension|fts3_tokenizer|xp_\w+|sys_exec|sys_eval|sp_oa\w+)$/,
    effect: 'dangerous',
    reason: 'runs code outside of the database',
  },
]

/** What is left of the server's own functions, asked last. */
const ADMINISTERS = /^(?:pg|binary_upgrade)_\w+$/

export interface FunctionVerdict {
  readonly effect: Effect
  readonly reason: string
}

const READ: FunctionVerdict = { effect: 'read', reason: '' }

/**
 * @param name without its schema
 * @param schema lower case; undefined when the call names none
 * @param vouched asked last, of what nothing is known of
 */
export function judgeFunction(
  name: string,
  schema?: string,
  vouched?: (name: string, schema: string | undefined) => boolean,
): FunctionVerdict {
  const lower = name.toLowerCase()
  const shown = lower.slice(0, 60)
  for (const { pattern, effect, reason } of CHANGES) if (pattern.test(lower)) return { effect, reason: `${shown}() ${reason}` }
  const builtIn = schema === undefined || schema === 'pg_catalog'
  if (builtIn && (READS.has(lower) || DESCRIBES.test(lower))) return READ
  if (ADMINISTERS.test(lower)) return { effect: 'dangerous', reason: `${shown}() administers the server` }
  if (vouched?.(lower, schema) === true) return READ
  return { effect: 'write', reason: `${shown}() is not known to only read` }
}
