-- Who may call what: every function of `public`, eight kinds of people. Each cell is `ok`, or the code of the refusal
-- (`denied` where the right to call it is missing; functions that run with the caller's rights answer half a session with
-- no rows). What a call does is undone.
begin;
create extension if not exists pgtap with schema extensions;

-- Host, Cohost, Member, Guest (anonymous), Ex-member (removed by the host), Stranger. Half is the host of a plan of the
-- same kind, with a second factor that the session has not passed.
insert into auth.users (id, email, is_anonymous, raw_user_meta_data, aud, role)
select ('10000000-0000-4000-8000-00000000000' || at)::uuid, case when name <> 'guest' then name || '@roles.test' end,
  name = 'guest', jsonb_build_object('display_name', name), 'authenticated', 'authenticated'
from unnest(array['host', 'cohost', 'member', 'guest', 'ex', 'stranger', 'half']) with ordinality as person (name, at);
insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
  values (gen_random_uuid(), '10000000-0000-4000-8000-000000000007', 'totp', 'verified', now(), now());

insert into public.circles (id, name) values ('20000000-0000-4000-8000-000000000001', 'Circle');
insert into public.circle_members (circle_id, user_id, role) values
  ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'owner'),
  ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000002', 'admin'),
  ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', 'member'),
  ('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000007', 'admin');
insert into public.places (id, name, latitude, longitude, price, time_zone, created_by, everybody) values
  ('30000000-0000-4000-8000-000000000001', 'Kitchen', 38.7, -9.1, 2, 'UTC', '10000000-0000-4000-8000-000000000001', false),
  ('30000000-0000-4000-8000-000000000002', 'Other', 38.7, -9.1, 2, 'UTC', null, true);
insert into public.plans (id, title, time_zone) values ('40000000-0000-4000-8000-000000000001', 'Plan', 'UTC');
insert into public.plan_members (plan_id, user_id, role)
select '40000000-0000-4000-8000-000000000001', ('10000000-0000-4000-8000-00000000000' || at)::uuid, role::public.plan_role
from (values (1, 'host'), (2, 'cohost'), (3, 'guest'), (4, 'guest'), (7, 'cohost')) as seat (at, role);
insert into private.removals (plan_id, user_id, removed_at)
  values ('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000005', now() + interval '1 minute');
insert into public.time_options (id, plan_id, starts_at, ends_at) values
  ('50000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', now() + interval '2 days', now() + interval '50 hours');
insert into public.place_options (id, plan_id, place_id) values
  ('60000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', '30000000-0000-4000-8000-000000000001');
insert into public.messages (id, plan_id, author_id, client_id, body) values
  ('70000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', gen_random_uuid(), 'Hello');
insert into public.invites (id, plan_id, token_hash, expires_at, max_uses) values
  ('80000000-0000-4000-8000-000000000001', '40000000-0000-4000-8000-000000000001', private.token_hash('link'), now() + interval '1 day', 5);

insert into public.standing_dinners (id, circle_id, title, rhythm, first_on, starts_at, time_zone, next_on)
  values ('90000000-0000-4000-8000-000000000001', '20000000-0000-4000-8000-000000000001', 'Standing', 'weekly', current_date, '19:30', 'UTC', current_date);

create function pg_temp.attempt(person text, statement text) returns text
  language plpgsql as $$
declare
  outcome text;
begin
  perform set_config('request.jwt.claims', case when person = 'anon' then '{"role":"anon"}' else json_build_object(
    'sub', (select u.id from auth.users as u where u.raw_user_meta_data ->> 'display_name' = person and u.id::text like '10000000%'),
    'role', 'authenticated', 'aal', 'aal1')::text end, true);
  perform set_config('role', case when person = 'anon' then 'anon' else 'authenticated' end, true);
  begin
    execute 'select count(*) from public.' || statement;
    raise exception using errcode = 'NOSH0';
  exception
    when sqlstate 'NOSH0' then outcome := 'ok';
    when insufficient_privilege then outcome := 'denied';
    when others then get stacked diagnostics outcome = pg_exception_detail;
      if coalesce(outcome, '') = '' then outcome := sqlstate; end if;
  end;
  perform set_config('role', 'postgres', true);
  return outcome;
end $$;

create temporary table cells (call text, host text, cohost text, member text, guest text, ex text, stranger text, half text, anon text);
insert into cells values
  ($$accept_invite('link')$$, 'ok', 'ok', 'ok', 'ok', 'removed_before', 'ok', 'second_step_needed', 'denied'),
  ($$call_to_table('40000000-0000-4000-8000-000000000001', 'In')$$, 'plan_not_confirmed', 'plan_not_confirmed', 'not_host', 'not_host', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$calendar_of_feed('nonsense')$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok'),
  ($$cancel_plan('40000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'not_host', 'not_host', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$cast_votes('40000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'ok', 'ok', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$change_choice('40000000-0000-4000-8000-000000000001', '50000000-0000-4000-8000-000000000001', '50000000-0000-4000-8000-000000000001', '60000000-0000-4000-8000-000000000001', '60000000-0000-4000-8000-000000000001')$$, 'plan_not_confirmed', 'plan_not_confirmed', 'not_host', 'not_host', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$choose_mail(gen_random_uuid(), true, true)$$, 'mail_link_gone', 'mail_link_gone', 'mail_link_gone', 'mail_link_gone', 'mail_link_gone', 'mail_link_gone', 'mail_link_gone', 'mail_link_gone'),
  ($$confirm_plan('40000000-0000-4000-8000-000000000001', '50000000-0000-4000-8000-000000000001', '60000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'not_host', 'not_host', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$confirm_address('nonsense')$$, 'confirmation_gone', 'confirmation_gone', 'confirmation_gone', 'confirmation_gone', 'confirmation_gone', 'confirmation_gone', 'confirmation_gone', 'confirmation_gone'),
  ($$has_personal_link()$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$leave_address('40000000-0000-4000-8000-000000000001', 'a@b.test')$$, 'not_a_guest', 'not_a_guest', 'not_a_guest', 'ok', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$my_left_address('40000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$remove_left_address('40000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$count_look_up()$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$keep_look_up('x', '[]')$$, 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied'),
  ($$kept_look_up('x')$$, 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied'),
  ($$count_calendar_read()$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$create_calendar_feed()$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$create_circle('New')$$, 'ok', 'ok', 'ok', 'needs_account', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$create_circle_invite('20000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'not_circle_admin', 'circle_not_found', 'circle_not_found', 'circle_not_found', 'second_step_needed', 'denied'),
  ($$create_invite('40000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'not_host', 'not_host', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$create_personal_link()$$, 'not_a_guest', 'not_a_guest', 'not_a_guest', 'ok', 'not_a_guest', 'not_a_guest', 'second_step_needed', 'denied'),
  ($$create_plan('New', 'UTC')$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$delete_message('70000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'ok', 'message_not_found', 'message_not_found', 'message_not_found', 'second_step_needed', 'denied'),
  ($$delete_my_account()$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$edit_message('70000000-0000-4000-8000-000000000001', 'Other')$$, 'message_not_found', 'message_not_found', 'ok', 'message_not_found', 'message_not_found', 'message_not_found', 'second_step_needed', 'denied'),
  ($$end_session(gen_random_uuid())$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$end_standing_dinner('90000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'not_circle_admin', 'standing_not_found', 'standing_not_found', 'standing_not_found', 'second_step_needed', 'denied'),
  ($$export_my_data()$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$has_calendar_feed()$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$invite_by_mail('40000000-0000-4000-8000-000000000001', '{a@b.test}')$$, 'ok', 'ok', 'not_host', 'not_host', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$is_reminders_secret('guess')$$, 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied'),
  ($$leave_undecided('40000000-0000-4000-8000-000000000001', now(), 0, 'tie')$$, 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied'),
  ($$mail_choice(gen_random_uuid())$$, 'mail_link_gone', 'mail_link_gone', 'mail_link_gone', 'mail_link_gone', 'mail_link_gone', 'mail_link_gone', 'mail_link_gone', 'mail_link_gone'),
  ($$mark_arrival('40000000-0000-4000-8000-000000000001', 'arrived')$$, 'plan_not_confirmed', 'plan_not_confirmed', 'plan_not_confirmed', 'plan_not_confirmed', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$mark_read('40000000-0000-4000-8000-000000000001', now())$$, 'ok', 'ok', 'ok', 'ok', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$my_calendar()$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$my_sessions()$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$nudge_voters('40000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'not_host', 'not_host', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$next_host(null)$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$open_personal_link('nonsense')$$, 'personal_link_gone', 'personal_link_gone', 'personal_link_gone', 'personal_link_gone', 'personal_link_gone', 'personal_link_gone', 'personal_link_gone', 'personal_link_gone'),
  ($$pause_standing_dinner('90000000-0000-4000-8000-000000000001', true)$$, 'ok', 'ok', 'not_circle_admin', 'standing_not_found', 'standing_not_found', 'standing_not_found', 'second_step_needed', 'denied'),
  ($$plan_candidates('40000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'denied'),
  ($$plan_reach('40000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'ok', 'ok', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$plan_trips('40000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'denied'),
  ($$plan_unreachable('40000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'not_host', 'not_host', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$preview_plan('40000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok'),
  ($$ask_to_join('40000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'ok', 'ok', 'removed_before', 'ok', 'second_step_needed', 'denied'),
  ($$join_requests('40000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'denied'),
  ($$answer_join_request('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', true)$$, 'person_not_found', 'person_not_found', 'not_host', 'not_host', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$plans_to_decide()$$, 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied'),
  ($$answer_seat_request('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', '10000000-0000-4000-8000-000000000004', true)$$, 'person_not_found', 'person_not_found', 'not_host', 'person_not_found', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$ask_for_seat('link')$$, 'not_a_guest', 'not_a_guest', 'not_a_guest', 'ok', 'removed_before', 'not_a_guest', 'second_step_needed', 'denied'),
  ($$namesake('Nobody', 'link')$$, 'ok', 'ok', 'ok', 'ok', 'removed_before', 'ok', 'ok', 'ok'),
  ($$preview_invite('link')$$, 'ok', 'ok', 'ok', 'ok', 'removed_before', 'ok', 'ok', 'ok'),
  ($$propose_choice('40000000-0000-4000-8000-000000000001', now(), 0, '50000000-0000-4000-8000-000000000001', '60000000-0000-4000-8000-000000000001')$$, 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied'),
  ($$propose_place('40000000-0000-4000-8000-000000000001', '30000000-0000-4000-8000-000000000002')$$, 'ok', 'ok', 'ok', 'ok', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$propose_named_place('40000000-0000-4000-8000-000000000001', 'Zimbro')$$, 'ok', 'ok', 'ok', 'ok', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$propose_time('40000000-0000-4000-8000-000000000001', now() + interval '3 days', now() + interval '74 hours')$$, 'ok', 'ok', 'ok', 'ok', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$rate_plan('40000000-0000-4000-8000-000000000001', 5)$$, 'plan_not_done', 'plan_not_done', 'plan_not_done', 'plan_not_done', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$remember_found_places('[]')$$, 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied'),
  ($$remove_circle_member('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003')$$, 'ok', 'ok', 'ok', 'circle_not_found', 'circle_not_found', 'circle_not_found', 'second_step_needed', 'denied'),
  ($$remove_member('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003')$$, 'ok', 'ok', 'ok', 'not_host', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$reopen_plan('40000000-0000-4000-8000-000000000001')$$, 'plan_not_confirmed', 'plan_not_confirmed', 'not_host', 'not_host', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$restore_plan('40000000-0000-4000-8000-000000000001')$$, 'plan_not_cancelled', 'plan_not_cancelled', 'not_host', 'not_host', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$revoke_calendar_feed()$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$revoke_invite('80000000-0000-4000-8000-000000000001')$$, 'ok', 'ok', 'invite_not_found', 'invite_not_found', 'invite_not_found', 'invite_not_found', 'second_step_needed', 'denied'),
  ($$revoke_personal_link()$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$save_home('30000000-0000-4000-8000-000000000001', 'Mill lane 3')$$, 'ok', 'place_not_found', 'place_not_found', 'place_not_found', 'place_not_found', 'place_not_found', 'second_step_needed', 'denied'),
  ($$save_place('{"name": "x", "latitude": 1, "longitude": 1, "price": 1, "time_zone": "UTC"}')$$, 'ok', 'ok', 'ok', 'denied', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$save_push_subscription('https://push.test/x', 'B' || repeat('A', 86), repeat('A', 22))$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$save_standing_dinner('20000000-0000-4000-8000-000000000001', 'New', 'weekly', 'joining', current_date + 3, '19:30', 120, 'UTC')$$, 'ok', 'ok', 'not_circle_admin', 'circle_not_found', 'circle_not_found', 'circle_not_found', 'second_step_needed', 'denied'),
  ($$say_diet('30000000-0000-4000-8000-000000000001', 'vegan', true)$$, 'ok', 'ok', 'ok', 'ok', 'place_not_found', 'place_not_found', 'second_step_needed', 'denied'),
  ($$search_places()$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'denied'),
  ($$set_circle_role('20000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', 'admin')$$, 'ok', 'not_circle_owner', 'not_circle_owner', 'circle_not_found', 'circle_not_found', 'circle_not_found', 'second_step_needed', 'denied'),
  ($$set_member_required('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', true)$$, 'ok', 'ok', 'not_host', 'not_host', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$set_member_role('40000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000003', 'cohost')$$, 'ok', 'not_main_host', 'not_host', 'not_host', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$set_rsvp('40000000-0000-4000-8000-000000000001', 'going')$$, 'ok', 'ok', 'ok', 'ok', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$settle_push(gen_random_uuid())$$, 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied'),
  ($$skip_standing_dinner('90000000-0000-4000-8000-000000000001', current_date)$$, 'ok', 'ok', 'not_circle_admin', 'standing_not_found', 'standing_not_found', 'standing_not_found', 'second_step_needed', 'denied'),
  ($$start_sample_plan('Try', '', 'Hello')$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$settle_mail(gen_random_uuid())$$, 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied'),
  ($$invite_subject('link')$$, 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied'),
  ($$take_over_guest('nonsense')$$, 'personal_link_gone', 'personal_link_gone', 'personal_link_gone', 'needs_account', 'personal_link_gone', 'personal_link_gone', 'second_step_needed', 'denied'),
  ($$take_mail()$$, 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied'),
  ($$undo_decision('40000000-0000-4000-8000-000000000001')$$, 'too_late_to_undo', 'too_late_to_undo', 'not_host', 'not_host', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied'),
  ($$delivery_due_in('mail')$$, 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied'),
  ($$take_push()$$, 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied', 'denied'),
  ($$unread_counts()$$, 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'second_step_needed', 'denied'),
  ($$veto_plan('40000000-0000-4000-8000-000000000001')$$, 'nothing_proposed', 'nothing_proposed', 'nothing_proposed', 'nothing_proposed', 'plan_not_found', 'plan_not_found', 'second_step_needed', 'denied');

select plan((select count(*)::integer * 8 + 1 from cells));

select is(pg_temp.attempt(person.kind, cells.call), person.expected, split_part(cells.call, '(', 1) || ' as ' || person.kind)
from cells
cross join lateral (values
  ('host', host), ('cohost', cohost), ('member', member), ('guest', guest), ('ex', ex), ('stranger', stranger),
  ('half', half), ('anon', anon)
) as person (kind, expected);

-- The matrix covers every function.
select is_empty(
  $$select p.proname from pg_proc as p
    where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
      and p.proname not in (select split_part(call, '(', 1) from cells)
      and not exists (select 1 from pg_depend as d where d.objid = p.oid and d.deptype = 'e')$$,
  'every function is in the matrix');

select * from finish();
rollback;
