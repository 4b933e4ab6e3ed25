/**
 * Owns the other issuer whose tokens are accepted beside Auth's (`[auth.third_party.*]`): its address from config.toml, as
 * the Supabase CLI makes it.
 */
import { isSafeAddress } from "../core/safe-address.ts";
import type { ConfigFile } from "./schema.ts";

type Auth = ConfigFile["auth"];
type Section = Auth["third_party"][string];
type Enabled = readonly [name: string, section: Section];
type Member = Exclude<keyof Section, "enabled">;

/** The members that each needs, and `iss` of its tokens. */
const ISSUERS: Record<string, { needs: readonly Member[]; issuer: (section: Section) => string }> = {
  firebase: { needs: ["project_id"], issuer: (one) => `https://securetoken.google.com/${one.project_id}` },
  auth0: {
    needs: ["tenant"],
    issuer: ({ tenant, tenant_region: region }) =>
      `https://${tenant}.${region ? `${region}.` : ""}auth0.com/`,
  },
  aws_cognito: {
    needs: ["user_pool_id", "user_pool_region"],
    issuer: (one) => `https://cognito-idp.${one.user_pool_region}.amazonaws.com/${one.user_pool_id}`,
  },
  clerk: { needs: ["domain"], issuer: ({ domain }) => `https://${domain}` },
  workos: { needs: ["issuer_url"], issuer: ({ issuer_url: url }) => url ?? "" },
};

/** The one that is enabled and described: its section's name, and `iss` of its tokens. */
export function otherIssuerOf({ third_party: sections }: Auth): { name: string; issuer: string } | undefined {
  const [found] = enabledOf(sections);
  const known = found && ISSUERS[found[0]];
  if (!known || missingIn(found).length > 0) return undefined;
  return { name: found[0], issuer: known.issuer(found[1]) };
}

/** Why the sections cannot be used: one of them at most is enabled, as for the Supabase CLI. */
export function thirdPartyFaults({ third_party: sections }: Auth): string[] {
  const enabled = enabledOf(sections);
  if (enabled.length < 2) return [];
  const names = enabled.map(([name]) => name).join(" and ");
  return [
    `auth.third_party: ${names} are enabled; the tokens of one issuer can be accepted, not of several.`,
  ];
}

/** What the enabled one lacks, without which its tokens are refused. */
export function thirdPartyWarnings({ third_party: sections }: Auth): string[] {
  return enabledOf(sections).flatMap((one) =>
    missingIn(one).map((member) => {
      const given = one[1][member] ?? "";
      const fault = given === "" ? "is missing" : `is ${JSON.stringify(given)}`;
      return `auth.third_party.${one[0]}.${member} ${fault}: tokens of ${one[0]} are refused.`;
    }),
  );
}

function missingIn([name, section]: Enabled): Member[] {
  return (ISSUERS[name]?.needs ?? []).filter((member) => {
    const value = section[member] ?? "";
    return !(member === "issuer_url" ? isSafeAddress(value) : /^[\w.-]+$/.test(value));
  });
}

function enabledOf(sections: Auth["third_party"]): Enabled[] {
  return Object.entries(sections).filter(([name, { enabled }]) => enabled && Object.hasOwn(ISSUERS, name));
}
