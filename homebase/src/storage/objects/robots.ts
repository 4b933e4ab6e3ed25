/** Owns validating `X-Robots-Tag` of an upload: only rules that crawlers know are valid. */
import { badRequest } from "../kit/errors.ts";

const SIMPLE = "all|noindex|nofollow|none|nosnippet|indexifembedded|notranslate|noimageindex";
const PARAMETRIC = "max-snippet|max-image-preview|max-video-preview|unavailable_after";
const SIMPLE_RULE = new RegExp(`^(?:${SIMPLE})$`);
const PARAMETRIC_RULE = new RegExp(`^(${PARAMETRIC}):\\s*(.*)$`);
/** A date may contain commas: it ends where another rule or robot begins. */
const DATED_RULE = new RegExp(`^unavailable_after:\\s*(.+?)(?=,\\s*(?:${SIMPLE}|${PARAMETRIC}|[\\w-]+:)|$)`);
/** Maximum number of robot names before a rule. */
const MAX_NESTING = 10;
const PREVIEWS = ["none", "standard", "large"];

/** @throws InvalidRequest, in upstream's words, for a value that is not a list of rules. */
export function requireRobotsRules(value: string): void {
  requireRules(value, 0);
}

function requireRules(value: string, depth: number): void {
  if (depth > MAX_NESTING) throw refusal("X-Robots-Tag header value has too many user agents");
  const rules = splitRules(value.trim());
  if (rules.length === 0) throw refusal("X-Robots-Tag header value must be a non-empty string");
  for (const rule of rules) requireRule(rule, depth);
}

const refusal = (text: string) => badRequest(`Invalid X-Robots-Tag header: ${text}`, "invalid_x_robots_tag");

function requireRule(rule: string, depth: number): void {
  if (rule === "") throw refusal("X-Robots-Tag header contains empty rule");
  const parametric = PARAMETRIC_RULE.exec(rule);
  if (parametric) {
    requireValue(parametric[1] ?? "", (parametric[2] ?? "").trim());
    return;
  }
  if (SIMPLE_RULE.test(rule)) return;
  const colon = rule.indexOf(":");
  if (colon < 0) throw refusal(`Invalid X-Robots-Tag rule: "${rule}"`);
  const rest = rule.slice(colon + 1).trim();
  if (rest === "") {
    throw refusal(`X-Robots-Tag user agent "${rule.slice(0, colon).trim()}" has no rules specified`);
  }
  requireRules(rest, depth + 1);
}

function requireValue(name: string, value: string): void {
  if (value === "") throw refusal(`X-Robots-Tag rule "${name}" requires a value`);
  if (name === "max-image-preview") {
    if (PREVIEWS.includes(value)) return;
    throw refusal(`X-Robots-Tag "${name}" value must be one of: ${PREVIEWS.join(", ")}, got: "${value}"`);
  }
  if (name === "unavailable_after") {
    if (!Number.isNaN(Date.parse(value))) return;
    throw refusal(`X-Robots-Tag "${name}" value must be a valid date, got: "${value}"`);
  }
  if (/^-?\d+$/.test(value) && Number(value) >= -1) return;
  throw refusal(`X-Robots-Tag "${name}" value must be an integer >= -1, got: "${value}"`);
}

function splitRules(value: string): string[] {
  const rules: string[] = [];
  for (let rest = value; rest !== ""; ) {
    const dated = DATED_RULE.exec(rest);
    const comma = rest.indexOf(",");
    const end = dated ? dated[0].length : comma < 0 ? rest.length : comma;
    rules.push(rest.slice(0, end).trim());
    rest = rest.slice(end).replace(/^,/, "").trim();
  }
  return rules;
}
