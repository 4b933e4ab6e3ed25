/** Owns: all German words in one piece, fetched before the first screen by whom German is spoken with. */

import * as calendar from "../../features/calendar/words.de.ts";
import * as circles from "../../features/circles/words.de.ts";
import * as mail from "../../features/mail/words.de.ts";
import * as notifications from "../../features/notifications/words.de.ts";
import * as people from "../../features/people/words.de.ts";
import * as best from "../../features/plans/words/best.de.ts";
import * as newPlan from "../../features/plans/words/new-plan.de.ts";
import * as plan from "../../features/plans/words/plan.de.ts";
import * as table from "../../features/plans/words/table.de.ts";
import * as when from "../../features/plans/words/when.de.ts";
import * as security from "../../features/security/words.de.ts";
import * as lib from "../../lib/words.de.ts";
import * as ui from "../../ui/words.de.ts";
import * as me from "../words/me.de.ts";
import * as app from "../words.de.ts";

export const de = {
  ...lib,
  ...ui,
  ...app,
  ...circles,
  ...mail,
  ...me,
  ...notifications,
  ...people,
  ...security,
  ...table,
  ...plan,
  ...when,
  ...best,
  ...newPlan,
  ...calendar,
};
