/** Owns: the words of what waits for a connection, in German. */
import { plural } from "../../lib/i18n/words.ts";
import type { OutboxWords } from "./words.ts";

export const outbox: OutboxWords = {
  label: "Noch nicht gesendet",
  waiting: (count) =>
    plural(count, {
      one: "Eines wartet auf Verbindung. Auf diesem Gerät ist es sicher.",
      other: "# Dinge warten auf Verbindung. Auf diesem Gerät sind sie sicher.",
    }),
  kinds: { message: "Eine Nachricht", votes: "Eine Stimme", rsvp: "Eine Zu- oder Absage" },
  refused: (what, why) => `${what} wurde nicht angenommen. ${why}`,
  retry: "Noch einmal",
  drop: "Weglassen",
  sent: "Was gewartet hat, ist gesendet.",
};
