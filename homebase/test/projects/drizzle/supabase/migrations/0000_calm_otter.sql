CREATE SCHEMA "billing";
--> statement-breakpoint
CREATE ROLE "billing_reader" WITH NOLOGIN;--> statement-breakpoint
CREATE TYPE "public"."plan" AS ENUM('free', 'pro');--> statement-breakpoint
CREATE SEQUENCE "public"."invoice_number" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1000 CACHE 1;--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "workspaces" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" uuid NOT NULL,
	"name" varchar(80) NOT NULL,
	"plan" "plan" DEFAULT 'free' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "workspaces_name_unique" UNIQUE NULLS NOT DISTINCT("owner_id","name")
);
--> statement-breakpoint
ALTER TABLE "workspaces" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE TABLE IF NOT EXISTS "billing"."invoices" (
	"number" bigint PRIMARY KEY DEFAULT nextval('invoice_number') NOT NULL,
	"workspace_id" uuid NOT NULL,
	"cents" integer NOT NULL,
	"tax" integer GENERATED ALWAYS AS (("billing"."invoices"."cents" * 23 / 100)) STORED,
	CONSTRAINT "cents_positive" CHECK ("billing"."invoices"."cents" > 0)
);
--> statement-breakpoint
DO $$ BEGIN
 ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "auth"."users"("id") ON DELETE cascade ON UPDATE no action;
EXCEPTION
 WHEN duplicate_object THEN null;
END $$;
--> statement-breakpoint
ALTER TABLE "billing"."invoices" ADD CONSTRAINT "invoices_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "workspaces_owner_idx" ON "workspaces" USING btree ("owner_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE POLICY "owners" ON "workspaces" AS PERMISSIVE FOR ALL TO "authenticated" USING ((select auth.uid()) = "workspaces"."owner_id") WITH CHECK ((select auth.uid()) = "workspaces"."owner_id");
