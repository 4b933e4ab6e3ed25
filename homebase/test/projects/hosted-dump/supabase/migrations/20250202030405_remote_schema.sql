drop trigger if exists "on_auth_user_created" on "auth"."users";

set check_function_bodies = off;

alter type "public"."order_state" rename to "order_state__old_version_to_be_dropped";
create type "public"."order_state" as enum ('open', 'paid', 'sent');
drop view "public"."open_orders";
alter table "public"."orders" alter column "state" drop default;
alter table "public"."orders" alter column state type "public"."order_state" using state::text::"public"."order_state";
alter table "public"."orders" alter column "state" set default 'open'::order_state;
drop type "public"."order_state__old_version_to_be_dropped";

create table "public"."notes" ("id" uuid not null default gen_random_uuid(), "body" text);
CREATE UNIQUE INDEX notes_pkey ON public.notes USING btree (id);
alter table "public"."notes" add constraint "notes_pkey" PRIMARY KEY using index "notes_pkey";
alter table "public"."orders" add column "note" uuid;
alter table "public"."orders" add constraint "orders_note_fkey" FOREIGN KEY (note) REFERENCES notes(id) not valid;
alter table "public"."orders" validate constraint "orders_note_fkey";
grant delete on table "public"."notes" to "anon";
grant trigger on table "public"."notes" to "service_role";

create policy "read" on "storage"."objects" as permissive for select to public using ((bucket_id = 'a'::text));
CREATE TRIGGER on_auth_user_created AFTER INSERT ON auth.users FOR EACH ROW EXECUTE FUNCTION public.touch();
drop trigger on_auth_user_created on auth.users;
