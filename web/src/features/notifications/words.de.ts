/** Owns: the words of the activity list, in German. */
import type { NotificationWords } from "./words.ts";

export const notifications: NotificationWords = {
  title: "Aktivität",
  loading: "Deine Aktivität",
  empty: "Noch keine Aktivität",
  emptyText: "Hier siehst du, wenn ein Plan feststeht, sich ändert oder deine Stimme braucht.",
  fresh: (count) => `${count} neu`,
  unread: "neu",
  readAll: "Alle als gelesen markieren",
  someone: "Jemand",
  gone: "ein gelöschter Plan",
  confirmedItself: (plan) => `Es steht fest, niemand hat widersprochen: ${plan}.`,
  moved: (was, is) => `Vorher ${was}. Jetzt ${is}.`,
  kinds: {
    plan_invited: (who, plan) => `${who} hat dich hinzugefügt: ${plan}.`,
    plan_confirmed: (who, plan) => `${who} hat entschieden, es steht fest: ${plan}.`,
    plan_reopened: (who, plan) =>
      `${who} hat die Abstimmung wieder geöffnet: ${plan}. Bitte stimm noch einmal ab.`,
    plan_cancelled: (who, plan) => `${who} hat abgesagt: ${plan}.`,
    plan_restored: (who, plan) => `${who} hat wiederhergestellt: ${plan}.`,
    seat_freed: (_who, plan) => `Ein Platz ist frei geworden, du bist dabei: ${plan}.`,
    person_joined: (who, plan) => `${who} ist jetzt dabei: ${plan}.`,
    vote_reminder: (_who, plan) => `Die Abstimmung endet bald, und deine Stimme fehlt noch: ${plan}.`,
    plan_tomorrow: (_who, plan) => `Bald ist es so weit: ${plan}.`,
    plan_changed: (who, plan) => `${who} hat Name oder Notiz geändert: ${plan}.`,
    plan_moved: (who, plan) => `${who} hat Termin oder Ort geändert: ${plan}. Kommst du trotzdem?`,
    plan_placed: (who, plan) => `${who} hat den Ort gewählt: ${plan}.`,
    vote_nudge: (who, plan) => `${who} wartet auf deine Stimme: ${plan}.`,
    plan_proposed: (_who, plan) =>
      `Es gibt einen Vorschlag: ${plan}. Wenn niemand widerspricht, steht er fest.`,
    plan_vetoed: (who, plan) => `${who} hat dem Vorschlag widersprochen: ${plan}.`,
    plan_undecided: (_who, plan) => `Wir konnten nicht für euch entscheiden, bitte wähl selbst: ${plan}.`,
    standing_planned: (_who, plan) => `Das nächste Treffen ist angelegt: ${plan}. Bist du dabei?`,
    everybody_answered: (_who, plan) => `Alle haben geantwortet: ${plan}.`,
    join_asked: (_who, plan) => `Jemand fragt nach einem Platz: ${plan}.`,
    seat_asked: (_who, plan) => `Ein anderes Gerät fragt nach deinem Platz: ${plan}. Bist du das?`,
    seat_moved: () => "Dein Platz bei einem Plan ist jetzt auf einem anderen Gerät.",
    not_coming: (who, plan) => `${who} kommt nicht: ${plan}.`,
    rate_reminder: (_who, plan) => `Wie war es: ${plan}? Deine Bewertung hilft beim nächsten Mal.`,
  },
};
