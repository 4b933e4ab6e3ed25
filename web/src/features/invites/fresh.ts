/**
 * Owns: the invite links that this page has made, while it is open. Their tokens are returned once: the database has
 * their hashes only.
 */
import { useSyncExternalStore } from "react";
import { createInvite, type NewInvite, revokeInvite } from "./mutations.ts";
import type { Target } from "./queries.ts";

/** The newest link into each plan or circle. */
const links = new Map<string, NewInvite>();
const listeners = new Set<() => void>();

/** As private.limits in SQL says: two weeks and twenty people at most. */
export const MOST_DAYS = 14;
export const MOST_USES = 20;

/** The address of the link that was made in this page; undefined where none was. */
export function useFreshInvite(target: string): string | undefined {
  return useSyncExternalStore(subscribe, () => links.get(target))?.address;
}

/** Makes a link, which replaces the one that is shown; the earlier one stays valid. Returns it. Throws an AppError. */
export async function makeInvite(target: Target, days = MOST_DAYS, uses = MOST_USES): Promise<NewInvite> {
  const link = await createInvite(target, days, uses);
  links.set(target.id, link);
  announce();
  return link;
}

/** The address that a host shares: of the link of this page, or of a new one. Throws an AppError. */
export async function inviteToShare(target: Target): Promise<string> {
  return (links.get(target.id) ?? (await makeInvite(target))).address;
}

/** Revokes a link. If it is shown, it no longer is. Throws an AppError. */
export async function withdrawInvite(target: Target, invite: string): Promise<void> {
  await revokeInvite(invite);
  if (links.get(target.id)?.id === invite) links.delete(target.id);
  announce();
}

function announce(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
