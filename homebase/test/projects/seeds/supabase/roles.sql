-- Also as an earlier database of the same server has left them.
create role "seed_reader" with nologin;
create role seed_writer login password 'it''s; secret' noinherit;
alter role "anon" set "statement_timeout" to '3s';
grant seed_reader to postgres;
grant "seed_reader" to "authenticator";
reset all;
