set role editor;
insert into public.articles (title, draft) values ('Ready', false), ('In work', true);
reset role;
