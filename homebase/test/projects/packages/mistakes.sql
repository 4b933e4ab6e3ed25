delete from badges.badge where id = 2;
drop extension "club-badges";
