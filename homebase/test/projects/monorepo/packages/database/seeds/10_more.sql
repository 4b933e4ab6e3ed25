insert into public.documents (workspace, title) values ('other', 'Plan');
