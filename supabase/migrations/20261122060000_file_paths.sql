-- A row points to a file of its own person only: a profile could wear somebody else's picture, and paths could climb.

update public.profiles set avatar_path = null
  where avatar_path !~ '^[0-9a-f-]{36}/[A-Za-z0-9._-]+$' or avatar_path ~ '\.\.' or split_part(avatar_path, '/', 1) <> id::text;
alter table public.profiles add constraint avatar_is_ones_own check (
  avatar_path ~ '^[0-9a-f-]{36}/[A-Za-z0-9._-]+$' and avatar_path !~ '\.\.' and split_part(avatar_path, '/', 1) = id::text) not valid;
alter table public.profiles validate constraint avatar_is_ones_own;

-- What was added before stays as it is.
alter table public.photos add constraint path_is_plain check (
  path ~ '^[0-9a-f-]{36}/[0-9a-f-]{36}/[A-Za-z0-9._-]+$' and path !~ '\.\.') not valid;
