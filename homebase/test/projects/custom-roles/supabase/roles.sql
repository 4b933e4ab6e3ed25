create role editor nologin noinherit;
create role changes_auditor nologin;
grant editor to authenticator;
grant changes_auditor to authenticator;
grant authenticated to editor;
create role reporting_app login password 'reporting' connection limit 5;
alter role editor set statement_timeout = '20s';
