/**
 * Owns: random tables as rows of the real database, and the messages that it has ready after each kind of change. All of
 * it is undone in the same statement.
 */
import fc from "fast-check";
import type { WaitingMail } from "../../../supabase/functions/_shared/mail/letters.ts";
import type { WaitingPush } from "../../../supabase/functions/_shared/push/push_words.ts";
import { undecidedReasons } from "../../../supabase/functions/_shared/ranking/undecided.ts";
import { NOW, tables } from "../../../web/src/app/sentences/tables.ts";
import type { TestBackend } from "../../target/integration.ts";
import type { Subject } from "./message-claims.ts";

/** The ids of the tables, as the database takes them: "person-3" is …0001-…03. */
const KINDS = ["person", "time", "option", "place", "plan", "stranger"];
const uuid = (kind: string, index = 0) =>
  `5e47e4ce-0000-4000-8000-${String(KINDS.indexOf(kind)).padStart(8, "0")}${String(index).padStart(4, "0")}`;
export const STRANGER = uuid("stranger");
const PEOPLE = [0, 1, 2, 3, 4].map((index) => uuid("person", index));

/** The same value with the ids as uuids, and with all times moved so that it is now. */
function inDatabase<T>(value: T, shift: number): T {
  return JSON.parse(JSON.stringify(value), (_, one: unknown) => {
    if (typeof one !== "string") return one;
    const [, kind = "", index] = /^(person|time|option|place|plan)(?:-(\d))?$/.exec(one) ?? [];
    if (kind) return uuid(kind, Number(index ?? 0));
    return /^\d{4}-\d\d-\d\dT/.test(one) ? new Date(Date.parse(one) + shift).toISOString() : one;
  });
}

const hours = (from: number, to: number) => fc.option(fc.integer({ min: from, max: to }));

/** A table with what only messages tell: a cohost, a deadline, a proposal, an objection, a reason. */
export const rows = fc
  .record({
    table: tables,
    cohost: fc.boolean(),
    actor: fc.nat(4),
    deadline: hours(-3, 20),
    proposal: fc.boolean(),
    veto: hours(-3, 20),
    vetoed: fc.option(fc.nat(4)),
    reason: fc.constantFrom("", "Too far"),
    undecided: fc.option(fc.constantFrom(...undecidedReasons), { freq: 9 }),
    note: fc.constantFrom("", "Bring cake"),
    seated: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
    asked: fc.boolean(),
    /** A cancelled plan had a time. */
    decided: fc.boolean(),
    // All have answered all.
    complete: fc.constantFrom(false, false, true),
  })
  .map(({ table, ...more }) => {
    const { plan } = table;
    const at = (in_: number | null) => (in_ === null ? null : new Date(NOW + in_ * 3_600_000).toISOString());
    const isPolling = plan.status === "polling";
    const isProposed = isPolling && more.proposal;
    const members = plan.plan_members.map((member, index) => ({
      ...member,
      role: index === 1 && more.cohost ? ("cohost" as const) : member.role,
    }));
    const everybody = members.map(({ user_id }) => user_id);
    const answered = <Vote extends { user_id: string; answer: string }>(votes: Vote[]) => [
      ...votes,
      ...(more.complete ? everybody : [])
        .filter((id) => !votes.some(({ user_id }) => user_id === id))
        .map((user_id) => ({ user_id, answer: "yes" as const })),
    ];
    const whole = {
      ...plan,
      note: more.note,
      chosen_time_id: plan.status === "cancelled" && more.decided ? "time-0" : plan.chosen_time_id,
      vote_deadline: isPolling ? at(more.deadline) : null,
      proposed_time_id: isProposed ? "time-0" : null,
      proposed_place_id: isProposed ? (plan.place_options[0]?.id ?? null) : null,
      veto_until: isProposed ? at(more.veto ?? 1) : null,
      vetoed_by: more.vetoed === null ? null : `person-${more.vetoed % members.length}`,
      veto_reason: more.vetoed === null ? "" : more.reason,
      undecided: isPolling ? more.undecided : null,
      // Of a plan that was moved: as the table has it, and with another place.
      moved_from_place_id:
        plan.moved_from_time_id === null || !more.cohost ? null : (plan.place_options[0]?.id ?? null),
      time_options: plan.time_options.map((one) => ({ ...one, time_votes: answered(one.time_votes) })),
      place_options: plan.place_options.map((one) => ({ ...one, place_votes: answered(one.place_votes) })),
      plan_members: members.map((member) =>
        more.complete
          ? { ...member, times_answered: true, places_answered: plan.place_options.length > 0 }
          : member,
      ),
    };
    const accepted = members.flatMap(({ user_id, rsvp, role, answered_at }, index) =>
      role === "host" ||
      answered_at !== null ||
      more.complete ||
      ["going", "maybe", "waitlisted"].includes(rsvp) ||
      more.seated[index]
        ? [user_id]
        : [],
    );
    const hosts = members.filter(({ role }) => role !== "guest").map(({ user_id }) => user_id);
    return {
      ...table,
      plan: whole,
      accepted,
      host: hosts[more.actor % hosts.length] ?? "",
      asked: more.asked,
    };
  });
export type Rows = typeof rows extends fc.Arbitrary<infer R> ? R : never;

/** What a kind of change had to say: to whom is in each message. */
export interface Ready {
  actor: string | null;
  mails: WaitingMail[];
  pushes: WaitingPush[];
  /** Rows of `preview_invite` and `preview_plan`, as a signed-out caller gets them; none of a change. */
  previews?: [invite: unknown, address: unknown];
}

/** Prepares the people and the functions, which stay for the file. */
export async function prepare(backend: TestBackend): Promise<void> {
  await backend.sql("delete from private.outgoing_mail");
  await backend.sql("delete from private.outgoing_push");
  // Other plans send nothing, and the rows of a table are written as they are.
  await backend.sql("delete from public.plans");
  for (const table of ["plans", "plan_members", "time_options", "place_options", "time_votes", "place_votes"])
    await backend.sql(`alter table public.${table} disable trigger user`);
  for (const [index, id] of [...PEOPLE, STRANGER].entries()) {
    await backend.sql(
      `insert into auth.users (id, aud, role, email, email_confirmed_at, raw_user_meta_data)
       values ($1, 'authenticated', 'authenticated', $2, now(), '{"display_name": "Ben Berg"}')`,
      [id, `${id}@nosh.test`],
    );
    await backend.sql("update public.private_profiles set language = $2 where id = $1", [
      id,
      index % 2 === 0 ? "en" : "de",
    ]);
    await backend.sql(
      `insert into public.push_subscriptions (user_id, endpoint, p256dh, auth)
       values ($1, $2, 'B' || repeat('a', 86), repeat('a', 22))`,
      [id, `https://push.test/${id}`],
    );
  }
  await backend.sql(MESSAGES_OF);
}

/** Writes the table and tells each change; returns the subject as the claims read it, and the messages. */
export async function messagesOf(backend: TestBackend, made: Rows, now: number) {
  const { plan, accepted, host, asked } = inDatabase(made, now - NOW);
  const [row] = await backend.sql<{ ready: Ready[] }>("select private.messages_of($1, $2, $3, $4) as ready", [
    JSON.stringify(plan),
    JSON.stringify(accepted),
    host,
    asked ? STRANGER : null,
  ]);
  const subject: Omit<Subject, "me" | "actor"> = {
    ...inDatabase(made, now - NOW),
    plan,
    accepted,
    now,
    strangers: { [STRANGER]: "Ben Berg" },
  };
  return { subject, ready: row?.ready ?? [] };
}

/** The person of a message. */
export const readerOf = (text: string): string | undefined => PEOPLE.find((id) => text.includes(id));

/** Triggers of the tables above are off: the rows are those of the random table. */
const MESSAGES_OF = `
create function private.messages_of(t jsonb, accepted jsonb, host uuid, asker uuid) returns jsonb
  language plpgsql set search_path = '' as $$
declare
  plan uuid := (t ->> 'id')::uuid;
  deed record;
  ready jsonb := '[]';
begin
  begin
    update public.profiles as p set display_name = m -> 'profiles' ->> 'display_name'
      from jsonb_array_elements(t -> 'plan_members') as m where p.id = (m ->> 'user_id')::uuid;
    insert into public.places (id, name, time_zone)
      select (o ->> 'place_id')::uuid, o -> 'places' ->> 'name', 'UTC' from jsonb_array_elements(t -> 'place_options') as o;
    insert into public.plans (id, title, note, time_zone, vote_deadline, capacity, vetoed_by, veto_reason, undecided)
      values (plan, t ->> 'title', t ->> 'note', t ->> 'time_zone', (t ->> 'vote_deadline')::timestamptz,
        (t ->> 'capacity')::smallint, (t ->> 'vetoed_by')::uuid, t ->> 'veto_reason', t ->> 'undecided');
    insert into public.plan_members
      (plan_id, user_id, role, rsvp, plus_ones, waitlisted_at, answered_at, times_answered, places_answered, accepted_at)
      select plan, m.user_id, m.role, m.rsvp, m.plus_ones, m.waitlisted_at, m.answered_at, m.times_answered,
        m.places_answered, case when accepted ? m.user_id::text then now() end
      from jsonb_populate_recordset(null::public.plan_members, t -> 'plan_members') as m;
    insert into public.time_options (id, plan_id, starts_at, ends_at)
      select o.id, plan, o.starts_at, o.ends_at
      from jsonb_populate_recordset(null::public.time_options, t -> 'time_options') as o;
    insert into public.place_options (id, plan_id, place_id)
      select o.id, plan, o.place_id from jsonb_populate_recordset(null::public.place_options, t -> 'place_options') as o;
    insert into public.time_votes (option_id, plan_id, user_id, answer)
      select (o ->> 'id')::uuid, plan, (v ->> 'user_id')::uuid, (v ->> 'answer')::public.vote_answer
      from jsonb_array_elements(t -> 'time_options') as o, jsonb_array_elements(o -> 'time_votes') as v;
    insert into public.place_votes (option_id, plan_id, user_id, answer)
      select (o ->> 'id')::uuid, plan, (v ->> 'user_id')::uuid, (v ->> 'answer')::public.vote_answer
      from jsonb_array_elements(t -> 'place_options') as o, jsonb_array_elements(o -> 'place_votes') as v;
    insert into public.arrivals (plan_id, user_id, status, eta)
      select plan, (m ->> 'user_id')::uuid, (m -> 'arrivals' ->> 'status')::public.arrival_status,
        (m -> 'arrivals' ->> 'eta')::timestamptz
      from jsonb_array_elements(t -> 'plan_members') as m where m ->> 'arrivals' is not null;
    update public.plans set status = (t ->> 'status')::public.plan_status,
      chosen_time_id = (t ->> 'chosen_time_id')::uuid, chosen_place_id = (t ->> 'chosen_place_id')::uuid,
      moved_from_time_id = (t ->> 'moved_from_time_id')::uuid, moved_from_place_id = (t ->> 'moved_from_place_id')::uuid,
      proposed_time_id = (t ->> 'proposed_time_id')::uuid, proposed_place_id = (t ->> 'proposed_place_id')::uuid,
      proposed_at = case when t ->> 'veto_until' is not null then now() end,
      veto_until = (t ->> 'veto_until')::timestamptz
      where id = plan;
    if asker is not null then
      insert into private.join_requests (plan_id, user_id) values (plan, asker);
    end if;

    insert into public.invites (plan_id, token_hash, created_by, expires_at, max_uses)
      values (plan, extensions.digest('preview', 'sha256'), host, now() + interval '1 day', 9);
    perform set_config('request.jwt.claims', '', true);
    ready := jsonb_build_array(jsonb_build_object('actor', host, 'mails', '[]'::jsonb, 'pushes', '[]'::jsonb,
      'previews', jsonb_build_array(
        (select to_jsonb(p) from public.preview_invite('preview') as p),
        (select to_jsonb(p) from public.preview_plan(plan) as p))));

    for deed in
      select kind, host as actor, 'table' as told from unnest(array['plan_confirmed', 'plan_changed', 'plan_moved',
        'plan_placed', 'plan_reopened', 'plan_cancelled', 'plan_restored', 'standing_planned']) as kind
      union all select 'plan_vetoed', (t ->> 'vetoed_by')::uuid, 'table' where t ->> 'vetoed_by' is not null
      union all select 'plan_proposed', null, 'table'
      union all select 'plan_undecided', null, 'hosts'
      union all select 'join_asked', coalesce(asker, '${STRANGER}'), 'hosts'
      union all (select 'not_coming', m.user_id, 'hosts' from public.plan_members as m
        where m.plan_id = plan and m.rsvp = 'declined' limit 1)
      union all select 'everybody_answered', null, 'each'
      union all select 'seat_freed', host, 'each'
      -- Also to people who have answered while it waited.
      union all select 'vote_nudge', host, 'each'
      union all select 'vote_reminder', null, 'each'
      union all select 'vote_nudge', host, 'nudged'
      union all select 'vote_reminder', null, 'reminded'
      union all select 'invite', host, 'mailed'
      union all select 'confirm_address', host, 'mailed'
    loop
      begin
        perform set_config('request.jwt.claims', case when deed.actor is null then '' else
          jsonb_build_object('sub', deed.actor, 'role', 'authenticated', 'aal', 'aal2')::text end, true);
        perform set_config('nosh.decides_itself', case when deed.actor is null then 'on' else '' end, true);
        case deed.told
          when 'table' then perform private.notify_table(plan, deed.kind::public.notification_kind);
          when 'hosts' then perform private.notify_hosts(plan, deed.kind::public.notification_kind);
          when 'each' then insert into public.notifications (user_id, kind, plan_id, actor_id)
            select m.user_id, deed.kind::public.notification_kind, plan, deed.actor from public.plan_members as m
            where m.plan_id = plan and (deed.kind <> 'everybody_answered' or m.role <> 'guest');
          when 'nudged' then perform public.nudge_voters(plan);
          when 'reminded' then perform private.remind();
          else
            insert into private.mail_recipients (address) values (deed.actor::text || '@nosh.test') on conflict do nothing;
            insert into private.outgoing_mail (address, kind, plan_id, sender_id, secret)
              values (deed.actor::text || '@nosh.test', deed.kind::public.mail_kind, plan, deed.actor, 'secret');
        end case;
        update private.outgoing_mail set not_before = null;
        update private.outgoing_push set not_before = null;
        ready := ready || jsonb_build_object(
          'actor', deed.actor, 'mails', public.take_mail(100), 'pushes', public.take_push(100));
        raise exception using errcode = 'UNDO1';
      exception
        when sqlstate 'UNDO1' then null;
        -- Nobody is left to nudge, or voting is over.
        when others then if deed.told <> 'nudged' then raise; end if;
      end;
    end loop;
    raise exception using errcode = 'UNDO2';
  exception when sqlstate 'UNDO2' then null;
  end;
  return ready;
end $$`;
