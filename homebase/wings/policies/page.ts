/** Owns the page of a coverage: the conditions with colours for what was decided. */
import { escapeHtml } from "../../src/core/html.ts";
import {
  type CountedPart,
  type Coverage,
  missingSentence,
  percentOf,
} from "../../src/explain/coverage/verdict-counts.ts";

const STYLE = `
  :root { color-scheme: light dark; --both: #1a7f371f; --one: #bf870033; --none: #cf222e2e; }
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  h2 { font-size: 1rem; margin: 2rem 0 0.5rem; overflow-wrap: anywhere; }
  ul { list-style: none; padding: 0; }
  li { padding: 0.5rem 0.75rem; margin: 0.25rem 0; border-radius: 0.5rem; }
  code { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
  p { margin: 0.25rem 0; font-size: 0.9rem; }
  .both { background: var(--both); } .one { background: var(--one); } .none { background: var(--none); }`;

export function pageOfCoverage(coverage: Coverage): string {
  const headings = new Map<string, CountedPart[]>();
  for (const one of coverage.parts) {
    const heading = one.part
      ? `${one.part.table.schema}.${one.part.table.name}: ${one.part.policy} (${one.command})`
      : `${one.function}`;
    headings.set(heading, [...(headings.get(heading) ?? []), one]);
  }
  const sections = [...headings].map(
    ([heading, parts]) => `<h2>${escapeHtml(heading)}</h2><ul>${parts.map(item).join("")}</ul>`,
  );
  const summary = `${coverage.seen} of ${coverage.wanted} verdicts were seen (${percentOf(coverage)} %).`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Policies' coverage</title><style>${STYLE}</style>
<h1>Policies' coverage</h1><p>${summary} Green: true and false were seen, or all that can be. Yellow: one of them. Red: neither.</p>
${sections.join("\n")}</html>\n`;
}

function item(one: CountedPart): string {
  const decided = one.decisions.some((each) => each.true + each.false > 0);
  const colour = one.missing.length === 0 ? "both" : decided ? "one" : "none";
  const counts = one.decisions.map(
    (each) =>
      `${each.role ? `${each.role}: ` : ""}true ${each.true}, false ${each.false}, unknown ${each.unknown}`,
  );
  const missing = one.missing.map(
    (verdict) => `<p>Missing: ${escapeHtml(missingSentence(one, verdict))}</p>`,
  );
  const kind = one.part ? `${one.part.kind} ` : "";
  return `<li class="${colour}"><code>${kind}${escapeHtml(one.text)}</code><p>${escapeHtml(counts.join("; "))}</p>${missing.join("")}</li>`;
}
