/** Owns: links into plans and circles, by hand and by mail, and a guest's own. Each throws an AppError. */
import * as z from "zod/mini";
import { invoke } from "../../lib/backend/functions.ts";
import { rpc } from "../../lib/backend/rpc.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { orThrow } from "../../lib/errors.ts";
import type { Link } from "./preview.ts";
import type { Target } from "./queries.ts";
import { inviteWords } from "./words.ts";

export interface NewInvite {
  id: string;
  /** The URL to share; its token is returned only now. */
  address: string;
}

/** `days` up to 14, `uses` up to 20. */
export async function createInvite(target: Target, days: number, uses: number): Promise<NewInvite> {
  const [invite] = await (target.kind === "plan"
    ? rpc("create_invite", { plan: target.id, days, uses })
    : rpc("create_circle_invite", { circle: target.id, days, uses }));
  if (!invite) throw new Error("the database gave no invite");
  return { id: invite.id, address: new URL(`/join/${invite.token}`, window.location.origin).toString() };
}

export const revokeInvite = (invite: string) => rpc("revoke_invite", { invite });

const mailed = z.object({
  invites: z.array(z.object({ address: z.string(), outcome: z.enum(["waiting", "not_sent"]) })),
});
export type Mailed = z.infer<typeof mailed>["invites"][number];

/** Sends each address a link of its own; says what became of each. */
export async function inviteByMail(plan: string, addresses: readonly string[]): Promise<Mailed[]> {
  const answer = await invoke(
    "send-invites",
    { body: { plan_id: plan, addresses } },
    { mail_not_configured: inviteWords().mail.notSetUp },
  );
  return mailed.parse(answer).invites;
}

const accepted = z
  .array(z.object({ kind: z.enum(["plan", "circle"]), target: z.uuid() }))
  .check(z.minLength(1));

/** Takes the seat that the link offers; says where it leads. */
export async function acceptInvite(token: string): Promise<{ kind: "plan" | "circle"; target: string }> {
  const [seat] = accepted.parse(await rpc("accept_invite", { token }));
  if (!seat) throw new Error("accept_invite gave no row");
  return seat;
}

/** Asking twice counts once; after a request was declined, it asks again. */
export const askToJoin = async (plan: string) =>
  z.enum(["joined", "asked", "refused"]).parse(await rpc("ask_to_join", { plan }));

/** Lets a person in who has asked, or declines. */
export const answerJoinRequest = (plan: string, person: string, welcome: boolean) =>
  rpc("answer_join_request", { plan, person, welcome });

/** Asks for the seat of the guest with this guest's name, at the plan of a link. Answers the plan's id. */
export const askForOwnSeat = (link: Link) => rpc("ask_for_seat", link);

/** Moves a person's seat to the device that asks for it, or declines. */
export const answerSeatRequest = (plan: string, person: string, seat_of: string, allow: boolean) =>
  rpc("answer_seat_request", { plan, person, seat_of, allow });

/** Whether the plan's own link takes a seat without asking. */
export async function openPlanLink(plan: string, open: boolean): Promise<void> {
  const rows = orThrow(
    await supabase.from("plans").update({ joins_by_link: open }).eq("id", plan).select("id"),
  );
  if (rows.length === 0) throw new Error("no plan of a host was changed");
}

/** A guest's link to themselves; it ends the one before. */
export async function createPersonalLink(): Promise<{ token: string; address: string; until: string }> {
  const [link] = await rpc("create_personal_link");
  if (!link) throw new Error("create_personal_link gave no row");
  return {
    token: link.token,
    address: new URL(`/guest/${link.token}`, window.location.origin).toString(),
    until: link.expires_at,
  };
}

/** Whether there is a link of the guest, or a device that one has opened, to revoke. */
export const hasPersonalLink = () => rpc("has_personal_link");

/** Ends the guest's link, and signs out the devices that their links opened, except this one. */
export const revokePersonalLink = () => rpc("revoke_personal_link");

/** Makes this device the guest whose link it is. The previous session on this device stays until the new one works. */
export async function openPersonalLink(token: string): Promise<void> {
  const [opened] = await rpc("open_personal_link", { token });
  if (!opened) throw new Error("open_personal_link gave no row");
  orThrow(await supabase.auth.refreshSession({ refresh_token: opened.refresh_token }));
}
