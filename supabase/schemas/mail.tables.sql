-- Mail that Nosh sends: its kinds, the addresses and their choices, what waits, and what was sent.

create type public.mail_kind as enum (
  'invite', 'vote_reminder', 'plan_tomorrow', 'rate_reminder', 'plan_confirmed', 'plan_reopened',
  'plan_cancelled', 'plan_restored', 'plan_changed', 'vote_nudge', 'plan_proposed', 'plan_vetoed',
  'plan_undecided', 'plan_moved', 'plan_placed', 'confirm_address', 'everybody_answered',
  'join_asked'
);

-- The choices of an address. One row for each address that was ever written to; its token is in the mail's last
-- line and in its headers, and changes these choices only.
create table private.mail_recipients (
  address text primary key check (address = lower(address)),
  token uuid not null unique default gen_random_uuid(),
  no_invites_since timestamptz,
  no_reminders_since timestamptz
);

create table private.outgoing_mail (
  id uuid primary key default gen_random_uuid(),
  address text not null references private.mail_recipients (address) on delete cascade,
  kind public.mail_kind not null,
  plan_id uuid not null references public.plans (id) on delete cascade,
  -- The person who invites, nudges, or asks for a confirmation. The mail of a decision to the host who made it has that host.
  sender_id uuid references public.profiles (id) on delete set null,
  language text not null default 'en',
  -- The token of the invite or the confirmation that this mail brings. Gone once the mail is: only its hash stays.
  secret text,
  created_at timestamptz not null default now(),
  taken_at timestamptz,
  attempts smallint not null default 0,
  sent_at timestamptz,
  failure text,
  not_before timestamptz -- of a decision: until then it can be undone
);

create index outgoing_mail_waiting_idx on private.outgoing_mail (created_at) where sent_at is null;
create index outgoing_mail_sender_idx on private.outgoing_mail (sender_id, created_at);
create index outgoing_mail_plan_idx on private.outgoing_mail (plan_id);
create index outgoing_mail_address_idx on private.outgoing_mail (address);

-- Reminders that were sent, so that each is sent once; a moved deadline or time gets another.
create table private.reminders (
  plan_id uuid not null references public.plans (id) on delete cascade,
  user_id uuid not null references public.profiles (id) on delete cascade,
  kind public.mail_kind not null,
  due_for timestamptz not null,
  primary key (plan_id, user_id, kind, due_for)
);

create index reminders_user_idx on private.reminders (user_id);

-- An address that a guest left at a plan to be told about that plan. It signs nobody in. Nothing but the mail that asks
-- for it goes there until it is confirmed.
create table private.left_addresses (
  plan_id uuid not null,
  user_id uuid not null,
  address text not null references private.mail_recipients (address) on delete cascade,
  -- Of the link in that mail; null where an invitation by mail was accepted.
  token_hash bytea unique,
  asked_at timestamptz not null default now(),
  confirmed_at timestamptz,
  primary key (plan_id, user_id),
  foreign key (plan_id, user_id) references public.plan_members (plan_id, user_id) on update cascade on delete cascade
);

create index left_addresses_address_idx on private.left_addresses (address);
