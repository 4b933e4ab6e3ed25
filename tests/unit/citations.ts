/** Finds dead citations of pages, sections and decisions. */
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";

/** A heading of a page. */
export interface Heading {
  /** `2` or `1.5`, where it has one. */
  number: string | undefined;
  /** The number of the heading itself, or of the nearest one with a number above it. */
  section: string | undefined;
  title: string;
}

/** The pages that can be cited. */
export interface Library {
  /** The headings of a page by its path from the root, or undefined when there is no such page. */
  headings(path: string): readonly Heading[] | undefined;
  /** Whether there is a file or folder at this path from the root. */
  exists(path: string): boolean;
  /** The numbers of the decision pages. */
  decisions: ReadonlySet<number>;
}

/** Files whose comments or text may cite a page. */
const CITING = "{homebase,web,scripts,tests,supabase,docs}/**/*.{ts,tsx,mts,mjs,js,sql,md,toml}";
const SKIPPED = new Set(["node_modules", "dist", "test-results", "bench-results"]);

/** A page by its path. A folder of pages without `docs/` in front is read too: such a path is always dead. */
const PAGE =
  /(?<![\w/.-]|\]\()((?:docs|compat|decisions)\/[\w/.-]+?\.md|(?:auth|rest|storage|realtime|functions|platform)\.md(?= \d))/g;
/** A citation that names no page. */
const WITHOUT_PAGE = /[(;] ?compat: [^);]+/g;
/** One reference after a page, with the preceding text: a number, or a title in quotes. */
const REFERENCE = /^[,;]?\s+(?:and |to |sections? )?(?:(\d+(?:\.\d+)?)(?![\w%])|"([^"]+)")/;
const DECISION = /\bdecisions? (\d+)(?: (?:and|to) (\d+))?/gi;
const LINK = /\]\(((?!https?:|mailto:)[^)\s#]*)(?:#([^)\s]+))?\)/g;

/**
 * The dead citations of one file, described in words.
 * @param file the path of the file from the root; Markdown links are relative to it.
 */
export function deadCitations(file: string, text: string, library: Library): string[] {
  const line = text.replace(/\s*\n\s*(?:\*(?!\/|\*)|\/\/|--|>)?\s*/g, " ");
  const dead: string[] = [];
  for (const { 1: page = "", index, 0: whole } of line.matchAll(PAGE)) {
    const behind = line.slice(index + whole.length);
    const headings = library.headings(page);
    if (!headings) dead.push(`${file}: no page ${page}`);
    else dead.push(...deadReferences(behind, headings).map((name) => `${file}: no ${name} in ${page}`));
  }
  for (const [whole] of line.matchAll(WITHOUT_PAGE))
    dead.push(`${file}: no page for ${whole.slice(1).trim()}`);
  for (const { 0: whole, 1: first, 2: last } of line.matchAll(DECISION)) {
    for (const number of [first, last]) {
      if (number !== undefined && !library.decisions.has(Number(number))) dead.push(`${file}: no ${whole}`);
    }
  }
  if (file.endsWith(".md")) dead.push(...deadLinks(file, text, library));
  return dead;
}

/** Sections named after a page's path that are not among its headings. */
function deadReferences(behind: string, headings: readonly Heading[]): string[] {
  const dead: string[] = [];
  let rest = behind;
  let section: string | undefined;
  for (let match = REFERENCE.exec(rest); match; match = REFERENCE.exec(rest)) {
    const [whole, number, title] = match;
    rest = rest.slice(whole.length);
    if (number !== undefined) {
      section = number;
      if (!headings.some((heading) => heading.number === number)) dead.push(`section ${number}`);
    } else if (!headings.some((heading) => heading.title === title && within(heading, section))) {
      dead.push(`"${title}"${section === undefined ? "" : ` in section ${section}`}`);
    }
  }
  return dead;
}

/** Whether a heading is in a section, or no section is named. */
const within = (heading: Heading, section: string | undefined) =>
  section === undefined || heading.section === section || heading.section?.startsWith(`${section}.`);

function deadLinks(file: string, text: string, library: Library): string[] {
  const dead: string[] = [];
  for (const { 1: path = "", 2: anchor } of withoutCode(text).matchAll(LINK)) {
    const target = path === "" ? file : normalize(join(dirname(file), path));
    if (!library.exists(target)) dead.push(`${file}: no ${target}`);
    else if (anchor !== undefined && target.endsWith(".md")) {
      const anchors = library
        .headings(target)
        ?.map(({ number, title }) => slug(number === undefined ? title : `${number} ${title}`));
      if (!anchors?.includes(anchor)) dead.push(`${file}: no #${anchor} in ${target}`);
    }
  }
  return dead;
}

const withoutBlocks = (markdown: string) => markdown.replace(/^```.*?^```/gms, "");

/** A page without its code blocks, which may look like links. */
const withoutCode = (markdown: string) => withoutBlocks(markdown).replace(/`[^`\n]*`/g, "");

/** A heading's anchor, as GitHub makes it. */
const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

/** The headings of a page, ignoring code that looks like one. */
export function readHeadings(markdown: string): Heading[] {
  const headings: Heading[] = [];
  let section: string | undefined;
  for (const { 1: marks = "", 2: words = "" } of withoutBlocks(markdown).matchAll(/^(#{1,4}) (.+)$/gm)) {
    const numbered = /^(\d+(?:\.\d+)?)\.? (.+)$/.exec(words);
    if (numbered) section = numbered[1];
    else if (marks.length < 3) section = undefined;
    headings.push({ number: numbered?.[1], section, title: numbered?.[2] ?? words });
  }
  return headings;
}

/** The pages below a folder. */
export function readLibrary(root: string): Library {
  const known = new Map<string, Heading[] | undefined>();
  return {
    headings(path) {
      if (!known.has(path)) {
        const file = join(root, path);
        known.set(path, existsSync(file) ? readHeadings(readFileSync(file, "utf8")) : undefined);
      }
      return known.get(path);
    },
    exists: (path) => existsSync(join(root, path)),
    decisions: new Set(readdirSync(join(root, "docs/decisions")).map((name) => Number.parseInt(name, 10))),
  };
}

/** Paths of the files below a folder that may cite a page, from there. */
export function citingFiles(root: string): string[] {
  const below = globSync(CITING, {
    cwd: root,
    exclude: (path) => SKIPPED.has(path.split("/").at(-1) ?? ""),
  });
  const atRoot = globSync("*.{md,ts}", { cwd: root });
  return [...below, ...atRoot].map((path) => relative(".", path)).sort();
}
