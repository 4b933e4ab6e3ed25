/** Owns: all German words in one module, which is loaded before the first screen if the app speaks German. */

import * as calendar from "../../features/calendar/words.de.ts";
import * as chat from "../../features/chat/words.de.ts";
import * as circles from "../../features/circles/words.de.ts";
import * as day from "../../features/day/words.de.ts";
import * as deciding from "../../features/deciding/words.de.ts";
import * as drafts from "../../features/drafts/words.de.ts";
import * as newPlan from "../../features/hosting/words.de.ts";
import * as invites from "../../features/invites/words.de.ts";
import * as mail from "../../features/mail/words.de.ts";
import * as map from "../../features/map/words.de.ts";
import * as best from "../../features/matches/words.de.ts";
import * as notifications from "../../features/notifications/words.de.ts";
import * as outbox from "../../features/outbox/words.de.ts";
import * as people from "../../features/people/words.de.ts";
import * as photos from "../../features/photos/words.de.ts";
import * as pictures from "../../features/pictures/words.de.ts";
import * as placename from "../../features/places/words/by-name.de.ts";
import * as cuisines from "../../features/places/words/cuisines.de.ts";
import * as placeform from "../../features/places/words/form.de.ts";
import * as lookup from "../../features/places/words/look-up.de.ts";
import * as start from "../../features/places/words/start.de.ts";
import * as places from "../../features/places/words.de.ts";
import * as next from "../../features/plans/words/next.de.ts";
import * as placeOptions from "../../features/plans/words/place-options.de.ts";
import * as plan from "../../features/plans/words/plan.de.ts";
import * as table from "../../features/plans/words/table.de.ts";
import * as timeOptions from "../../features/plans/words/time-options.de.ts";
import * as push from "../../features/push/words.de.ts";
import * as security from "../../features/security/words.de.ts";
import * as session from "../../features/session/words.de.ts";
import * as standing from "../../features/standing/words.de.ts";
import * as hosts from "../../features/table/words.de.ts";
import * as usual from "../../features/usual-times/words.de.ts";
import * as lib from "../../lib/words.de.ts";
import * as copy from "../../ui/words/copy.de.ts";
import * as ui from "../../ui/words.de.ts";
import * as home from "../words/home-words.de.ts";
import * as landing from "../words/landing-words.de.ts";
import * as me from "../words/me-words.de.ts";
import * as app from "../words.de.ts";

export const de = {
  ...chat,
  ...circles,
  ...deciding,
  ...drafts,
  ...invites,
  ...mail,
  ...map,
  ...notifications,
  ...outbox,
  ...people,
  ...photos,
  ...pictures,
  ...places,
  ...placeform,
  ...push,
  ...hosts,
  ...lookup,
  ...placename,
  ...start,
  ...cuisines,
  ...security,
  ...next,
  ...table,
  ...plan,
  ...timeOptions,
  ...placeOptions,
  ...best,
  ...home,
  ...newPlan,
  ...calendar,
  ...day,
  ...session,
  ...standing,
  ...usual,
  ...lib,
  ...copy,
  ...ui,
  ...landing,
  ...me,
  ...app,
};
