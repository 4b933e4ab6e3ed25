-- How a statement asks Homebase something and waits for the answer, as extensions http and plpgsql_check do: by a second
-- connection of the server to itself, because its own transaction shows nothing to others before it ends.

create unlogged table extensions._homebase_exchange (
  id bigint generated always as identity primary key,
  created timestamptz not null default clock_timestamp(),
  kind text not null,
  question jsonb not null,
  taken bool not null default false,
  answer jsonb
);
revoke all on extensions._homebase_exchange from public, postgres, anon, authenticated, service_role, dashboard_user;

-- Code with the superuser's rights is in pg_catalog, and bound when it is created: a project may rename schema extensions.
create function pg_catalog.homebase_exchange_connect(text, text) returns text language c strict as '$libdir/dblink', 'dblink_connect';
create function pg_catalog.homebase_exchange_disconnect(text) returns text language c strict as '$libdir/dblink', 'dblink_disconnect';
create function pg_catalog.homebase_exchange_query(text, text) returns setof record language c strict as '$libdir/dblink', 'dblink_record';

-- The steps: role homebase_http, as which a statement dials in, asks, waits and clears away; Homebase takes and answers.
create function pg_catalog.homebase_exchange_ask(text, jsonb) returns bigint
language sql security definer set search_path = pg_catalog, pg_temp begin atomic
  with asked as (insert into extensions._homebase_exchange (kind, question) values ($1, $2) returning id)
  select asked.id from asked, pg_notify('homebase', 'exchange');
end;
create function pg_catalog.homebase_exchange_answer(bigint, out taken bool, out answer jsonb)
language sql security definer set search_path = pg_catalog, pg_temp begin atomic
  select e.taken, e.answer from extensions._homebase_exchange e where e.id = $1;
end;
create function pg_catalog.homebase_exchange_done(bigint) returns bigint
language sql security definer set search_path = pg_catalog, pg_temp begin atomic
  delete from extensions._homebase_exchange where id = $1 returning id;
end;
create function pg_catalog.homebase_exchange_take(out id bigint, out kind text, out question jsonb) returns setof record
language sql set search_path = pg_catalog, pg_temp begin atomic
  with old as (delete from extensions._homebase_exchange where created < now() - interval '15 minutes')
  update extensions._homebase_exchange e set taken = true where not e.taken returning e.id, e.kind, e.question;
end;
create function pg_catalog.homebase_exchange_give(bigint, jsonb) returns void
language sql set search_path = pg_catalog, pg_temp begin atomic
  update extensions._homebase_exchange set answer = $2 where id = $1;
end;

-- Makes one exchange. Its caller is the superuser, so dblink takes the password from a file beside the server's rules, which
-- only the server's account reads. Its text would show in the traces of whoever loads auto_explain.
create function pg_catalog.homebase_exchange(kind text, question jsonb) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  connection text := 'homebase_exchange_' || pg_backend_pid();
  exchange bigint;
  was_taken bool;
  found_answer jsonb;
  give_up timestamptz := clock_timestamp() + interval '3 seconds';
begin
  -- A value of a connection string has its own escapes.
  perform homebase_exchange_connect(connection, format(
    'host=%s port=%s passfile=''%s'' dbname=''%s'' user=homebase_http application_name=%s',
    coalesce(nullif(split_part(current_setting('unix_socket_directories'), ',', 1), ''), '127.0.0.1'), current_setting('port'),
    regexp_replace(current_setting('hba_file'), '[^/]*$', 'passwords'),
    replace(replace(current_database(), chr(92), chr(92) || chr(92)), chr(39), chr(92) || chr(39)), kind));
  begin
    select id into exchange from homebase_exchange_query(connection, format(
      'select pg_catalog.homebase_exchange_ask(%L, %L)', kind, question)) as asked(id bigint);
    loop
      select taken, answer into was_taken, found_answer from homebase_exchange_query(connection, format(
        'select taken, answer from pg_catalog.homebase_exchange_answer(%s)', exchange)) as row_(taken bool, answer jsonb);
      exit when found_answer is not null;
      if not was_taken and clock_timestamp() > give_up then
        raise exception using errcode = '0A000',
          message = format('%s: no stack serves this database, so nobody answers.', kind),
          hint = 'Start it with: homebase start. While migrations run it does not serve yet.';
      end if;
      perform pg_sleep(0.01);
    end loop;
    perform id from homebase_exchange_query(connection, format(
      'select pg_catalog.homebase_exchange_done(%s)', exchange)) as gone(id bigint);
  exception when query_canceled or others then
    perform homebase_exchange_disconnect(connection);
    raise;
  end;
  perform homebase_exchange_disconnect(connection);
  return found_answer;
end
$$;

revoke all on function pg_catalog.homebase_exchange_connect(text, text), pg_catalog.homebase_exchange_disconnect(text),
  pg_catalog.homebase_exchange_query(text, text), pg_catalog.homebase_exchange_ask(text, jsonb),
  pg_catalog.homebase_exchange_answer(bigint), pg_catalog.homebase_exchange_done(bigint), pg_catalog.homebase_exchange_take(),
  pg_catalog.homebase_exchange_give(bigint, jsonb), pg_catalog.homebase_exchange(text, jsonb) from public;
grant execute on function pg_catalog.homebase_exchange_ask(text, jsonb),
  pg_catalog.homebase_exchange_answer(bigint), pg_catalog.homebase_exchange_done(bigint) to homebase_http;
