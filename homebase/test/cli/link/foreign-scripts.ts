/**
 * Owns the scripts of 20 public repositories' package.json that call the Supabase CLI, as they stand at a commit. Scripts
 * that run something else besides (the app, git, a file of the repository) are left out.
 */

/** Where the parts of a script run. */
type Where = "here" | "real" | "both";
type Script = readonly [name: string, line: string, where: Where, argument?: string];

export interface ForeignRepository {
  repository: string;
  commit: string;
  /** Of its package.json, where that is not at the root. */
  folder?: string;
  scripts: readonly Script[];
}

export const repositories: readonly ForeignRepository[] = [
  {
    repository: "vercel/nextjs-subscription-payments",
    commit: "013bcee3a48d285932a7f8a5db6e0db102d3cea1",
    scripts: [
      ["supabase:start", "npx supabase start", "here"],
      ["supabase:status", "npx supabase status", "here"],
      ["supabase:reset", "npx supabase db reset", "here"],
      [
        "supabase:generate-types",
        "npx supabase gen types typescript --local --schema public > types_db.ts",
        "here",
      ],
      [
        "supabase:generate-migration",
        "npx supabase db diff | npx supabase migration new",
        "here",
        "generated",
      ],
      ["supabase:generate-seed", "npx supabase db dump --data-only -f supabase/seed.sql", "real"],
      ["supabase:link", "npx supabase link", "real"],
      ["supabase:push", "npx supabase db push", "real"],
      ["supabase:pull", "npx supabase db pull", "real"],
      ["supabase:stop", "npx supabase stop", "here"],
      ["supabase:restart", "npm run supabase:stop && npm run supabase:start", "here"],
    ],
  },
  {
    repository: "mckaywrigley/chatbot-ui",
    commit: "004579cea4797a7b93c0e64b0d23c9b7f498e96a",
    scripts: [
      ["db-types", "supabase gen types typescript --local > supabase/types.ts", "here"],
      ["db-reset", "supabase db reset && npm run db-types", "here"],
      ["db-migrate", "supabase migration up", "here"],
      ["db-pull", "supabase db remote commit", "real"],
      ["db-push", "supabase db push", "real"],
    ],
  },
  {
    repository: "makerkit/nextjs-saas-starter-kit-lite",
    commit: "6b1ba052672f76ce019e4673fc6291244ff34da2",
    folder: "apps/web",
    scripts: [
      ["supabase:start", "supabase status || supabase start", "here"],
      ["supabase:status", "supabase status", "here"],
      ["supabase:reset", "supabase db reset", "here"],
      ["supabase:test", "supabase db test", "here"],
      ["supabase:db:lint", "supabase db lint", "here"],
      [
        "supabase:typegen:packages",
        "supabase gen types typescript --local > ../../packages/supabase/src/database.types.ts",
        "here",
      ],
      ["supabase:typegen:app", "supabase gen types typescript --local > ./lib/database.types.ts", "here"],
      ["supabase:db:dump:local", "supabase db dump --local --data-only", "here"],
      ["supabase:deploy", "supabase link --project-ref $SUPABASE_PROJECT_REF && supabase db push", "real"],
      ["supabase:stop", "supabase stop", "here"],
    ],
  },
  {
    repository: "liam-hq/liam",
    commit: "0bb691f15558531f03773272623b924796571f6b",
    folder: "frontend/internal-packages/db",
    scripts: [
      ["supabase:start", "pnpm supabase start", "here"],
      ["supabase:gen:schema_sql", "pnpm supabase db dump --local > ./supabase/schemas/schema.sql", "here"],
      [
        "supabase:gen:types",
        "supabase gen types typescript --local > supabase/database.types.ts && biome check --write --unsafe supabase/database.types.ts",
        "here",
      ],
      ["supabase:migration", "supabase db diff -f", "here", "changed"],
      ["supabase:migration:new", "supabase migration new", "here", "first_step"],
      ["supabase:migration:up", "supabase migration up", "here"],
      ["supabase:reset", "pnpm supabase db reset", "here"],
      ["supabase:stop", "pnpm supabase stop", "here"],
    ],
  },
  {
    repository: "tutur3u/platform",
    commit: "023955c2f257180d1ce97937840ba5753301e90b",
    folder: "apps/db",
    scripts: [
      ["sb:start", "bun supabase start", "here"],
      ["sb:status", "bun supabase status", "here"],
      ["sb:reset", "bun supabase db reset", "here"],
      ["sb:diff", "bun supabase db diff -f new_migration", "here"],
      ["sb:new", "bun supabase migration new new_migration", "here"],
      ["sb:up", "bun supabase migration up", "here"],
      [
        "sb:typegen",
        "bun supabase gen types typescript --local --schema public > ../../packages/types/src/supabase.ts && biome format --write ../../packages/types/src/supabase.ts",
        "here",
      ],
      ["sbr:diff", "bun supabase db diff -f new_migration --linked", "real"],
      ["sbr:up", "bun supabase migration up --linked", "real"],
      ["sbr:sync", "bun supabase db push --linked && bun supabase db pull --linked", "real"],
      ["sb:sync", "bun supabase db push && bun supabase db pull", "real"],
      ["sb:linkpush", "bun supabase link && bun supabase db push", "real"],
      ["sb:stop", "bun supabase stop", "here"],
    ],
  },
  {
    repository: "YuDefine/nuxt-supabase-starter",
    commit: "015f479dc4207cf95f1c3532c04728af73dfd483",
    scripts: [
      ["db:diff", "supabase db diff", "here"],
      ["db:lint", "supabase db lint --level warning", "here"],
      ["db:reset", "supabase db reset", "here"],
      [
        "db:types",
        "supabase gen types --lang=typescript --local | tee app/types/database.types.ts > /dev/null",
        "here",
      ],
    ],
  },
  {
    repository: "CM20254-Group-7/rental-review",
    commit: "513c4219fbeff5d393299a07e4e317bf078a0981",
    folder: "packages/supabase",
    scripts: [
      ["start", "supabase start", "here"],
      ["db-reset", "supabase db reset", "here"],
      ["generate-types", "supabase gen types typescript --local > supabase.types.ts", "here"],
      ["restart", "supabase stop --no-backup && supabase start", "here"],
      ["stop", "supabase stop", "here"],
    ],
  },
  {
    repository: "Bravo-Actual/calendar-mono",
    commit: "461cfb39e90f14170f774fcb9e079287972fd2e2",
    folder: "packages/supabase",
    scripts: [
      ["dev", "supabase start", "here"],
      ["status", "supabase status", "here"],
      ["reset", "supabase db reset", "here"],
      ["migration:new", "supabase migration new", "here", "second_step"],
      ["types:generate", "supabase gen types typescript --local > database.types.ts", "here"],
      ["stop", "supabase stop", "here"],
    ],
  },
  {
    repository: "0ta-mjn/private-farm",
    commit: "174f9edb8b5f3fdf3911265b923a3a591d0b4dd8",
    folder: "packages/supabase",
    scripts: [
      ["setup", "supabase status || supabase start", "here"],
      ["reset", "supabase db reset || supabase start", "here"],
      ["deploy", "supabase link --project-ref $SUPABASE_PROJECT_REF && supabase db push", "real"],
      ["stop", "supabase stop", "here"],
      ["stopd", "supabase stop --no-backup", "here"],
    ],
  },
  {
    repository: "pchmn/rr7-supabase-starter",
    commit: "0bed38de1ecede510b7f5c359c9405f851d286cf",
    scripts: [
      ["sup:start", "supabase start", "here"],
      [
        "sup:types",
        "supabase gen types --lang=typescript --local > packages/supabase/src/types/database-generated.types.ts && biome format --write packages/supabase/src/types/database-generated.types.ts",
        "here",
      ],
      ["sup:stop", "supabase stop", "here"],
      ["sup:restart", "pnpm sup:stop && pnpm sup:start", "here"],
    ],
  },
  {
    repository: "verdantstack/sveltekit-supabase-starter",
    commit: "0a60b3816b52ec1e458174dfbcfd87cc8d9f7f5a",
    scripts: [["db:generate", "supabase db diff --schema public | supabase db push", "both"]],
  },
  {
    repository: "maemreyo/nextjs-supabase-template",
    commit: "1222aa54f4bbea259a458aa0e1ca9d83c9b6b260",
    scripts: [
      ["supabase:start", "supabase start", "here"],
      ["supabase:status", "supabase status", "here"],
      ["db:generate", "supabase gen types typescript --local > src/lib/database.types.ts", "here"],
      [
        "db:generate-types-remote",
        "supabase gen types typescript --project-id idrnzkbrhnnfombyiavk > src/lib/database.types.ts",
        "real",
      ],
      ["db:reset", "supabase db reset", "here"],
      ["db:migrate", "supabase db push", "real"],
      ["supabase:stop", "supabase stop", "here"],
    ],
  },
  {
    repository: "psteinroe/supabase-cache-helpers",
    commit: "01f8d862b5face05d2d68a67547f17bcb7e8ccf0",
    scripts: [
      [
        "typegen",
        "supabase gen types typescript --local > packages/postgrest-swr/__tests__/database.types.ts && supabase gen types typescript --local > packages/postgrest-react-query/__tests__/database.types.ts && supabase gen types typescript --local > packages/postgrest-core/__tests__/database.types.ts && supabase gen types typescript --local > examples/swr/types/database.ts && supabase gen types typescript --local > examples/react-query/types/database.ts",
        "here",
      ],
    ],
  },
  {
    repository: "Kysetopher/next-supabase-template",
    commit: "3ff504c415013ffcb61618d4545e2f7e1fbd3fe4",
    scripts: [
      ["db:start", "supabase start", "here"],
      ["db:reset", "supabase db reset", "here"],
      ["db:new", "supabase migration new", "here", "third_step"],
      ["db:types", "supabase gen types typescript --local > src/lib/supabase/types.ts", "here"],
      ["db:push", "supabase db push", "real"],
      ["db:stop", "supabase stop", "here"],
    ],
  },
  {
    repository: "alejandrovdev/nextjs-supabase-starter",
    commit: "915df4ce9b7f43088fffe3f9273e7ce000ef9653",
    scripts: [
      ["db:start", "supabase start", "here"],
      ["db:status", "supabase status", "here"],
      ["db:reset", "supabase db reset", "here"],
      ["db:migrations:up", "supabase migration up", "here"],
      ["db:types", "npx supabase gen types typescript --local > src/lib/supabase/database.types.ts", "here"],
      ["storage:sync", "supabase seed buckets", "here"],
      ["db:migrations:list", "supabase migration list", "real"],
      ["db:migrations:down", "supabase migration down", "real"],
      ["db:push", "supabase db push", "real"],
      ["db:stop", "supabase stop", "here"],
    ],
  },
  {
    repository: "imbhargav5/nextbase-nuxt-supabase-starter",
    commit: "27c3e1e71dd9a6c3d08f14c271af0280905f7b75",
    scripts: [
      ["generate:types:local", "supabase gen types typescript --local > lib/database.types.ts", "here"],
    ],
  },
  {
    repository: "adarsh25-dev/nextjs-supabase-ai-saas-starter",
    commit: "03a5168e05e16a8ad17c19121f931695ccca9832",
    scripts: [
      [
        "supabase:types",
        "supabase gen types typescript --project-id YOUR_PROJECT > types/database.ts",
        "real",
      ],
    ],
  },
  {
    repository: "AshrafElshaer/Staff-Optima",
    commit: "5dbb9343f37273700574991b3165a085813acffe",
    folder: "packages/supabase",
    scripts: [
      ["db:push", "bunx supabase db push", "real"],
      ["deploy:functions", "bunx supabase functions deploy --no-verify-jwt", "real"],
      [
        "ts:generate",
        "bunx supabase gen types typescript --project-id cdyzzvkquqofxxmlzzzy --schema public > src/types/database.ts",
        "real",
      ],
    ],
  },
  {
    repository: "Caeorta-io/caeorta_app",
    commit: "e8f1a038b833519e57403fbcb61f21962402c4dc",
    folder: "packages/supabase",
    scripts: [["gen:types", "supabase gen types typescript --linked > src/database.types.ts", "real"]],
  },
  {
    repository: "axelv71/nextjs-supabase-boilerplate",
    commit: "015789e02c282005f5f57f55407d777cd56e2416",
    scripts: [
      ["generate:db:types", "supabase gen types typescript --linked > src/types/database.types.ts", "real"],
    ],
  },
];
