/** Owns: the constraints that no form field has, each with the reason. */

/** "table constraint" to the reason. */
export const notOfForms: Readonly<Record<string, string>> = {
  "invites invite_leads_somewhere": "which link is made, not what is typed",
  "invites invites_max_uses_check": "create_invite brings the number into range",
  "invites uses_within_limit": "a counter",
  "photos path_begins_with_plan": "the app makes the path",
  "photos path_is_plain": "the app makes the path; attacks.test.ts",
  "photos path_has_length": "the app makes the path",
  "photos photos_height_check": "measured",
  "photos photos_width_check": "measured",
  "place_hours place_hours_weekday_check": "the form has seven days",
  "places places_external_id_check": "what the server found elsewhere",
  "places source_has_id": "what the server found elsewhere",
  "places found_places_are_everybodys": "what the server found elsewhere",
  "plan_members waitlist_has_order": "two columns of one state",
  "plans choice_is_whole": "two columns of one state",
  "plans confirmed_has_choice": "two columns of one state",
  "places position_is_whole": "two columns of one point; the form's own check is in places.test.ts",
  "plans deadline_is_a_day": "the test of what would break screens tries it",
  "plans plans_undecided_check": "the function decide-plans writes the reason",
  "plans proposal_is_whole": "four columns that are set together",
  "private_profiles private_profiles_language_check": "the app says its own language",
  "private_profiles private_profiles_start_latitude_check":
    "a point on a map or from the device; whereabouts.test.ts",
  "private_profiles private_profiles_start_longitude_check": "a point on a map or from the device",
  "private_profiles start_point_is_whole": "two columns of one point",
  "profiles avatar_is_ones_own": "the app makes the path; attacks.test.ts",
  "profiles profiles_avatar_path_check": "the app makes the path",
  "push_subscriptions push_subscriptions_auth_check": "the browser makes the keys; push.test.ts",
  "push_subscriptions push_subscriptions_endpoint_check": "the browser has the address; push.test.ts",
  "push_subscriptions push_subscriptions_p256dh_check": "the browser makes the keys; push.test.ts",
  "standing_dinners standing_dinners_minutes_check": "the form has four lengths",
  "standing_dinners standing_dinners_time_zone_check":
    "the app sends the browser's own zone; the check is that of plans",
  "time_options meal_has_length": "time_bad_length, with the other rules of a time: transitions.sql",
  "usual_times usual_times_weekday_check": "the form has seven days",
};
