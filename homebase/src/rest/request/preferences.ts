/**
 * Owns the `Prefer` header: parsing, and the applied preferences (PostgREST documentation, "Prefer Header";
 * RFC 7240).
 */

export interface Preferences {
  resolution?: "merge-duplicates" | "ignore-duplicates";
  missing?: "default" | "null";
  return?: "minimal" | "headers-only" | "representation";
  count?: "exact" | "planned" | "estimated";
  tx?: "commit" | "rollback";
  handling?: "lenient" | "strict";
  timezone?: string;
  maxAffected?: number;
  /** Unknown preferences, in order. */
  unknown: string[];
}

const CHOICES = {
  resolution: ["merge-duplicates", "ignore-duplicates"],
  missing: ["default", "null"],
  return: ["minimal", "headers-only", "representation"],
  count: ["exact", "planned", "estimated"],
  tx: ["commit", "rollback"],
  handling: ["lenient", "strict"],
} as const;

type Choice = keyof typeof CHOICES;

/** The first valid value of each kind applies. */
export function parsePreferences(header: string | undefined): Preferences {
  const preferences: Preferences = { unknown: [] };
  if (!header) return preferences;
  for (const part of header.split(",")) {
    const text = part.trim();
    if (text === "") continue;
    const equals = text.indexOf("=");
    const name = text.slice(0, equals);
    const value = text.slice(equals + 1);
    if (name === "timezone") preferences.timezone ??= value;
    else if (name === "max-affected") {
      if (/^\d+$/.test(value)) preferences.maxAffected ??= Number(value);
    } else if (name in CHOICES && (CHOICES[name as Choice] as readonly string[]).includes(value)) {
      const slot = preferences as unknown as Record<string, string | undefined>;
      slot[name] ??= value;
    } else preferences.unknown.push(text);
  }
  return preferences;
}

/** The value of `Preference-Applied`; undefined when none was applied. */
export function preferencesApplied(applied: Omit<Preferences, "unknown">): string | undefined {
  const parts: string[] = [];
  if (applied.resolution) parts.push(`resolution=${applied.resolution}`);
  if (applied.missing) parts.push(`missing=${applied.missing}`);
  if (applied.return) parts.push(`return=${applied.return}`);
  if (applied.count) parts.push(`count=${applied.count}`);
  if (applied.tx) parts.push(`tx=${applied.tx}`);
  if (applied.handling) parts.push(`handling=${applied.handling}`);
  if (applied.timezone !== undefined) parts.push(`timezone=${applied.timezone}`);
  if (applied.maxAffected !== undefined) parts.push(`max-affected=${applied.maxAffected}`);
  return parts.length > 0 ? parts.join(", ") : undefined;
}
