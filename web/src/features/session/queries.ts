/** Owns: the project's other sign-in methods. */
import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { env } from "../../lib/backend/env.ts";
import { AppError } from "../../lib/errors.ts";

/** Providers with their display names. */
export const providerNames = {
  apple: "Apple",
  azure: "Microsoft",
  discord: "Discord",
  facebook: "Facebook",
  github: "GitHub",
  gitlab: "GitLab",
  google: "Google",
  spotify: "Spotify",
} as const;
export type Provider = keyof typeof providerNames;

const settings = z.object({ external: z.record(z.string(), z.boolean()) });

/** The providers that are configured, by `GET /auth/v1/settings`. */
export async function readProviders(signal: AbortSignal): Promise<Provider[]> {
  const answer = await fetch(new URL("/auth/v1/settings", env.VITE_SUPABASE_URL), {
    headers: { apikey: env.VITE_SUPABASE_PUBLISHABLE_KEY },
    signal,
  });
  if (!answer.ok)
    throw new AppError("unexpected", "settings", `/auth/v1/settings answered ${answer.status}`, "");
  const { external } = settings.parse(await answer.json());
  return (Object.keys(providerNames) as Provider[]).filter((name) => external[name] === true);
}

export const sessionQueries = {
  providers: () =>
    queryOptions({
      queryKey: ["providers"],
      queryFn: ({ signal }) => readProviders(signal),
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    }),
};
