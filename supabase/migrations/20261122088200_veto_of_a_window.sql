-- An objection may wait on a device for a connection. It names the window that it is for, so that it does not meet a
-- later proposal of the same plan.

drop function public.veto_plan(uuid, text);
-- Objects to the proposal: the plan stays in voting and its hosts decide by hand. Objecting twice counts once.
-- `until` is the end of the window that the caller saw; null stands for whichever is open.
create function public.veto_plan(plan uuid, reason text default '', until timestamptz default null) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  caller uuid := private.require_caller();
  this public.plans := private.plan_of_caller(plan, false);
begin
  if this.status = 'polling' and this.vetoed_by = caller then
    return;
  elsif this.status <> 'polling' or this.veto_until is null or this.veto_until <= now()
    or this.veto_until <> veto_plan.until then
    perform private.refuse('nothing_proposed');
  elsif exists (
    select 1 from public.plan_members as m
    where m.plan_id = veto_plan.plan and m.user_id = caller and m.rsvp = 'declined'
  ) then
    perform private.refuse('not_coming');
  end if;
  update public.plans as p set decides_itself = false, vetoed_by = caller, vetoed_at = now(),
      veto_reason = veto_plan.reason
    where p.id = veto_plan.plan;
  perform private.notify_table(plan, 'plan_vetoed');
end $$;
revoke execute on function public.veto_plan(uuid, text, timestamptz) from public, anon;
grant execute on function public.veto_plan(uuid, text, timestamptz) to authenticated;
