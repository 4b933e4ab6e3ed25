-- Tables that are read plan by plan ask for one's plans by a hash that is made once, not by an array that is sorted each time.
alter policy "members are read by the table" on public.plan_members
  using (plan_id in (select private.my_plan_ids()));
alter policy "times are read by the table" on public.time_options
  using (plan_id in (select private.my_plan_ids()));
alter policy "places are read by the table" on public.place_options
  using (plan_id in (select private.my_plan_ids()));
alter policy "time votes are read by the table" on public.time_votes
  using (user_id = (select private.caller()) or plan_id in (select private.open_result_plan_ids()));
alter policy "place votes are read by the table" on public.place_votes
  using (user_id = (select private.caller()) or plan_id in (select private.open_result_plan_ids()));
alter policy "arrivals are read by the table" on public.arrivals
  using (plan_id in (select private.my_plan_ids()));
alter policy "ratings are read by the table" on public.ratings
  using (plan_id in (select private.my_plan_ids()));
