SET session_replication_role = replica;

--
-- Data for Name: clubs; Type: TABLE DATA; Schema: public; Owner: postgres
--

INSERT INTO "public"."clubs" ("id", "name") VALUES
	(1, 'Chess'),
	(2, 'Go');

--
-- Data for Name: members; Type: TABLE DATA; Schema: public; Owner: postgres
--

INSERT INTO "public"."members" ("club_id", "user_id", "joined", "badge") VALUES
	(1, 'aaaaaaaa-0000-4000-8000-000000000001', '2025-01-01', NULL);

SELECT pg_catalog.setval('"public"."clubs_id_seq"', 2, true);

RESET ALL;
