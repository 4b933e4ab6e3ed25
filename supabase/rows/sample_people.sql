-- The made-up people of the tables to try (schemas/samples.sql). Nobody can sign in as them: they have neither address nor
-- password.

insert into auth.users (instance_id, id, aud, role, raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
select '00000000-0000-0000-0000-000000000000', person.id::uuid, 'authenticated', 'authenticated', '{}',
  jsonb_build_object('display_name', person.name), now(), now()
from (values
  ('00000000-0000-4000-8000-5a3b1e000001', 'Mia (sample)'),
  ('00000000-0000-4000-8000-5a3b1e000002', 'Jonas (sample)'),
  ('00000000-0000-4000-8000-5a3b1e000003', 'Priya (sample)'),
  ('00000000-0000-4000-8000-5a3b1e000004', 'Tomás (sample)')
) as person (id, name)
on conflict (id) do nothing;

-- Guests, so that no plan is ever handed over to one of them; and they have said what they eat.
update public.profiles set is_guest = true, diets_known = true where id::text like '00000000-0000-4000-8000-5a3b1e%';
update public.profiles set diets = '{vegetarian}' where id = '00000000-0000-4000-8000-5a3b1e000003';
update public.private_profiles set asked_at = now() where id::text like '00000000-0000-4000-8000-5a3b1e%';
