/** Owns: generating key pairs for web push (RFC 8292), and storing one with the development data. */
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDataFolder } from "homebase-stack/project";

/** The functions' secrets, by their names. */
export interface VapidKeys extends Record<string, string> {
  VAPID_PUBLIC_KEY: string;
  VAPID_PRIVATE_KEY: string;
  VAPID_SUBJECT: string;
}

/** @param subject an address that push services can write to: mailto: or https: */
export function makeVapidKeys(subject: string): VapidKeys {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);
  return {
    VAPID_PUBLIC_KEY: point.toString("base64url"),
    VAPID_PRIVATE_KEY: privateKey.export({ format: "jwk" }).d ?? "",
    VAPID_SUBJECT: subject,
  };
}

/** This checkout's pair, generated at the first call and stored: a new pair would end every browser's subscription. */
export function developmentKeys(projectFolder: string): VapidKeys {
  const folder = join(projectFolder, ".homebase");
  const file = join(folder, "push-keys.json");
  try {
    return JSON.parse(readFileSync(file, "utf8")) as VapidKeys;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    const keys = makeVapidKeys("mailto:nosh@localhost.test");
    makeDataFolder(projectFolder);
    writeFileSync(file, `${JSON.stringify(keys)}\n`, { mode: 0o600 });
    return keys;
  }
}
