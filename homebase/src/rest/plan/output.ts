/**
 * Owns what the columns of a result are called (compat: result name).
 */
import type { FieldItem } from "../grammar/syntax.ts";
import type { Embed, ReadNode } from "./plan.ts";

/** The name that SQL must give; undefined where Postgres's own choice is the right one. */
export function outputName(item: FieldItem): string | undefined {
  if (item.alias !== undefined) return item.alias;
  const path = item.field?.path ?? [];
  if (path.length > 0) return path.findLast((step) => !step.index)?.key ?? item.field?.name;
  return item.aggregate;
}

/** Names of all columns that a node outputs, in order; undefined when they are not known. */
export function outputNames(node: ReadNode): string[] | undefined {
  const names: string[] = [];
  for (const column of node.columns) {
    if (column.kind === "all") {
      if (!node.relation) return undefined;
      names.push(...node.relation.columns.keys());
    } else if (column.kind === "field") names.push(column.as ?? column.field.name);
    else names.push(column.as);
  }
  for (const embed of node.embeds) {
    const own = embedNames(embed);
    if (!own) return undefined;
    names.push(...own);
  }
  return names;
}

/** Names of the columns that an embed adds to its parent. */
export function embedNames(embed: Embed): string[] | undefined {
  if (embed.hidden) return [];
  return embed.spread ? outputNames(embed.node) : [embed.output];
}
