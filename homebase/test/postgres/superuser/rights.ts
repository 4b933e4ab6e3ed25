/**
 * Owns the list of every function that a superuser owns and that may run with a superuser's rights: definers, event
 * triggers, what is in pg_catalog, and what a script or the stack calls as the superuser. All others of its functions run
 * with their caller's rights. walk.integration.test.ts compares the list with pg_proc.
 */

export interface Right {
  /** Of the functions, as schema.name; extensions that may be in any schema are written as `*`. */
  readonly name: RegExp;
  readonly why: string;
  /** Statements of role postgres that lead to them, beside a plain call. */
  readonly calls: readonly string[];
}

const right = (name: RegExp, why: string, ...calls: string[]): Right => ({ name, why, calls });

export const RIGHTS: readonly Right[] = [
  right(
    /^extensions\.create_event_trigger$/,
    "hosted lets postgres make event triggers: of a function that no superuser owns",
    `create function hostile.on_ddl() returns event_trigger language plpgsql as $$ begin perform probes.probe('event trigger'); end $$;
     select extensions.create_event_trigger('t', 'ddl_command_end', array['CREATE TABLE'], 'hostile.on_ddl()'::regprocedure);
     select extensions.create_event_trigger('u', 'ddl_command_start', null, 'hostile.on_ddl()'::regprocedure);
     create table hostile.made (); alter extension citext update; drop extension vector cascade; create extension vector schema hostile`,
  ),
  right(
    /^extensions\.(create_publication|alter_publication_schemas)$/,
    "hosted lets postgres publish all tables and the tables of schemas",
    `select extensions.create_publication('p', array['hostile'], array['publish', 'insert']);
     select extensions.alter_publication_schemas('p', 'add', array['public']);
     select extensions.create_publication('all', null, '{}')`,
  ),
  right(
    /^pg_catalog\.homebase_create_wrapper$/,
    "hosted lets postgres make foreign data wrappers; the validator is called before it, as the caller",
    `create function hostile.validator(pg_catalog.text[], pg_catalog.oid) returns void language plpgsql as $$ begin perform probes.probe('validator'); end $$;
     select extensions.create_foreign_data_wrapper('w', null, 'hostile.validator'::regproc, array['a', 'b']);
     create server s foreign data wrapper w options (c 'd')`,
    `create function hostile.validator(pg_catalog.text[], pg_catalog.oid) returns void language plpgsql as $$ begin perform probes.probe('validator'); end $$;
     select pg_catalog.homebase_create_wrapper('w', 'hostile.validator'::regproc, 'hostile.validator'::regproc, array['a', 'b'])`,
  ),
  right(
    /^pg_catalog\.homebase_folder$/,
    "the folder in the index of objects by age; runs with its caller's rights",
    "select pg_catalog.homebase_folder('a/b')",
  ),
  right(
    /^extensions\.comment_on_extension$/,
    "hosted lets postgres comment on extensions",
    "select extensions.comment_on_extension('citext', 'x')",
  ),
  right(
    /^extensions\.set_custom_parameter$/,
    "projects of earlier times set parameters of their own on databases and roles",
    "select extensions.set_custom_parameter('app.x', 'y', null), extensions.set_custom_parameter('app.x', 'y', 'anon'::regrole, true)",
  ),
  right(
    /^pg_catalog\.homebase_move_extension$/,
    "hosted lets an extension's owner move it though a superuser owns its objects",
    "select pg_catalog.homebase_move_extension('citext', 'public')",
  ),
  right(
    /^pg_catalog\.homebase_(give_to_postgres|option_list|own_schema|close|close_dblink|close_references|implicit_casts|refuse_keys|validator_of)$/,
    "steps of the functions above and of extensions' scripts; executable by superusers alone",
  ),
  right(
    /^extensions\.(read_scripts_as_written|share_foreign_data_wrappers|refuse_casts_of_keys)$/,
    "event triggers around an extension's script, whose literals are read as written and whose wrappers get rights, and after a cast",
    "drop extension citext cascade; create extension citext schema hostile; create cast (hostile.citext as xml) with inout as implicit",
  ),
  right(
    /^extensions\.(refuse_service_ddl|refuse_service_drop|refuse_keys_with_casts|pgrst_ddl_watch|pgrst_drop_watch)$/,
    "event triggers that also fire inside an extension's script, which runs as the superuser",
    "create table hostile.seen (id int); drop table hostile.seen; create index on auth.users (email)",
  ),
  right(
    /^extensions\.(grant_pg_cron_access|grant_pg_net_access|grant_pg_graphql_access|set_graphql_placeholder)$/,
    "hosted's event triggers after an extension is created or dropped",
    "drop extension pg_graphql; create extension pg_graphql; drop extension pg_cron; create extension pg_cron",
  ),
  right(
    /^vault\.(create_secret|update_secret|_crypto_aead_det_decrypt)$/,
    "they read the key of the server, which no role may",
    `select vault.create_secret('x', 'y', 'z'); select vault.update_secret(id, 'w') from vault.secrets;
     select decrypted_secret from vault.decrypted_secrets`,
    `drop extension if exists pgcrypto cascade;
     create function hostile.gen_random_bytes(int) returns bytea language plpgsql as $$ begin perform probes.probe('pgcrypto'); return ''; end $$;
     create function extensions.gen_random_bytes(int) returns bytea language plpgsql as $$ begin perform probes.probe('pgcrypto'); return ''; end $$;
     select vault.create_secret('x')`,
  ),
  right(
    /^cron\._tell_scheduler$/,
    "a trigger on the jobs, which tells Homebase",
    "set local search_path = public; select cron.schedule('a', '1 * * * *', 'select 1'), cron.unschedule('a')",
  ),
  right(
    /^cron\._job_exists$/,
    "finds a job whoever asks",
    "set local search_path = public; select cron.unschedule(1)",
  ),
  right(/^pg_catalog\.homebase_cron_\w+$/, "what Homebase calls for its runner, bound to pg_cron's tables"),
  right(
    /^net\.wake$/,
    "tells Homebase of requests",
    "set local search_path = public; select net.http_get('http://127.0.0.1:1/')",
  ),
  right(
    /^\*\.http$/,
    "waits for an answer that Homebase writes into a table of nobody's",
    "select hostile.http(('GET', 'https://api.database.dev/rest/v1/package_versions?package_name=eq.supabase-dbdev', array[('a', 'b')::hostile.http_header], null, null)::hostile.http_request)",
  ),
  right(
    /^pg_catalog\.homebase_exchange_(ask|answer|done)$/,
    "the table's rows for role homebase_http, as which a statement dials in; executable by it alone",
  ),
  right(
    /^pg_catalog\.homebase_(http_request|exchange(_(take|give|connect|disconnect|query))?)$/,
    "called by what asks Homebase, and by Homebase; executable by superusers alone",
  ),
  right(
    /^pg_catalog\.homebase_check_function$/,
    "asks Homebase to check a function as role postgres, for who may become it",
    "select hostile.plpgsql_check_function('probes.probe(text)')",
  ),
  right(/^\*\.dblink_connect_u$/, "contrib's own; executable by superusers alone"),
  right(
    /^pgtle\._add_members$/,
    "an event trigger that also fires inside scripts, where it does nothing",
    `select pgtle.install_extension('walked', '1', '', 'create table walked (id int); create function walked() returns int language sql as ''select 1''');
     select pgtle.create_extension('walked', schema => 'hostile');
     select pgtle.install_update_path('walked', '1', '2', 'create view walks as select 1 as one'), pgtle.update_extension('walked', '2');
     drop extension walked`,
    `select set_config('homebase.tle', 'walked', true); drop extension citext cascade; create extension citext`,
  ),
  right(
    /^pg_catalog\.homebase_tle_(create|update)$/,
    "the row of an extension of pg_tle in the catalogue, owned by the caller",
    "select pg_catalog.homebase_tle_create('citext', '1', 'hostile', '{}')",
    "select pg_catalog.homebase_tle_update('citext', '1')",
  ),
  right(
    /^pgsodium\.(create_key|get_key_by_id|get_key_by_name|get_named_keys)$/,
    "pgsodium's own: a role may use a key that it may not read",
    "select pgsodium.create_key(name => 'k'), pgsodium.get_key_by_name('k')",
  ),
  right(
    /^(graphql\.increment_schema_version|\*\.pgaudit_\w+|pgsodium\.trg_mask_update)$/,
    "event triggers' functions of extensions without their library: they raise",
  ),
  right(
    /^\*\.(array_to_)?(vector|halfvec|sparsevec)(_\w+)?$/,
    "vector: a value's bytes are read by functions that nobody else may call",
    "select '[1,2]'::hostile.vector::text, '[1,2]'::hostile.halfvec::hostile.sparsevec, array[1,2]::hostile.vector",
    "select hostile.avg(v), hostile.sum(v) from (values ('[1,2]'::hostile.vector), ('[3,4]')) x(v)",
  ),
  right(
    /^\*\.(binary_quantize|cosine_distance|inner_product|l1_distance|l2_distance|l2_norm|l2_normalize|subvector)$/,
    "vector: the same, for its measures",
    "select hostile.cosine_distance('[1,2]'::hostile.vector, '[2,3]'), hostile.l2_normalize('{1:2}/3'::hostile.sparsevec)",
  ),
  right(
    /^pg_catalog\.homebase_(?!create_wrapper|folder|move_extension|give_to_postgres|option_list|own_schema|close|close_dblink|close_references|implicit_casts|refuse_keys|validator_of|cron_|http_|exchange|check_function|tle_|geo_|geometry_|geography_)\w+$/,
    "vector: what reads and makes bytes; executable by superusers alone",
  ),
  right(
    /^pg_catalog\.homebase_(geo|geometry|geography)_\w+$/,
    "PostGIS: steps of its functions, with their caller's rights; in pg_catalog, where they are no part of a project's schema",
    "select hostile.st_astext(hostile.st_centroid('POLYGON((0 0,1 0,1 1,0 0))'::hostile.geometry)), hostile.st_distance('POINT(1 2)'::hostile.geography, 'LINESTRING(1 3,2 4)'::hostile.geography)",
  ),
];
