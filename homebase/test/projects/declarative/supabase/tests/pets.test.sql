begin;
select plan(3);
select enum_has_labels('public', 'mood', array['happy', 'sad']);
select col_not_null('public', 'pets', 'name', 'a pet has a name');
select col_is_pk('public', 'pets', 'id', 'a pet has a number');
select * from finish();
rollback;
