/** Owns the admin endpoints for a user's second factors (docs/compat/auth.md 1). */
import { z } from "zod";
import { transact } from "../kit/as-auth-admin.ts";
import { checkPhone } from "../kit/client-input.ts";
import type { AuthEndpoint } from "../kit/endpoint.ts";
import { writeFailure } from "../kit/errors.ts";
import { fields, json } from "../kit/request-fields.ts";
import { audit } from "../users/audit-record.ts";
import { factorJson } from "../users/user.ts";
import { namedUser } from "../users/users.ts";
import { factorOf, removeFactor } from "./factors.ts";

/** GET /admin/users/{id}/factors */
export const listFactorsByAdmin: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  const user = await transact(auth, request, (call) => namedUser(call, id));
  return json(200, user.factors.map(factorJson));
};

const updateBody = z.object({ friendly_name: z.string().default(""), phone: z.string().default("") });

/** PUT /admin/users/{id}/factors/{factor id} */
export const updateFactorByAdmin: AuthEndpoint<"id" | "factor"> = async (
  auth,
  request,
  { id, factor: factorId },
) => {
  const given = await fields(request, updateBody);
  const phone = given.phone === "" ? "" : checkPhone(given.phone);
  const factor = await transact(auth, request, async (call) => {
    const user = await namedUser(call, id);
    const factor = factorOf(user, factorId);
    if (given.friendly_name !== "") factor.friendly_name = given.friendly_name;
    if (phone !== "" && factor.factor_type === "phone") factor.phone = phone;
    factor.updated_at = call.now;
    call.enqueue(
      "update mfa_factors set friendly_name = $2, phone = $3, updated_at = $4 where id = $1",
      [factor.id, factor.friendly_name, factor.phone, factor.updated_at],
      (error) => writeFailure("Database error updating factor", error),
    );
    audit(call, "factor_updated", user, { factor_id: factor.id });
    return factor;
  });
  return json(200, factorJson(factor));
};

/** DELETE /admin/users/{id}/factors/{factor id} */
export const deleteFactorByAdmin: AuthEndpoint<"id" | "factor"> = async (
  auth,
  request,
  { id, factor: factorId },
) => {
  const factor = await transact(auth, request, async (call) => {
    const user = await namedUser(call, id);
    const factor = factorOf(user, factorId);
    removeFactor(call, factor, call.now);
    audit(call, "factor_deleted", user, {
      user_id: user.row.id,
      factor_id: factor.id,
    });
    return factor;
  });
  return json(200, factorJson(factor));
};
