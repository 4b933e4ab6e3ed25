/** Owns: the words of the front door, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const landingWords = defineWords("landing", {
  yourPlans: "Your plans",
  signIn: "Sign in",
  heading: "From “we should eat together” to one table.",
  text: "Agree when. Agree where, safely for everyone's diet and fairly for everyone's trip. Meet, and remember it.",
  tryIt: "Try it in one click",
  signInOrUp: "Sign in or sign up",
  noAccount: "No account, no mail. You sit down as a guest at a table of six.",
  guestName: "Guest",
  table: "Friday dinner",
  friday: "Friday",
  you: "You",
  seats: {
    here: "is here",
    coming: "is coming",
    maybe: "may come",
    out: "is not coming",
    silent: "has not answered",
    youSilent: "have not answered",
  },
  whatItDoes: "What it does",
  courses: {
    vote: {
      title: "When and where, in one vote",
      text: "Times and places are answered together, and only pairs that are open then are served.",
    },
    diet: {
      title: "Safe for every diet",
      text: "A place that is not known to be safe for someone who is coming is never suggested silently.",
    },
    trips: {
      title: "Fair trips",
      text: "Everyone sees minutes, nobody sees a home. The longest way counts, not the mean.",
    },
    name: {
      title: "A name is enough",
      text: "Friends join by link without an account, and keep everything if they make one later.",
    },
  },
  language: "Language",
});

export type LandingWords = ReturnType<typeof landingWords>;
