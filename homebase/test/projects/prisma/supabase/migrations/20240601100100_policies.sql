-- Prisma writes no policies: these are by hand, and Prisma's own table is closed to the API.
CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum" VARCHAR(64) NOT NULL,
    "finished_at" TIMESTAMPTZ,
    "migration_name" VARCHAR(255) NOT NULL,
    "logs" TEXT,
    "rolled_back_at" TIMESTAMPTZ,
    "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
);
ALTER TABLE "_prisma_migrations" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "User" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "Post" ENABLE ROW LEVEL SECURITY;
CREATE POLICY "own account" ON "User" FOR SELECT TO authenticated USING ("authId" = auth.uid());
CREATE POLICY "posts are public" ON "Post" FOR SELECT USING (true);
CREATE POLICY "own posts" ON "Post" FOR INSERT TO authenticated
  WITH CHECK ("authorId" IN (SELECT "id" FROM "User" WHERE "authId" = auth.uid()));
CREATE OR REPLACE FUNCTION public.handle_new_user() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO public."User" ("id", "email", "authId") VALUES (NEW.id::text, NEW.email, NEW.id);
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER on_auth_user_created AFTER INSERT ON auth.users FOR EACH ROW EXECUTE FUNCTION public.handle_new_user();
