ALTER TABLE "workspaces" ALTER COLUMN "name" SET DATA TYPE text;--> statement-breakpoint
ALTER TYPE "public"."plan" ADD VALUE 'team' BEFORE 'pro';--> statement-breakpoint
CREATE VIEW "public"."paid_workspaces" WITH (security_invoker = true) AS (select "id", "name" from "workspaces" where "workspaces"."plan" <> 'free');--> statement-breakpoint
ALTER TABLE "billing"."invoices" ADD COLUMN "due" date DEFAULT now() + interval '14 days' NOT NULL;--> statement-breakpoint
GRANT USAGE ON SCHEMA "billing" TO "billing_reader";--> statement-breakpoint
GRANT SELECT ON ALL TABLES IN SCHEMA "billing" TO "billing_reader";--> statement-breakpoint
ALTER POLICY "owners" ON "workspaces" TO authenticated USING ((select auth.uid()) = "workspaces"."owner_id");
