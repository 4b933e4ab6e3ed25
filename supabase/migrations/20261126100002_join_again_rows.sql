insert into private.limits (name, value, reason) values
  ('join_requests_per_plan', 3, 'A host may decline by mistake; a person who was declined three times is not wanted.');
