/**
 * Owns the endpoints of features that are not implemented: disabled in the configuration, they respond as
 * upstream does; enabled, they respond 501.
 */
import { notFound } from "../kit/errors.ts";

/** /scim */
export function scim(): never {
  throw notFound("feature_disabled", "SCIM is disabled");
}
