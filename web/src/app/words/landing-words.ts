/** Owns: the words of the landing page, in English. */
import { defineWords } from "../../lib/i18n/words.ts";

export const landingWords = defineWords("landing", {
  yourPlans: "Your plans",
  signIn: "Sign in",
  heading: "From “we should eat together” to one table.",
  text: "Agree on a time. Agree on a place that suits everyone's diet and is fair to get to. Meet, and remember it next time.",
  plan: "Plan a meal",
  tryIt: "Try a sample table",
  noAccount: "No account, no email. Your friends vote with a link.",
  guestName: "Guest",
  sample: {
    title: "Sample dinner",
    note: "The others here are made up. Vote, suggest, confirm: nobody else sees it.",
    hello: "Hi, the first evening suits me best. What about you?",
  },
  table: "Friday dinner",
  friday: "Friday",
  you: "You",
  seats: {
    here: "is here",
    coming: "is coming",
    maybe: "might come",
    out: "isn't coming",
    silent: "hasn't answered yet",
    youSilent: "haven't answered yet",
  },
  demo: {
    title: "Mark when you're free and see what suits everyone best",
    text: "Four friends are voting. Choose an answer and drag over the times. The card shows when and where you'd meet.",
    you: "You",
  },
  remember: {
    title: "Next time, you'll remember where it was good",
    text: "Photos and ratings stay with the plan, and count when you choose the next place.",
    pictures: {
      table: "A round table from above, six plates and a pot in the middle",
      momos: "A plate of momos with a bowl of red chutney",
      bowl: "A colourful plate by the window with a cup of coffee",
    },
  },
  whatItDoes: "What it does",
  courses: {
    vote: {
      title: "When and where, in one vote",
      text: "You vote on times and places together. A combination drops out if we know that the place is closed then.",
    },
    diet: {
      title: "Every diet counts",
      text: "If a place isn't confirmed safe for someone who is coming, you always see that, and for whom.",
    },
    trips: {
      title: "Fair trips",
      text: "Everyone sees travel times, nobody sees your starting point. We minimise the longest trip.",
    },
    name: {
      title: "A name is enough",
      text: "Friends join with a link, no account needed, and keep everything if they sign up later.",
    },
  },
  language: "Language",
});

export type LandingWords = ReturnType<typeof landingWords>;
