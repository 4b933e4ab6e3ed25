-- The secret that the schedule shows to functions. It is random, and nobody has to know it. The other entry of the vault,
-- project_url, is in config.toml.

select vault.create_secret(encode(extensions.gen_random_bytes(32), 'hex'), 'reminders_secret',
    'What the schedule shows to the function plan-reminders.')
  where not exists (select 1 from vault.secrets where name = 'reminders_secret');
