/**
 * Owns finding real extensions for Postgres 17 on this machine: in folders that HOMEBASE_EXTENSIONS names,
 * and where Debian's and Homebrew's packages install them. Only extensions that Homebase does not ship are
 * searched for.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { EXTENSIONS } from "./classes.ts";
import { type ExtensionFile, trusted } from "./control-file.ts";

/** The major version of Homebase's server: Postgres rejects a library of another one. */
const MAJOR = "17";

interface Place {
  /** Control files and scripts. */
  extensions: string;
  libraries: string;
}

const PLACES: readonly Place[] = [
  { extensions: `/usr/share/postgresql/${MAJOR}/extension`, libraries: `/usr/lib/postgresql/${MAJOR}/lib` },
  ...["/opt/homebrew", "/usr/local"].map((prefix) => ({
    extensions: `${prefix}/share/postgresql@${MAJOR}/extension`,
    libraries: `${prefix}/lib/postgresql@${MAJOR}`,
  })),
];

/**
 * Extensions whose background work Homebase does itself: the system's own would bypass it, so they are
 * ignored.
 */
const OURS = new Set(["pg_net", "pg_cron", "supabase_vault", "http"]);

/** Above this, scripts that update from other versions are left out. */
const MOST_SCRIPT_BYTES = 10 * 1024 ** 2;

/** The extensions found. */
export interface SystemExtensions {
  readonly names: readonly string[];
  readonly files: readonly ExtensionFile[];
  readonly libraries: readonly string[];
}

/** Searches for real extensions. An unreadable folder counts as empty. */
export function systemExtensions(environment: NodeJS.ProcessEnv = process.env): SystemExtensions {
  const named = (environment.HOMEBASE_EXTENSIONS ?? "").split(delimiter).filter(Boolean).flatMap(placesIn);
  const names: string[] = [];
  const files: ExtensionFile[] = [];
  const libraries = new Set<string>();
  for (const { name, class: kind } of EXTENSIONS) {
    if (kind === "real" || OURS.has(name)) continue;
    for (const place of [...named, ...PLACES]) {
      const found = extensionIn(place, name);
      if (!found) continue;
      names.push(name);
      files.push(...found.files);
      for (const library of found.libraries) libraries.add(library);
      break;
    }
  }
  return { names, files, libraries: [...libraries] };
}

/**
 * The supported layouts of a folder in HOMEBASE_EXTENSIONS: an installation, an extension's build, or flat.
 */
function placesIn(folder: string): Place[] {
  return [
    { extensions: join(folder, "share", "extension"), libraries: join(folder, "lib") },
    {
      extensions: join(folder, "share", "postgresql", "extension"),
      libraries: join(folder, "lib", "postgresql"),
    },
    { extensions: join(folder, "extension"), libraries: join(folder, "lib") },
    { extensions: folder, libraries: folder },
  ];
}

/** An extension's files in one folder, if complete: control file, scripts and the libraries that they name. */
function extensionIn(
  place: Place,
  name: string,
): { files: ExtensionFile[]; libraries: string[] } | undefined {
  let control: string;
  let scripts: string[];
  try {
    control = readFileSync(join(place.extensions, `${name}.control`), "utf8");
    scripts = readdirSync(place.extensions).filter(
      (file) => file.startsWith(`${name}--`) && file.endsWith(".sql"),
    );
  } catch {
    return undefined;
  }
  const version = /^\s*default_version\s*=\s*'([^']+)'/m.exec(control)?.[1];
  // PostGIS has a hundred scripts that update from earlier versions, 900 MB in all; the one that makes it is enough.
  const whole = `${name}--${version}.sql`;
  const size = () => scripts.reduce((sum, file) => sum + statSync(join(place.extensions, file)).size, 0);
  if (scripts.includes(whole) && size() > MOST_SCRIPT_BYTES) scripts = [whole];
  if (scripts.length === 0) return undefined;
  const files = scripts.map((file) => ({
    name: file,
    text: readFileSync(join(place.extensions, file), "utf8"),
  }));
  const libraries = new Set<string>();
  const referred = [
    /^\s*module_pathname\s*=\s*'(?:\$libdir\/)?([^'/]+)'/m.exec(control)?.[1],
    // Some scripts name the library themselves.
    ...files.flatMap(({ text }) => [...text.matchAll(/'\$libdir\/([\w.-]+)'/g)].map(([, module]) => module)),
  ];
  for (const module of new Set(referred)) {
    if (module === undefined) continue;
    const library = [".so", ".dylib"]
      .map((suffix) => join(place.libraries, `${module}${suffix}`))
      .find((path) => existsSync(path));
    if (!library) return undefined;
    libraries.add(library);
  }
  return {
    files: [{ name: `${name}.control`, text: trusted(control) }, ...files],
    libraries: [...libraries],
  };
}
