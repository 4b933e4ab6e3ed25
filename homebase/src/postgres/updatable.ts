/**
 * Owns asking what of a relation can be written. Postgres asks the wrapper of a foreign table, also for a view over it,
 * and raises an error where the wrapper has no library: such a relation counts as one that cannot be written.
 */

/** The foreign tables whose wrapper has no library, and the views over them. Evaluated once for a query. */
const WITHOUT_LIBRARY = `(
  with recursive silent (oid) as (
    select f.ftrelid from pg_catalog.pg_foreign_table f join pg_catalog.pg_foreign_server s on s.oid = f.ftserver
      join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw
    where w.fdwhandler = 0
    union
    select v.ev_class from silent join pg_catalog.pg_depend d on d.refobjid = silent.oid
        and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
        and d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
      join pg_catalog.pg_rewrite v on v.oid = d.objid
  )
  select oid from silent)`;

/**
 * An SQL expression: the commands that a relation takes, as bits (4 update, 8 insert, 16 delete).
 * @param relation an SQL expression of type oid.
 * @param triggers whether a view's INSTEAD OF triggers count.
 */
export function relationUpdatable(relation: string, triggers: boolean): string {
  return `case when ${relation} in ${WITHOUT_LIBRARY} then 0
    else pg_catalog.pg_relation_is_updatable(${relation}, ${triggers}) end`;
}

/** An SQL expression: whether UPDATE and DELETE take a column, without the INSTEAD OF triggers of a view. */
export function columnUpdatable(relation: string, column: string): string {
  return `(${relation} not in ${WITHOUT_LIBRARY} and pg_catalog.pg_column_is_updatable(${relation}, ${column}, false))`;
}
