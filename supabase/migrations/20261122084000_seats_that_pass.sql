-- A seat can pass to another person with all that hangs on it (votes, reactions, reads, ratings, arrivals, waiting
-- messages): the keys follow the seat. Only functions of the owner change a seat's person.

alter table public.time_votes drop constraint time_votes_plan_id_user_id_fkey;
alter table public.time_votes add constraint time_votes_plan_id_user_id_fkey foreign key (plan_id, user_id)
  references public.plan_members (plan_id, user_id) on update cascade on delete cascade not valid;
alter table public.time_votes validate constraint time_votes_plan_id_user_id_fkey;
alter table public.place_votes drop constraint place_votes_plan_id_user_id_fkey;
alter table public.place_votes add constraint place_votes_plan_id_user_id_fkey foreign key (plan_id, user_id)
  references public.plan_members (plan_id, user_id) on update cascade on delete cascade not valid;
alter table public.place_votes validate constraint place_votes_plan_id_user_id_fkey;
alter table public.reactions drop constraint reactions_plan_id_user_id_fkey;
alter table public.reactions add constraint reactions_plan_id_user_id_fkey foreign key (plan_id, user_id)
  references public.plan_members (plan_id, user_id) on update cascade on delete cascade not valid;
alter table public.reactions validate constraint reactions_plan_id_user_id_fkey;
alter table public.message_reads drop constraint message_reads_plan_id_user_id_fkey;
alter table public.message_reads add constraint message_reads_plan_id_user_id_fkey foreign key (plan_id, user_id)
  references public.plan_members (plan_id, user_id) on update cascade on delete cascade not valid;
alter table public.message_reads validate constraint message_reads_plan_id_user_id_fkey;
alter table public.ratings drop constraint ratings_plan_id_user_id_fkey;
alter table public.ratings add constraint ratings_plan_id_user_id_fkey foreign key (plan_id, user_id)
  references public.plan_members (plan_id, user_id) on update cascade on delete cascade not valid;
alter table public.ratings validate constraint ratings_plan_id_user_id_fkey;
alter table public.arrivals drop constraint arrivals_plan_id_user_id_fkey;
alter table public.arrivals add constraint arrivals_plan_id_user_id_fkey foreign key (plan_id, user_id)
  references public.plan_members (plan_id, user_id) on update cascade on delete cascade not valid;
alter table public.arrivals validate constraint arrivals_plan_id_user_id_fkey;
alter table private.outgoing_push drop constraint outgoing_push_plan_id_user_id_fkey;
alter table private.outgoing_push add constraint outgoing_push_plan_id_user_id_fkey foreign key (plan_id, user_id)
  references public.plan_members (plan_id, user_id) on update cascade on delete cascade not valid;
alter table private.outgoing_push validate constraint outgoing_push_plan_id_user_id_fkey;

-- As before, and also where a seat passes: who had it must not hear what is said afterwards.
create or replace function private.close_plan_channel() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  this public.plan_channels;
begin
  select * into this from public.plan_channels as c
    where c.plan_id = old.plan_id and exists (select 1 from public.plans as p where p.id = c.plan_id)
    for no key update;
  if found then
    update public.plan_channels as c
      set epoch = c.epoch + 1, revision = this.revision + 1, changed_in = pg_current_xact_id()
      where c.plan_id = old.plan_id;
    perform realtime.send(
      jsonb_build_object('table', 'plan_members', 'operation', 'DELETE', 'revision', this.revision + 1),
      'plan_members', private.plan_topic(old.plan_id, this.epoch), true);
  end if;
  return coalesce(new, old);
end $$;

create trigger close_channel_of_passed before update of user_id on public.plan_members
  for each row when (new.user_id is distinct from old.user_id)
  execute function private.close_plan_channel();

-- Files belong to the person who owns them: the one in the path, or the account that took that guest over. The service
-- writes the owner from the token of the upload, and no policy lets people change it.
alter policy "plan photos are removed by author or host" on storage.objects using (
  bucket_id = 'plan-photos'
  and (
    (storage.foldername(name))[2] = (select private.caller())::text
    or owner_id = (select private.caller())::text
    or private.uuid_or_null((storage.foldername(name))[1]) = any (array(select private.my_hosted_plan_ids()))
  )
);
alter policy "avatars are listed by their person" on storage.objects using (
  bucket_id = 'avatars'
  and ((storage.foldername(name))[1] = (select private.caller())::text or owner_id = (select private.caller())::text)
);
alter policy "avatars are removed by their person" on storage.objects using (
  bucket_id = 'avatars'
  and ((storage.foldername(name))[1] = (select private.caller())::text or owner_id = (select private.caller())::text)
);
