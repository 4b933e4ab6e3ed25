create type mood as enum ('happy', 'sad');
create function public.touch() returns trigger language plpgsql as $$ begin new.updated_at := now(); return new; end $$;
