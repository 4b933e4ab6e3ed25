-- Demo data: six people, two circles, two dozen places in Lisbon, and a plan in every state.
-- All dates are relative to now(), so the plans never expire. Everyone's password is `nosh-demo`.
-- Ids are spelled out (…a1 is Ana, …c1 a circle, …d01 a place, …b1 a plan) so that tests can name them.

-- ---------------------------------------------------------------------------------------------------------
-- People

insert into auth.users (
  instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
  raw_user_meta_data, created_at, updated_at, confirmation_token, recovery_token, email_change_token_new,
  email_change
)
select
  '00000000-0000-0000-0000-000000000000', person.id::uuid, 'authenticated', 'authenticated', person.email,
  extensions.crypt('nosh-demo', extensions.gen_salt('bf')), now(),
  '{"provider": "email", "providers": ["email"]}', jsonb_build_object('display_name', person.name),
  now() - interval '90 days', now(), '', '', '', ''
from (values
  ('00000000-0000-4000-8000-0000000000a1', 'ana@nosh.test', 'Ana Duarte'),
  ('00000000-0000-4000-8000-0000000000a2', 'ben@nosh.test', 'Ben Okafor'),
  ('00000000-0000-4000-8000-0000000000a3', 'chiara@nosh.test', 'Chiara Ricci'),
  ('00000000-0000-4000-8000-0000000000a4', 'dev@nosh.test', 'Dev Thapa'),
  ('00000000-0000-4000-8000-0000000000a5', 'emre@nosh.test', 'Emre Aydın'),
  ('00000000-0000-4000-8000-0000000000a6', 'fatou@nosh.test', 'Fatou Diallo')
) as person (id, email, name)
on conflict (id) do nothing;

insert into auth.identities
  (id, user_id, provider_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
select
  gen_random_uuid(), u.id, u.id::text,
  jsonb_build_object('sub', u.id::text, 'email', u.email, 'email_verified', true, 'phone_verified', false),
  'email', now(), now() - interval '90 days', now()
from auth.users as u where u.email like '%@nosh.test'
on conflict (provider_id, provider) do nothing;

insert into public.profiles (id, display_name, avatar_path, diets, budget, time_zone, created_at)
values
  ('00000000-0000-4000-8000-0000000000a1', 'Ana Duarte', '00000000-0000-4000-8000-0000000000a1/avatar.webp', '{vegetarian}', 2, 'Europe/Lisbon', now() - interval '90 days'),
  ('00000000-0000-4000-8000-0000000000a2', 'Ben Okafor', '00000000-0000-4000-8000-0000000000a2/avatar.webp', '{}', 3, 'Europe/Lisbon', now() - interval '88 days'),
  ('00000000-0000-4000-8000-0000000000a3', 'Chiara Ricci', '00000000-0000-4000-8000-0000000000a3/avatar.webp', '{gluten_free}', 3, 'Europe/Lisbon', now() - interval '80 days'),
  ('00000000-0000-4000-8000-0000000000a4', 'Dev Thapa', '00000000-0000-4000-8000-0000000000a4/avatar.webp', '{vegan}', 1, 'Asia/Kathmandu', now() - interval '75 days'),
  ('00000000-0000-4000-8000-0000000000a5', 'Emre Aydın', '00000000-0000-4000-8000-0000000000a5/avatar.webp', '{halal}', 2, 'Europe/Lisbon', now() - interval '60 days'),
  ('00000000-0000-4000-8000-0000000000a6', 'Fatou Diallo', '00000000-0000-4000-8000-0000000000a6/avatar.webp', '{pescatarian,nut_free}', 2, 'Europe/Lisbon', now() - interval '40 days')
on conflict (id) do update set
  display_name = excluded.display_name, avatar_path = excluded.avatar_path, diets = excluded.diets,
  budget = excluded.budget, time_zone = excluded.time_zone, created_at = excluded.created_at;

-- Everybody has been asked: Ben eats everything.
update public.profiles set diets_known = true where id::text like '00000000-0000-4000-8000-0000000000a_';

insert into public.private_profiles (id, start_latitude, start_longitude)
values
  ('00000000-0000-4000-8000-0000000000a1', 38.7169, -9.1399),
  ('00000000-0000-4000-8000-0000000000a2', 38.7079, -9.1837),
  ('00000000-0000-4000-8000-0000000000a3', 38.7223, -9.1393),
  ('00000000-0000-4000-8000-0000000000a4', 38.7369, -9.1427),
  ('00000000-0000-4000-8000-0000000000a5', 38.7138, -9.1234),
  ('00000000-0000-4000-8000-0000000000a6', null, null)
on conflict (id) do update set
  start_latitude = excluded.start_latitude, start_longitude = excluded.start_longitude;
update public.private_profiles set asked_at = now() - interval '30 days'
where id::text like '00000000-0000-4000-8000-0000000000a_';

-- ---------------------------------------------------------------------------------------------------------
-- Circles

insert into public.circles (id, name, created_at) values
  ('00000000-0000-4000-8000-0000000000c1', 'Thursday table', now() - interval '85 days'),
  ('00000000-0000-4000-8000-0000000000c2', 'Climbing crew', now() - interval '38 days')
on conflict (id) do nothing;

insert into public.circle_members (circle_id, user_id, role) values
  ('00000000-0000-4000-8000-0000000000c1', '00000000-0000-4000-8000-0000000000a1', 'owner'),
  ('00000000-0000-4000-8000-0000000000c1', '00000000-0000-4000-8000-0000000000a2', 'admin'),
  ('00000000-0000-4000-8000-0000000000c1', '00000000-0000-4000-8000-0000000000a3', 'member'),
  ('00000000-0000-4000-8000-0000000000c1', '00000000-0000-4000-8000-0000000000a4', 'member'),
  ('00000000-0000-4000-8000-0000000000c1', '00000000-0000-4000-8000-0000000000a5', 'member'),
  ('00000000-0000-4000-8000-0000000000c1', '00000000-0000-4000-8000-0000000000a6', 'member'),
  ('00000000-0000-4000-8000-0000000000c2', '00000000-0000-4000-8000-0000000000a2', 'owner'),
  ('00000000-0000-4000-8000-0000000000c2', '00000000-0000-4000-8000-0000000000a1', 'member'),
  ('00000000-0000-4000-8000-0000000000c2', '00000000-0000-4000-8000-0000000000a6', 'member')
on conflict (circle_id, user_id) do nothing;

-- ---------------------------------------------------------------------------------------------------------
-- Places: fictional restaurants in real neighbourhoods. `hours` names a weekly pattern below; null means unknown.

with place (id, name, about, cuisines, address, latitude, longitude, price, safe_diets, hours) as (values
  ('d01', 'Cantina da Mouraria', 'Long tables, slow beans, a queue that talks to itself.', '{portuguese,home cooking}', 'Rua do Benformoso 41', 38.7187, -9.1352, 1, '{vegetarian,nut_free}', 'both'),
  ('d02', 'Folha & Brasa', 'Vegetables over open fire. The cabbage is the dish.', '{vegetarian,grill}', 'Rua da Madalena 112', 38.7113, -9.1362, 2, '{vegetarian,vegan,lactose_free}', 'dinner'),
  ('d03', 'Tasca do Elétrico', 'Six tables beside the tram line; they shake at 28.', '{portuguese}', 'Calçada de São Vicente 9', 38.7146, -9.1296, 1, '{nut_free}', 'both'),
  ('d04', 'Momo Sete', 'Nepali dumplings, folded at the counter all day.', '{nepali,dumplings}', 'Rua do Poço dos Negros 77', 38.7104, -9.1532, 1, '{vegetarian,vegan,halal,gluten_free,nut_free}', 'all_day'),
  ('d05', 'Anadolu Ocakbaşı', 'Charcoal, lamb, and bread that arrives like a balloon.', '{turkish,grill}', 'Rua Morais Soares 58', 38.7314, -9.1316, 2, '{halal,vegetarian,nut_free}', 'all_day'),
  ('d06', 'Marisqueira Baixa-Mar', 'What the boats had, on ice, by weight.', '{seafood,portuguese}', 'Avenida 24 de Julho 18', 38.7062, -9.1460, 3, '{pescatarian,gluten_free}', 'both'),
  ('d07', 'Osteria Senza', 'A Roman kitchen without any gluten. Nobody notices.', '{italian}', 'Rua de São Bento 203', 38.7148, -9.1537, 3, '{gluten_free,vegetarian}', 'dinner'),
  ('d08', 'Jardim de Inverno', 'Under glass, with orange trees. Lunch that lasts.', '{portuguese,mediterranean}', 'Praça do Príncipe Real 26', 38.7169, -9.1486, 3, '{vegetarian,vegan,gluten_free,pescatarian}', 'all_day'),
  ('d09', 'Senegal na Graça', 'Thieboudienne on Fridays, mafé on request.', '{senegalese,west african}', 'Rua da Graça 84', 38.7176, -9.1301, 2, '{halal,pescatarian,lactose_free}', 'dinner'),
  ('d10', 'Noodle Doca', 'Hand-pulled, loud, quick, and open late.', '{chinese,noodles}', 'Doca de Alcântara 3', 38.7032, -9.1669, 1, '{vegan,vegetarian,lactose_free}', 'late'),
  ('d11', 'Petiscaria Miradouro', 'Small plates and the whole river for a view.', '{portuguese,tapas}', 'Largo das Portas do Sol 5', 38.7121, -9.1300, 2, '{vegetarian,gluten_free}', 'all_day'),
  ('d12', 'Casa Tâmara', 'Lebanese meze for tables that share.', '{lebanese,middle eastern}', 'Rua da Rosa 150', 38.7136, -9.1455, 2, '{vegetarian,vegan,halal,pescatarian}', 'dinner'),
  ('d13', 'Sal & Limão', 'Raw fish, cold wine, twelve stools.', '{peruvian,seafood}', 'Rua de O Século 139', 38.7128, -9.1474, 3, '{pescatarian,gluten_free,lactose_free}', 'dinner'),
  ('d14', 'Forno Velho', 'Pizza from a bread oven of 1911.', '{italian,pizza}', 'Rua Coelho da Rocha 46', 38.7155, -9.1640, 2, '{vegetarian,nut_free}', 'late'),
  ('d15', 'Kiosque do Rio', 'Toasted things and a terrace. Closes with the sun.', '{café,sandwiches}', 'Ribeira das Naus', 38.7065, -9.1402, 1, '{vegetarian}', 'brunch'),
  ('d16', 'Arroz Doce', 'Goan rice and curry, grandmother present.', '{goan,indian}', 'Rua de São José 23', 38.7180, -9.1429, 2, '{vegetarian,vegan,gluten_free,halal,nut_free}', 'both'),
  ('d17', 'Ponto Cru', 'Everything raw, better than it sounds.', '{vegan,salads}', 'Avenida Almirante Reis 131', 38.7275, -9.1353, 2, '{vegan,vegetarian,gluten_free,lactose_free}', 'lunch'),
  ('d18', 'Churrasqueira do Bairro', 'Chicken, fire, piri-piri, paper tablecloth.', '{portuguese,grill}', 'Rua Ferreira Borges 90', 38.7150, -9.1660, 1, '{gluten_free,lactose_free,nut_free}', 'both'),
  ('d19', 'Izakaya Ajuda', 'Skewers, highballs, one cook who hums.', '{japanese,izakaya}', 'Calçada da Ajuda 165', 38.7043, -9.1989, 3, '{pescatarian}', 'late'),
  ('d20', 'Mercado Comum', 'Nine kitchens under one roof: everyone finds theirs.', '{food hall}', 'Mercado de Arroios', 38.7330, -9.1372, 2, '{vegetarian,vegan,gluten_free,halal,pescatarian,lactose_free,nut_free}', 'all_day'),
  ('d21', 'Brunch Amarelo', 'Eggs until five. Come hungry, leave slowly.', '{brunch,café}', 'Rua dos Industriais 5', 38.7098, -9.1526, 2, '{vegetarian,gluten_free}', 'brunch'),
  ('d22', 'Kosher Porto Novo', 'A family kitchen beside the synagogue.', '{jewish,mediterranean}', 'Rua Alexandre Herculano 59', 38.7213, -9.1518, 3, '{kosher,lactose_free,pescatarian}', 'lunch'),
  ('d23', 'Xaréu', 'Tasting menu by the river; book, or bring patience.', '{fine dining,seafood}', 'Rua da Cintura do Porto 16', 38.7047, -9.1555, 4, '{pescatarian,gluten_free}', 'dinner'),
  ('d24', 'Panela Grande', 'One pot a day, until it is empty.', '{home cooking,african}', 'Rua do Arco a São Mamede 8', 38.7174, -9.1528, 1, '{halal,gluten_free}', null)
)
insert into public.places
  (id, name, about, cuisines, address, latitude, longitude, price, safe_diets, time_zone, created_by, everybody)
select
  ('00000000-0000-4000-8000-000000000' || place.id)::uuid, place.name, place.about, place.cuisines::text[],
  place.address, place.latitude, place.longitude, place.price, place.safe_diets::public.diet[],
  'Europe/Lisbon', '00000000-0000-4000-8000-0000000000a1', true
from place
on conflict (id) do nothing;

with pattern (name, weekdays, opens, closes) as (values
  ('both', array[1, 2, 3, 4, 5, 6], time '12:00', time '15:30'),
  ('both', array[1, 2, 3, 4, 5, 6], time '19:00', time '23:30'),
  ('dinner', array[2, 3, 4, 5, 6, 7], time '18:30', time '23:59'),
  ('all_day', array[1, 2, 3, 4, 5, 6, 7], time '11:30', time '23:30'),
  ('late', array[3, 4, 5, 6, 7], time '18:00', time '02:00'),
  ('brunch', array[1, 2, 3, 4, 5, 6, 7], time '09:00', time '17:00'),
  ('lunch', array[1, 2, 3, 4, 5], time '12:00', time '16:00')
), kept (id, name) as (values
  ('d01', 'both'), ('d02', 'dinner'), ('d03', 'both'), ('d04', 'all_day'), ('d05', 'all_day'),
  ('d06', 'both'), ('d07', 'dinner'), ('d08', 'all_day'), ('d09', 'dinner'), ('d10', 'late'),
  ('d11', 'all_day'), ('d12', 'dinner'), ('d13', 'dinner'), ('d14', 'late'), ('d15', 'brunch'),
  ('d16', 'both'), ('d17', 'lunch'), ('d18', 'both'), ('d19', 'late'), ('d20', 'all_day'), ('d21', 'brunch'),
  ('d22', 'lunch'), ('d23', 'dinner')
)
insert into public.place_hours (place_id, weekday, opens, closes)
select ('00000000-0000-4000-8000-000000000' || kept.id)::uuid, weekday, pattern.opens, pattern.closes
from kept join pattern on pattern.name = kept.name cross join unnest(pattern.weekdays) as weekday
on conflict (place_id, weekday, opens) do nothing;

insert into public.saved_places (user_id, place_id) values
  ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-000000000d02'),
  ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-000000000d08'),
  ('00000000-0000-4000-8000-0000000000a1', '00000000-0000-4000-8000-000000000d16'),
  ('00000000-0000-4000-8000-0000000000a2', '00000000-0000-4000-8000-000000000d10')
on conflict (user_id, place_id) do nothing;

-- ---------------------------------------------------------------------------------------------------------
-- Plans. The choice of a confirmed plan is set after its options exist.

insert into public.plans (id, circle_id, title, note, time_zone, vote_deadline, capacity, results_hidden, created_at)
values
  ('00000000-0000-4000-8000-0000000000b1', '00000000-0000-4000-8000-0000000000c1', 'Dinner before the holidays', 'The whole table, one last time this year. Somewhere warm.', 'Europe/Lisbon', date_trunc('day', now()) + interval '2 days 20 hours', null, false, now() - interval '2 days'),
  ('00000000-0000-4000-8000-0000000000b2', '00000000-0000-4000-8000-0000000000c2', 'Noodles after climbing', 'Hungry by eight, I promise.', 'Europe/Lisbon', null, null, false, now() - interval '5 hours'),
  ('00000000-0000-4000-8000-0000000000b3', '00000000-0000-4000-8000-0000000000c1', 'Chiara turns thirty', 'No presents. Bring an appetite and one story.', 'Europe/Lisbon', null, 4, false, now() - interval '12 days'),
  ('00000000-0000-4000-8000-0000000000b4', null, 'Market lunch', 'Quick one. Whoever is first takes the table by the window.', 'Europe/Lisbon', null, null, false, now() - interval '3 days'),
  ('00000000-0000-4000-8000-0000000000b5', '00000000-0000-4000-8000-0000000000c1', 'The dumpling evening', 'Sixty momos between five people.', 'Europe/Lisbon', null, null, false, now() - interval '20 days'),
  ('00000000-0000-4000-8000-0000000000b6', '00000000-0000-4000-8000-0000000000c1', 'Picnic in Monsanto', 'If the weather holds.', 'Europe/Lisbon', null, null, false, now() - interval '9 days')
on conflict (id) do nothing;

with seat (plan, person, role, rsvp, plus_ones) as (values
  ('b1', 'a1', 'host', 'pending', 0), ('b1', 'a2', 'guest', 'pending', 0), ('b1', 'a3', 'cohost', 'pending', 0),
  ('b1', 'a4', 'guest', 'pending', 0), ('b1', 'a5', 'guest', 'pending', 0), ('b1', 'a6', 'guest', 'pending', 0),
  ('b2', 'a2', 'host', 'pending', 0), ('b2', 'a1', 'guest', 'pending', 0), ('b2', 'a6', 'guest', 'pending', 0),
  ('b3', 'a3', 'host', 'going', 0), ('b3', 'a1', 'guest', 'going', 0), ('b3', 'a2', 'guest', 'going', 1),
  ('b3', 'a4', 'guest', 'waitlisted', 0), ('b3', 'a5', 'guest', 'maybe', 0), ('b3', 'a6', 'guest', 'declined', 0),
  ('b4', 'a2', 'host', 'going', 0), ('b4', 'a1', 'guest', 'going', 0), ('b4', 'a5', 'guest', 'going', 0),
  ('b4', 'a6', 'guest', 'maybe', 0),
  ('b5', 'a1', 'host', 'going', 0), ('b5', 'a2', 'guest', 'going', 0), ('b5', 'a3', 'guest', 'going', 0),
  ('b5', 'a4', 'guest', 'going', 0), ('b5', 'a6', 'guest', 'going', 0), ('b5', 'a5', 'guest', 'declined', 0),
  ('b6', 'a5', 'host', 'going', 0), ('b6', 'a1', 'guest', 'pending', 0), ('b6', 'a3', 'guest', 'maybe', 0)
)
insert into public.plan_members (plan_id, user_id, role, rsvp, plus_ones, waitlisted_at, joined_at)
select
  ('00000000-0000-4000-8000-0000000000' || plan)::uuid, ('00000000-0000-4000-8000-0000000000' || person)::uuid,
  role::public.plan_role, rsvp::public.rsvp_status, plus_ones,
  case when rsvp = 'waitlisted' then now() - interval '1 day' end,
  now() - interval '20 days' + row_number() over () * interval '1 minute'
from seat
on conflict (plan_id, user_id) do nothing;

-- Meals on the next such weekday that is at least two days away, in the plan's zone.
with meal (id, plan, weekday, clock, minutes, proposer) as (values
  ('e101', 'b1', 4, time '20:00', 150, 'a1'), ('e102', 'b1', 5, time '19:30', 180, 'a1'),
  ('e103', 'b1', 6, time '13:00', 150, 'a3'), ('e104', 'b1', 6, time '20:30', 180, 'a1'),
  ('e105', 'b1', 7, time '13:00', 180, 'a5'),
  ('e201', 'b2', 2, time '20:15', 90, 'a2'), ('e202', 'b2', 3, time '20:15', 90, 'a2'),
  ('e203', 'b2', 5, time '20:45', 90, 'a2'),
  ('e301', 'b3', 6, time '20:00', 210, 'a3'),
  ('e601', 'b6', 7, time '12:30', 240, 'a5')
)
insert into public.time_options (id, plan_id, starts_at, ends_at, proposed_by)
select
  ('00000000-0000-4000-8000-00000000' || meal.id)::uuid, ('00000000-0000-4000-8000-0000000000' || meal.plan)::uuid,
  slot.starts_at, slot.starts_at + make_interval(mins => meal.minutes),
  ('00000000-0000-4000-8000-0000000000' || meal.proposer)::uuid
from meal
cross join lateral (
  select (today + 2 + (meal.weekday - extract(isodow from today + 2)::integer + 7) % 7 + meal.clock)
    at time zone 'Europe/Lisbon' as starts_at
  from (select (now() at time zone 'Europe/Lisbon')::date as today) as calendar
) as slot
on conflict (id) do nothing;

insert into public.time_options (id, plan_id, starts_at, ends_at, proposed_by) values
  ('00000000-0000-4000-8000-00000000e401', '00000000-0000-4000-8000-0000000000b4', date_trunc('hour', now()) + interval '2 hours', date_trunc('hour', now()) + interval '3 hours 30 minutes', '00000000-0000-4000-8000-0000000000a2'),
  ('00000000-0000-4000-8000-00000000e501', '00000000-0000-4000-8000-0000000000b5', date_trunc('day', now()) - interval '5 days 4 hours', date_trunc('day', now()) - interval '5 days 1 hour', '00000000-0000-4000-8000-0000000000a1')
on conflict (id) do nothing;

with candidate (id, plan, place, proposer) as (values
  ('f101', 'b1', 'd08', 'a1'), ('f102', 'b1', 'd12', 'a1'), ('f103', 'b1', 'd05', 'a5'),
  ('f104', 'b1', 'd16', 'a4'), ('f105', 'b1', 'd07', 'a3'),
  ('f201', 'b2', 'd10', 'a2'), ('f202', 'b2', 'd04', 'a2'),
  ('f301', 'b3', 'd07', 'a3'), ('f401', 'b4', 'd20', 'a2'), ('f501', 'b5', 'd04', 'a4'),
  ('f601', 'b6', 'd15', 'a5')
)
insert into public.place_options (id, plan_id, place_id, proposed_by)
select
  ('00000000-0000-4000-8000-00000000' || candidate.id)::uuid,
  ('00000000-0000-4000-8000-0000000000' || candidate.plan)::uuid,
  ('00000000-0000-4000-8000-000000000' || candidate.place)::uuid,
  ('00000000-0000-4000-8000-0000000000' || candidate.proposer)::uuid
from candidate
on conflict (id) do nothing;

update public.plans as p set
  status = choice.status::public.plan_status,
  chosen_time_id = ('00000000-0000-4000-8000-00000000' || choice.time)::uuid,
  chosen_place_id = ('00000000-0000-4000-8000-00000000' || choice.place)::uuid,
  revision = 1
from (values
  ('b3', 'confirmed', 'e301', 'f301'), ('b4', 'confirmed', 'e401', 'f401'),
  ('b5', 'confirmed', 'e501', 'f501'), ('b6', 'cancelled', 'e601', 'f601')
) as choice (plan, status, time, place)
where p.id = ('00000000-0000-4000-8000-0000000000' || choice.plan)::uuid;

-- Votes: the answers to each option. Dev has answered places only, Fatou nothing yet.
with ballot (option, plan, person, answer) as (values
  ('e101', 'b1', 'a1', 'yes'), ('e102', 'b1', 'a1', 'yes'), ('e103', 'b1', 'a1', 'if_need_be'),
  ('e104', 'b1', 'a1', 'yes'), ('e105', 'b1', 'a1', 'no'),
  ('e101', 'b1', 'a2', 'no'), ('e102', 'b1', 'a2', 'yes'), ('e103', 'b1', 'a2', 'no'),
  ('e104', 'b1', 'a2', 'yes'), ('e105', 'b1', 'a2', 'if_need_be'),
  ('e101', 'b1', 'a3', 'if_need_be'), ('e102', 'b1', 'a3', 'yes'), ('e103', 'b1', 'a3', 'yes'),
  ('e104', 'b1', 'a3', 'if_need_be'), ('e105', 'b1', 'a3', 'no'),
  ('e101', 'b1', 'a5', 'yes'), ('e102', 'b1', 'a5', 'if_need_be'), ('e104', 'b1', 'a5', 'yes'),
  ('e105', 'b1', 'a5', 'yes'),
  ('e201', 'b2', 'a2', 'yes'), ('e202', 'b2', 'a2', 'yes'), ('e203', 'b2', 'a2', 'if_need_be'),
  ('e201', 'b2', 'a6', 'no'), ('e202', 'b2', 'a6', 'yes'),
  ('e301', 'b3', 'a3', 'yes'), ('e301', 'b3', 'a1', 'yes'), ('e301', 'b3', 'a2', 'yes'),
  ('e401', 'b4', 'a2', 'yes'), ('e401', 'b4', 'a1', 'yes'), ('e401', 'b4', 'a5', 'if_need_be'),
  ('e501', 'b5', 'a1', 'yes'), ('e501', 'b5', 'a2', 'yes'), ('e501', 'b5', 'a3', 'yes'), ('e501', 'b5', 'a4', 'yes')
)
insert into public.time_votes (option_id, plan_id, user_id, answer)
select
  ('00000000-0000-4000-8000-00000000' || option)::uuid, ('00000000-0000-4000-8000-0000000000' || plan)::uuid,
  ('00000000-0000-4000-8000-0000000000' || person)::uuid, answer::public.vote_answer
from ballot
on conflict (option_id, user_id) do nothing;

with ballot (option, plan, person, answer) as (values
  ('f101', 'b1', 'a1', 'yes'), ('f102', 'b1', 'a1', 'yes'), ('f103', 'b1', 'a1', 'if_need_be'),
  ('f104', 'b1', 'a1', 'yes'), ('f105', 'b1', 'a1', 'if_need_be'),
  ('f101', 'b1', 'a2', 'if_need_be'), ('f102', 'b1', 'a2', 'yes'), ('f103', 'b1', 'a2', 'yes'),
  ('f104', 'b1', 'a2', 'yes'),
  ('f101', 'b1', 'a3', 'yes'), ('f102', 'b1', 'a3', 'if_need_be'), ('f104', 'b1', 'a3', 'yes'), ('f105', 'b1', 'a3', 'yes'),
  ('f101', 'b1', 'a4', 'no'), ('f102', 'b1', 'a4', 'yes'), ('f104', 'b1', 'a4', 'yes'),
  ('f102', 'b1', 'a5', 'yes'), ('f103', 'b1', 'a5', 'yes'), ('f104', 'b1', 'a5', 'if_need_be'), ('f105', 'b1', 'a5', 'no'),
  ('f201', 'b2', 'a2', 'yes'), ('f202', 'b2', 'a2', 'if_need_be'), ('f202', 'b2', 'a6', 'yes'),
  ('f301', 'b3', 'a3', 'yes'), ('f301', 'b3', 'a1', 'yes'), ('f401', 'b4', 'a2', 'yes'), ('f501', 'b5', 'a4', 'yes')
)
insert into public.place_votes (option_id, plan_id, user_id, answer)
select
  ('00000000-0000-4000-8000-00000000' || option)::uuid, ('00000000-0000-4000-8000-0000000000' || plan)::uuid,
  ('00000000-0000-4000-8000-0000000000' || person)::uuid, answer::public.vote_answer
from ballot
on conflict (option_id, user_id) do nothing;

-- ---------------------------------------------------------------------------------------------------------
-- Conversation, photos, ratings, arrivals

with line (id, plan, person, minutes_ago, body, reply_to) as (values
  ('1001', 'b1', 'a1', 2700, 'I put up five evenings. The Friday is my favourite.', null),
  ('1002', 'b1', 'a2', 2655, 'Friday or Saturday late for me. Thursday I climb.', null),
  ('1003', 'b1', 'a5', 2600, 'Anadolu does lamb for the whole table if we say so two days before.', null),
  ('1004', 'b1', 'a4', 2410, 'And for the one vegan at the table?', '1003'),
  ('1005', 'b1', 'a5', 2400, 'Fair. Arroz Doce then, their dal is the real thing.', '1004'),
  ('1006', 'b1', 'a3', 1300, 'Senza is safe for me, Arroz Doce too. I will be there whatever you choose.', null),
  ('1007', 'b1', 'a1', 320, 'Fatou, are you back in town by then?', null),
  ('2001', 'b2', 'a2', 280, 'Wall opens late this week. Noodles after?', null),
  ('2002', 'b2', 'a6', 250, 'Not Tuesday. Momo Sete has a table for four.', null),
  ('3001', 'b3', 'a3', 9000, 'It is happening. Saturday, Senza, the long table in the back.', null),
  ('3002', 'b3', 'a2', 8800, 'Bringing Maya, hope that is fine.', null),
  ('3003', 'b3', 'a3', 8790, 'More than fine.', '3002'),
  ('3004', 'b3', 'a4', 1500, 'Waiting in line here. If someone drops out I am ten minutes away.', null),
  ('4001', 'b4', 'a2', 90, 'I have the table by the window until four.', null),
  ('4002', 'b4', 'a5', 45, 'Leaving the office now.', null),
  ('5001', 'b5', 'a4', 8600, 'Sixty was a conservative estimate.', null),
  ('5002', 'b5', 'a6', 8500, 'I still dream of the green chutney.', null)
)
insert into public.messages (id, plan_id, author_id, client_id, body, reply_to, created_at)
select
  ('00000000-0000-4000-8000-00000000' || line.id)::uuid, ('00000000-0000-4000-8000-0000000000' || line.plan)::uuid,
  ('00000000-0000-4000-8000-0000000000' || line.person)::uuid,
  ('00000000-0000-4000-8000-00000000' || line.id)::uuid, line.body,
  ('00000000-0000-4000-8000-00000000' || line.reply_to)::uuid,
  now() - make_interval(mins => line.minutes_ago)
from line
order by line.id
on conflict (id) do nothing;

insert into public.reactions (message_id, plan_id, user_id, emoji) values
  ('00000000-0000-4000-8000-000000001005', '00000000-0000-4000-8000-0000000000b1', '00000000-0000-4000-8000-0000000000a4', '❤️'),
  ('00000000-0000-4000-8000-000000001005', '00000000-0000-4000-8000-0000000000b1', '00000000-0000-4000-8000-0000000000a1', '😋'),
  ('00000000-0000-4000-8000-000000003001', '00000000-0000-4000-8000-0000000000b3', '00000000-0000-4000-8000-0000000000a1', '🎉'),
  ('00000000-0000-4000-8000-000000005001', '00000000-0000-4000-8000-0000000000b5', '00000000-0000-4000-8000-0000000000a2', '😂')
on conflict (message_id, user_id, emoji) do nothing;

-- The pictures themselves are in seed/plan-photos, under the same paths.
with picture (id, plan, person, file, width, height, caption, minutes_ago) as (values
  ('7001', 'b5', 'a1', 'momos.webp', 960, 720, 'The first twelve of sixty.', 7600),
  ('7002', 'b5', 'a4', 'chutney.webp', 720, 960, 'Green chutney, before Fatou found it.', 7580),
  ('7003', 'b5', 'a6', 'table.webp', 960, 720, 'All of us, from above.', 7560),
  ('7004', 'b4', 'a2', 'window.webp', 960, 720, 'The window table is ours.', 80)
)
insert into public.photos (id, plan_id, author_id, path, width, height, caption, created_at)
select
  ('00000000-0000-4000-8000-00000000' || id)::uuid, ('00000000-0000-4000-8000-0000000000' || plan)::uuid,
  ('00000000-0000-4000-8000-0000000000' || person)::uuid,
  '00000000-0000-4000-8000-0000000000' || plan || '/00000000-0000-4000-8000-0000000000' || person || '/' || file,
  width, height, caption, now() - make_interval(mins => minutes_ago)
from picture
on conflict (id) do nothing;

insert into public.ratings (plan_id, user_id, place_id, stars, comment) values
  ('00000000-0000-4000-8000-0000000000b5', '00000000-0000-4000-8000-0000000000a2', '00000000-0000-4000-8000-000000000d04', 5, 'Go hungry.'),
  ('00000000-0000-4000-8000-0000000000b5', '00000000-0000-4000-8000-0000000000a4', '00000000-0000-4000-8000-000000000d04', 5, 'Like at home, louder.'),
  ('00000000-0000-4000-8000-0000000000b5', '00000000-0000-4000-8000-0000000000a6', '00000000-0000-4000-8000-000000000d04', 4, '')
on conflict (plan_id, user_id) do nothing;

insert into public.arrivals (plan_id, user_id, status, eta) values
  ('00000000-0000-4000-8000-0000000000b4', '00000000-0000-4000-8000-0000000000a2', 'arrived', null),
  ('00000000-0000-4000-8000-0000000000b4', '00000000-0000-4000-8000-0000000000a5', 'on_the_way', now() + interval '14 minutes')
on conflict (plan_id, user_id) do nothing;

insert into public.notifications (id, user_id, kind, plan_id, actor_id, created_at) values
  ('00000000-0000-4000-8000-000000008001', '00000000-0000-4000-8000-0000000000a1', 'plan_invited', '00000000-0000-4000-8000-0000000000b2', '00000000-0000-4000-8000-0000000000a2', now() - interval '5 hours'),
  ('00000000-0000-4000-8000-000000008002', '00000000-0000-4000-8000-0000000000a1', 'plan_cancelled', '00000000-0000-4000-8000-0000000000b6', '00000000-0000-4000-8000-0000000000a5', now() - interval '1 day'),
  ('00000000-0000-4000-8000-000000008003', '00000000-0000-4000-8000-0000000000a6', 'plan_invited', '00000000-0000-4000-8000-0000000000b1', '00000000-0000-4000-8000-0000000000a1', now() - interval '2 days')
on conflict (id) do nothing;

-- A link that always works on a fresh database: /join/demo-table leads to Ana's dinner.
insert into public.invites (id, plan_id, token_hash, created_by, expires_at, max_uses) values
  ('00000000-0000-4000-8000-000000009001', '00000000-0000-4000-8000-0000000000b1', extensions.digest('demo-table', 'sha256'), '00000000-0000-4000-8000-0000000000a1', now() + interval '14 days', 20)
on conflict (id) do nothing;

-- Ana's address with a known token, so that the settings link of a mail can be tried.
insert into private.mail_recipients (address, token) values
  ('ana@nosh.test', '00000000-0000-4000-8000-0000000000e1');
