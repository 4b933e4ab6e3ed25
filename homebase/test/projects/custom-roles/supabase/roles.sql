create role editor nologin noinherit;
create role auditor nologin;
grant editor to authenticator;
grant auditor to authenticator;
grant authenticated to editor;
create role reporting_app login password 'reporting' connection limit 5;
alter role editor set statement_timeout = '20s';
