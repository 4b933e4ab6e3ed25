/** Owns unlinking a user's identity. */
import { isUuid } from "../../core/uuid.ts";
import { type Transaction, transact } from "../kit/as-auth-admin.ts";
import type { AuthEndpoint } from "../kit/endpoint.ts";
import { forbidden, linkingDisabled, notFound, unprocessable } from "../kit/errors.ts";
import { json } from "../kit/request-fields.ts";
import { notify } from "../mail/account-notices.ts";
import { audit } from "../users/audit-record.ts";
import { requireUser } from "../users/signed-in-caller.ts";
import type { IdentityRow, User, UserRow } from "../users/user.ts";
import { clearOneTimeTokens, findByEmail, providersOf, updateUser } from "../users/users.ts";

/** DELETE /user/identities/{identity_id} */
export const unlinkIdentity: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  const { user, claims } = await requireUser(auth, request);
  if (!auth.config.enable_manual_linking) throw linkingDisabled();
  if (!isUuid(id)) throw notFound("validation_failed", "identity_id must be an UUID");
  if (request.audience !== undefined && claims.aud !== request.audience) {
    throw forbidden("unexpected_audience", "Token audience doesn't match request audience");
  }
  if (user.identities.length < 2) {
    throw unprocessable(
      "single_identity_not_deletable",
      "User must have at least 1 identity after unlinking",
    );
  }
  const removed = user.identities.find((identity) => identity.id === id);
  if (!removed) throw unprocessable("identity_not_found", "Identity doesn't exist");
  const formerEmail = user.row.email ?? "";
  await transact(auth, request, async (call) => {
    call.enqueue("delete from identities where id = $1", [removed.id]);
    user.identities = user.identities.filter((identity) => identity !== removed);
    const changes: Partial<UserRow> = {
      raw_app_meta_data: { ...user.row.raw_app_meta_data, ...providersOf(user) },
    };
    if (removed.provider === "phone") {
      changes.phone = null;
      changes.phone_confirmed_at = null;
    } else Object.assign(changes, await emailAfterUnlinking(call, user));
    updateUser(call, user, changes);
    audit(call, "identity_unlinked", user, {
      identity_id: removed.id,
      provider: removed.provider,
      provider_id: removed.provider_id,
    });
    const variables = { Provider: removed.provider };
    await notify(call, "identity_unlinked", user, formerEmail, variables);
  });
  return json(200, {});
};

/**
 * The user's address after an identity is unlinked: the current one if another identity has it, else the
 * first address of another identity that no other user has. An address that was never verified stays
 * unconfirmed.
 * @throws AuthError email_conflict_identity_not_deletable
 */
async function emailAfterUnlinking(transaction: Transaction, user: User): Promise<Partial<UserRow>> {
  const emailOf = (identity: IdentityRow) => String(identity.identity_data.email ?? "").toLowerCase();
  if (user.identities.some((identity) => emailOf(identity) === (user.row.email ?? ""))) return {};
  for (const identity of user.identities) {
    const email = emailOf(identity);
    const other = email ? await findByEmail(transaction, email, user.row.aud) : undefined;
    if (other && other.row.id !== user.row.id) continue;
    clearOneTimeTokens(transaction, user);
    return {
      email: email || null,
      confirmation_token: "",
      recovery_token: "",
      email_change: "",
      email_change_token_new: "",
      email_change_token_current: "",
      ...(identity.identity_data.email_verified === true ? {} : { email_confirmed_at: null }),
    };
  }
  throw unprocessable(
    "email_conflict_identity_not_deletable",
    "Unable to unlink identity due to email conflict",
  );
}
