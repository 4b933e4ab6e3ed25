/** Owns: the words for circles, in English. */
import { defineWords, plural } from "../../lib/i18n/words.ts";

export const circleWords = defineWords("circles", {
  title: "Circles",
  start: "Start a circle",
  newTitle: "A new circle",
  loadingAll: "your circles",
  loadingOne: "the circle",
  none: "No circle yet",
  noneText: "A circle is the people you eat with again and again.",
  noneGuest: "A circle stays, so it needs an account. Add your address under Me; you keep everything.",
  people: (count: number) => plural(count, { one: "# person", other: "# people" }),
  name: "Name",
  namePlaceholder: "Thursday table",
  startIt: "Start it",
  notYours: "This circle is not yours",
  notYoursText: "It is gone, or one of its admins has to add you.",
  toCircles: "To your circles",
  startPlan: "Start a plan",
  /** Who takes a seat where: "Whoever has the link takes a seat at this circle." */
  plans: "Plans",
  noPlans: "No plan of this circle that you are on. Start one.",
  peopleTitle: "People",
  roles: { owner: "owner", admin: "admin", member: "member" },
  makeAdmin: "Make admin",
  makeMember: "Make member",
  handOver: "Hand over",
  handOverTitle: (name: string) => `Hand the circle to ${name}?`,
  handOverText: (name: string) =>
    `${name} then owns it: roles, removing people, deleting it. You stay as an admin, and cannot take it back.`,
  remove: "Remove",
  removeNamed: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText: (name: string) =>
    `${name} no longer finds the circle and its people. Plans that ${name} sits at stay.`,
  leave: "Leave",
  leaveTitle: "Leave the circle?",
  leaveText: "Plans that you sit at stay. Coming back needs a new link.",
  more: "Manage the circle",
  rename: "Rename",
  renameTitle: "Another name",
  keepName: "Keep the name",
  delete: "Delete the circle",
  deleteTitle: "Delete the circle for everyone?",
  deleteText: "Its people no longer find each other here. Plans stay with those who sit at them.",
  stay: "Leave it as it is",
  nameMissing: "Give the circle a name.",
  nameTooLong: "Eighty characters is the most.",
});

export type CircleWords = ReturnType<typeof circleWords>;
