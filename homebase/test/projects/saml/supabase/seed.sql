insert into auth.sso_providers (id, resource_id, created_at, updated_at)
values ('cccccccc-0000-4000-8000-000000000001', 'acme', now(), now());
insert into auth.saml_providers (id, sso_provider_id, entity_id, metadata_xml, attribute_mapping)
values (gen_random_uuid(), 'cccccccc-0000-4000-8000-000000000001', 'https://idp.acme.example/saml',
  '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.acme.example/saml"/>',
  '{"keys": {"department": {"name": "department"}}}');
insert into auth.sso_domains (id, sso_provider_id, domain)
values (gen_random_uuid(), 'cccccccc-0000-4000-8000-000000000001', 'acme.example');
insert into public.tenants (id, name, sso_provider_id) values
  ('dddddddd-0000-4000-8000-000000000001', 'Acme', 'cccccccc-0000-4000-8000-000000000001'),
  ('dddddddd-0000-4000-8000-000000000002', 'Other', null);
insert into public.reports (tenant, title)
select id, name || '''s first' from public.tenants;
