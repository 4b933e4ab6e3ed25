create index concurrently if not exists events_kind on public.events_2025 (kind);
