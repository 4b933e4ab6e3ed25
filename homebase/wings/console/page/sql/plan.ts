/** Owns which node of a plan costs most without its children. */

/** A node's line: its depth, its cost or its time, and how often it ran. */
const NODE =
  /^(\s*)(?:->\s+)?\S.*?\(cost=[\d.]+\.\.([\d.]+)[^)]*\)(?: \(actual time=[\d.]+\.\.([\d.]+) .*?loops=(\d+)\))?/;

/** The line of the costliest node, by the time that it took without its children, or by its cost where nothing ran. */
export function costliestLine(lines: readonly string[]): number | undefined {
  const nodes = lines.flatMap((line, at) => {
    const [, indent, cost, time, loops = "1"] = NODE.exec(line) ?? [];
    if (indent === undefined) return [];
    return [
      { at, depth: indent.length, own: time === undefined ? Number(cost) : Number(time) * Number(loops) },
    ];
  });
  const above: (typeof nodes)[number][] = [];
  for (const node of nodes) {
    while ((above.at(-1)?.depth ?? -1) >= node.depth) above.pop();
    const parent = above.at(-1);
    if (parent) parent.own -= node.own;
    above.push(node);
  }
  return nodes.reduce<(typeof nodes)[number] | undefined>(
    (most, node) => (most && most.own >= node.own ? most : node),
    undefined,
  )?.at;
}
