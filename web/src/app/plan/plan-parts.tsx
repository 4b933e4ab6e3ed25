/** Owns: the parts of the plan screen that are loaded when they are needed, or when the browser is idle. */
import { lazy, useEffect } from "react";
import { lazyOptional } from "../../ui/lazy-optional.tsx";

/** Tabs that are not open at first, loaded when the browser is idle. */
const parts = {
  chat: () => import("../../features/chat/components/chat.tsx"),
  photos: () => import("../../features/photos/components/photo-wall.tsx"),
  best: () => import("../../features/matches/components/best-tab.tsx"),
  day: () => import("../../features/day/components/day-tab.tsx"),
  bar: () => import("../../features/day/components/day-bar.tsx"),
  rate: () => import("../../features/day/components/rate-panel.tsx"),
  where: () => import("../../features/place-options/components/where-tab.tsx"),
  sheet: () => import("../../ui/sheet-body.tsx"),
  edit: () => import("../../features/hosting/components/edit-form.tsx"),
  change: () => import("../../features/hosting/components/change-form.tsx"),
  place: () => import("../../features/hosting/components/add-place.tsx"),
  person: () => import("../../features/table/components/person-form.tsx"),
  hosts: () => import("../../features/table/components/host-notes.tsx"),
  offer: () => import("../../features/table/components/notification-offer.tsx"),
  push: () => import("../../features/push/components/push-offer.tsx"),
  decision: () => import("../../features/deciding/components/decision-notice.tsx"),
  undo: () => import("../../features/deciding/components/undo-notice.tsx"),
  usual: () => import("../../features/time-options/components/usual-answers.tsx"),
  ask: () => import("../../features/places/components/ask-once.tsx"),
  requests: () => import("../../features/invites/components/join-requests.tsx"),
  propose: () => import("../../features/plans/components/propose-time-form.tsx"),
} as const;
export const DecisionNotice = lazyOptional(async () => (await parts.decision()).DecisionNotice);
export const UndoNotice = lazyOptional(async () => (await parts.undo()).UndoNotice);
export const FirstInvite = lazyOptional(
  async () => (await import("../../features/invites/components/first-invite.tsx")).FirstInvite,
);
export const InviteSheet = lazyOptional(
  async () => (await import("../../features/invites/components/invite-sheet.tsx")).InviteSheet,
);
export const HostActions = lazyOptional(
  async () => (await import("../../features/hosting/components/host-actions.tsx")).HostActions,
);
export const JoinRequests = lazyOptional(async () => (await parts.requests()).JoinRequests);
export const NotificationOffer = lazyOptional(async () => (await parts.offer()).NotificationOffer);
export const OtherDevice = lazyOptional(
  async () => (await import("../../features/invites/components/other-device.tsx")).OtherDevice,
);
export const PlanLinkPart = lazyOptional(async () => (await import("../routes/plan-link.tsx")).PlanLinkPart);
export const AddPlace = lazyOptional(async () => (await parts.place()).AddPlace);
export const Chat = lazy(async () => ({ default: (await parts.chat()).Chat }));
export const PhotoWall = lazy(async () => ({ default: (await parts.photos()).PhotoWall }));
export const BestTab = lazy(async () => ({ default: (await parts.best()).BestTab }));
export const DayTab = lazy(async () => ({ default: (await parts.day()).DayTab }));
export const DayBar = lazyOptional(async () => (await parts.bar()).DayBar);
export const RateHere = lazyOptional(async () => (await parts.rate()).RateHere);
export const AskOnce = lazyOptional(async () => (await parts.ask()).AskOnce);
export const WhereTab = lazy(async () => ({ default: (await parts.where()).WhereTab }));

/** Loads the other tabs after the first one is shown. Without a connection they load when they are opened. */
export function useFetchedParts(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      void Promise.allSettled(Object.values(parts).map((fetchPart) => fetchPart()));
    }, FETCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
}

const FETCH_AFTER_MS = 1200;
