/** Memberships with a rank, a state and an end, asked by a definer function in permissive and restrictive policies. */
import { expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { ANA, BEN, CAT, Style } from "./asking.ts";

const room = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const PROJECT = `
create schema inner_; grant usage on schema inner_ to authenticated;
create type public.rank as enum ('viewer', 'editor', 'owner');
create table public.rooms (id uuid primary key, name text, archived_at timestamptz, visibility text not null default 'private');
create table public.room_members (room_id uuid references public.rooms, user_id uuid references auth.users,
  rank public.rank not null, status text not null default 'active', expires_at timestamptz, primary key (room_id, user_id));
alter table public.rooms enable row level security; alter table public.room_members enable row level security;
create function inner_.has_rank(room uuid, lowest public.rank) returns boolean language sql stable security definer
  set search_path = '' as $$ select exists (select 1 from public.room_members m where m.room_id = room
    and m.user_id = (select auth.uid()) and m.rank >= lowest and m.status = 'active'
    and (m.expires_at is null or m.expires_at > now())) $$;
create policy "members see rooms" on public.rooms for select to authenticated
  using (inner_.has_rank(id, 'viewer') or (visibility = 'public' and archived_at is null));
create policy "owners see archived rooms" on public.rooms as restrictive for select to authenticated
  using (archived_at is null or inner_.has_rank(id, 'owner'));
create policy "owners rename" on public.rooms for update to authenticated using (inner_.has_rank(id, 'owner'));
grant select, update on public.rooms to authenticated;
insert into public.rooms values ('${room(1)}', 'One', null, 'private'), ('${room(3)}', 'Three', now(), 'public'),
  ('${room(4)}', 'Four', null, 'private');
insert into public.room_members values ('${room(1)}', '${ANA}', 'owner', 'active', null), ('${room(1)}', '${BEN}', 'viewer', 'active', null),
  ('${room(3)}', '${ANA}', 'editor', 'suspended', null), ('${room(4)}', '${ANA}', 'viewer', 'active', now() - interval '1 day'),
  ('${room(4)}', '${CAT}', 'owner', 'active', now() - interval '2 days');
`;
const style = await forThisFile(Style.of(PROJECT));
const hidden = (n: number) => style.ask({ path: `rooms?id=eq.${room(n)}`, as: { sub: ANA } });

test("each policy's alternatives are told for themselves, and what both want once", async () => {
  const { rows, sentences } = await hidden(3);
  expect(rows).toEqual([]);
  expect(sentences).toEqual([
    `Hidden: policy "members see rooms" asks inner_.has_rank(), which wants a row of room_members with this room_id and 4 conditions: there is 1 row with this room_id, but not with status = 'active'.`,
    `And policy "owners see archived rooms" asks inner_.has_rank(), which wants a row of room_members with this room_id and 4 conditions: there is 1 row with this room_id, but not with rank >= 'owner' or status = 'active'.`,
    "Nor does an alternative hold: archived_at is not null.",
  ]);
});

test("what has ended is told by its condition in full, without the time that it is", async () => {
  const { sentences } = await hidden(4);
  expect(sentences).toEqual([
    `Hidden: policy "members see rooms" asks inner_.has_rank(), which wants a row of room_members with this room_id and 4 conditions: there are 2 rows with this room_id, but none with (expires_at IS NULL or expires_at > now()).`,
    "Nor does an alternative hold: visibility is not 'public'.",
  ]);
});

test("a rank that is too low is named, however many conditions there are", async () => {
  const { status, sentences } = await style.ask({
    method: "PATCH",
    path: `rooms?id=eq.${room(1)}`,
    as: { sub: BEN },
    body: { name: "Ben's" },
  });
  expect(status).toBe(204);
  expect(sentences).toEqual([
    `Not updated, without an error: policy "owners rename" asks inner_.has_rank(), which wants a row of room_members with this room_id and 4 conditions: there are 2 rows with this room_id, and what comes closest lacks rank >= 'owner'.`,
  ]);
});
