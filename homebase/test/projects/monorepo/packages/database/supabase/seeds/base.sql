insert into public.documents (workspace, title) values ('acme', 'Handbook');
