/** Owns which calls came after the Auth of hosted projects (pull requests of supabase/auth, by their dates). */
import { HOSTED_VERSIONS } from "../../config/hosted/hosted-versions.ts";

const { version } = HOSTED_VERSIONS.auth.hosted;

/** What the path of a call is, one sentence each. */
export function laterThanHosted(segments: readonly string[]): string[] {
  const [first, second] = segments;
  if (first !== "factors" || second !== "recovery-codes") return [];
  return [`Recovery codes are unknown to hosted's Auth ${version}: they came with 2.197 (September 2026).`];
}
